#include "world/guest_build_overlay.h"

#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"

namespace sf::world {
namespace {

// One text of a file below GOROOT/src, and what takes its place.
struct Edit {
  std::string_view file;
  std::string_view anchor;
  std::string_view replacement;
};

struct NewFile {
  std::string_view file;
  std::string_view content;
};

constexpr Edit kEdits[] = {
    {"internal/poll/fd_fsync_posix.go",
     "\treturn ignoringEINTR(func() error {\n\t\treturn syscall.Fsync(fd.Sysfd)\n\t})\n",
     "\tif parked, err := seedfallFsync(fd); parked {\n\t\treturn err\n\t}\n"
     "\treturn ignoringEINTR(func() error {\n\t\treturn syscall.Fsync(fd.Sysfd)\n\t})\n"},
    {"os/signal/signal_unix.go", "func loop() {\n", "func loop() {\n\tseedfallWait()\n"},
    // Stop waits until the receiver is back in the runtime; it is not, and nothing is on its way.
    {"os/signal/signal.go", "\tsignalWaitUntilIdle()\n", ""},
};

// fsync: the descriptor's own poller entry cannot be waited on: only one goroutine at a time may
// wait to write, and two may sync one file, or one write while another syncs. So each sync has an
// entry of its own, under the number that the host gave the operation.
//
// Signals: the first signal.Notify starts a goroutine that receives them. On wasip1 its wait in the
// runtime is a loop of sched_yield and Gosched (runtime/lock_wasip1.go). A goroutine that is always
// ready keeps the scheduler from ever asking the poller, so that reads and fsyncs of all others
// wait for good. With the overlay it waits in the poller like everybody, which also keeps the
// runtime from calling a program that only waits for a signal a deadlock.
constexpr NewFile kNewFiles[] = {
    {"internal/poll/fd_fsync_seedfall.go", R"(//go:build wasip1

package poll

import (
	"syscall"
	"unsafe"
)

//go:wasmimport seedfall sync_start
//go:noescape
func seedfallSyncStart(fd int32, operation unsafe.Pointer) uint32

//go:wasmimport seedfall sync_result
//go:noescape
func seedfallSyncResult(operation int32) uint32

// seedfallFsync parks only its goroutine while the simulated disk works. It is false, and nothing
// has happened, if the host has no room for more parked operations.
func seedfallFsync(fd *FD) (parked bool, err error) {
	var operation int32
	errno := syscall.Errno(seedfallSyncStart(int32(fd.Sysfd), unsafe.Pointer(&operation)))
	if errno == syscall.ENOMEM {
		return false, nil
	}
	if errno != 0 {
		return true, errno
	}
	wait := &FD{Sysfd: int(operation)}
	if err := wait.pd.init(wait); err != nil {
		return true, err
	}
	defer wait.pd.close()
	defer wait.pd.evict()
	for {
		if err := wait.pd.waitWrite(true); err != nil {
			return true, err
		}
		errno := syscall.Errno(seedfallSyncResult(operation))
		if errno == 0 {
			return true, nil
		}
		if errno != syscall.EAGAIN {
			return true, errno
		}
	}
}
)"},
    {"os/signal/signal_seedfall.go", R"(//go:build wasip1

package signal

import (
	"internal/poll"
	"unsafe"
)

//go:wasmimport seedfall signal_start
//go:noescape
func seedfallSignalStart(operation unsafe.Pointer) uint32

// seedfallWait parks its goroutine until the host has a signal for the program.
func seedfallWait() {
	var operation int32
	if seedfallSignalStart(unsafe.Pointer(&operation)) != 0 {
		return
	}
	wait := &poll.FD{Sysfd: int(operation), IsStream: true}
	if wait.Init("signal", true) != nil {
		return
	}
	tries := 0
	wait.RawWrite(func(uintptr) bool {
		tries++
		return tries > 1 // it is asked once before it waits
	})
}
)"},
};

tl::unexpected<Error> does_not_fit(const GoInstallation& go, std::string_view file,
                                   std::string what) {
  return cannot_run(fmt::format("{}: src/{}", go.version, file), std::move(what),
                    "this seedfall knows Go 1.23 to 1.27; use one of these, or a newer seedfall");
}

Result<std::string> edited(const GoInstallation& go, const Edit& edit, const std::string& text) {
  const std::size_t at = text.find(edit.anchor);
  const std::string shown = excerpt(edit.anchor, 80);
  if (at == std::string::npos) {
    return does_not_fit(go, edit.file,
                        fmt::format("does not hold the text that is to be replaced: {}", shown));
  }
  if (text.find(edit.anchor, at + 1) != std::string::npos) {
    return does_not_fit(go, edit.file,
                        fmt::format("holds the text that is to be replaced twice: {}", shown));
  }
  return text.substr(0, at) + std::string(edit.replacement) +
         text.substr(at + edit.anchor.size());
}

// Flat names: "internal.poll.fd_fsync_posix.go".
Result<void> add_file(std::string_view file, const std::string& path, std::string_view content,
                      const std::string& scratch, OverlayFiles& files) {
  std::string name(file);
  for (char& c : name) c = c == '/' ? '.' : c;
  const std::string target = scratch + "/" + name;
  SF_TRY_VOID(host::write_file(target, content));
  files.emplace_back(path, target);
  return {};
}

}  // namespace

Result<OverlayFiles> make_library_overlay(const GoInstallation& go, const std::string& scratch) {
  OverlayFiles files;
  for (const Edit& edit : kEdits) {
    const std::string path = fmt::format("{}/src/{}", go.root, edit.file);
    const auto text = host::read_file(path);
    if (!text) return does_not_fit(go, edit.file, "cannot be read: " + text.error().message);
    SF_TRY(const std::string content, edited(go, edit, *text));
    SF_TRY_VOID(add_file(edit.file, path, content, scratch, files));
  }
  for (const NewFile& added : kNewFiles) {
    const std::string path = fmt::format("{}/src/{}", go.root, added.file);
    if (host::exists(path)) return does_not_fit(go, added.file, "exists already");
    SF_TRY_VOID(add_file(added.file, path, added.content, scratch, files));
  }
  return files;
}

}  // namespace sf::world
