// The overlay against stand-ins of GOROOT: what it changes, and what it refuses.
// That the changed library builds and works is tested by everything that builds a guest.
#include "world/guest_build_overlay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/host/file.h"

namespace sf::world {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "internal/poll/fd_fsync_posix.go";
constexpr const char* kSource = R"(package poll

func (fd *FD) Fsync() error {
	if err := fd.incref(); err != nil {
		return err
	}
	defer fd.decref()
	return ignoringEINTR(func() error {
		return syscall.Fsync(fd.Sysfd)
	})
}
)";

constexpr const char* kSignalFile = "os/signal/signal_unix.go";
constexpr const char* kSignalSource = R"(package signal

func loop() {
	for {
		process(syscall.Signal(signal_recv()))
	}
}
)";

constexpr const char* kStopFile = "os/signal/signal.go";
constexpr const char* kStopSource = R"(package signal

func Stop() {
	signalWaitUntilIdle()
}

func signalWaitUntilIdle()
)";

class Overlay : public testing::Test {
 protected:
  void SetUp() override {
    root_ = *host::make_temporary_directory("sf-overlay-test-");
    ASSERT_TRUE(host::make_directories(root_ + "/go/src/internal/poll"));
    ASSERT_TRUE(host::make_directories(root_ + "/go/src/os/signal"));
    ASSERT_TRUE(host::write_file(root_ + "/go/src/" + kSignalFile, kSignalSource));
    ASSERT_TRUE(host::write_file(root_ + "/go/src/" + kStopFile, kStopSource));
    ASSERT_TRUE(host::make_directories(root_ + "/scratch"));
  }
  void TearDown() override { EXPECT_TRUE(host::remove_tree(root_)); }
  Result<OverlayFiles> make(std::string_view source) {
    EXPECT_TRUE(host::write_file(root_ + "/go/src/" + kFile, source));
    return make_library_overlay({root_ + "/go", "go1.99.1"}, root_ + "/scratch");
  }
  std::string root_;
};

TEST_F(Overlay, ReplacesTheTextAndAddsItsFile) {
  const auto files = make(kSource);
  ASSERT_TRUE(files.has_value()) << files.error().text();
  ASSERT_EQ(files->size(), 5U);
  EXPECT_EQ((*files)[0].first, root_ + "/go/src/" + kFile);
  const std::string changed = *host::read_file((*files)[0].second);
  EXPECT_THAT(changed, HasSubstr("defer fd.decref()\n\tif parked, err := seedfallFsync(fd);"));
  EXPECT_EQ((*files)[1].first, root_ + "/go/src/" + kSignalFile);
  EXPECT_THAT(*host::read_file((*files)[1].second),
              HasSubstr("func loop() {\n\tseedfallWait()\n\tfor {"));
  EXPECT_EQ((*files)[2].first, root_ + "/go/src/" + kStopFile);
  EXPECT_THAT(*host::read_file((*files)[2].second), HasSubstr("func Stop() {\n}"));
  EXPECT_THAT(*host::read_file((*files)[3].second), HasSubstr("func seedfallFsync(fd *FD)"));
  EXPECT_THAT(*host::read_file((*files)[4].second), HasSubstr("func seedfallWait()"));
  EXPECT_EQ(*host::read_file(root_ + "/go/src/" + kFile), kSource);   // the user's stays
}

// Goal: a Go it does not fit is refused by version and file, never built wrongly.
TEST_F(Overlay, RefusesAnotherLibraryByName) {
  for (const int copies : {0, 2}) {
    const auto files = make(copies == 0 ? "package poll\n" : fmt::format("{0}{0}", kSource));
    ASSERT_FALSE(files.has_value());
    EXPECT_EQ(files.error().where, fmt::format("go1.99.1: src/{}", kFile));
    EXPECT_THAT(files.error().message, HasSubstr("the text that is to be replaced"));
    EXPECT_THAT(files.error().hint, HasSubstr("Go 1.23 to 1.27"));
  }
  ASSERT_TRUE(host::remove_tree(fmt::format("{}/go/src/internal", root_)));
  const auto gone = make_library_overlay({root_ + "/go", "go1.99.1"}, root_ + "/scratch");
  ASSERT_FALSE(gone.has_value());
  EXPECT_THAT(gone.error().text(), HasSubstr("cannot be read"));
}

TEST_F(Overlay, RefusesALibraryThatHasItsFileAlready) {
  const std::string added = root_ + "/go/src/internal/poll/fd_fsync_seedfall.go";
  ASSERT_TRUE(host::write_file(added, "package poll\n"));
  const auto files = make(kSource);
  ASSERT_FALSE(files.has_value());
  EXPECT_THAT(files.error().text(), HasSubstr("exists already"));
}

}  // namespace
}  // namespace sf::world
