// The table of descriptors beside the plainest one there could be.
#include "kernel/fd_table.h"

#include <gtest/gtest.h>

#include <map>

#include "base/hash.h"

namespace sf::kernel {
namespace {

using File = std::shared_ptr<Description>;

// The lowest free number is looked for from the start, each time.
struct NaiveTable {
  std::map<Fd, File> open;
  Fd add(File file, Fd limit) {
    Fd fd = 0;
    while (open.contains(fd)) ++fd;
    if (fd < limit) open[fd] = std::move(file);
    return fd;
  }
};

// Random calls: both tables give the same numbers and mean the same files.
TEST(FdTable, IsTheNaiveTableButFast) {
  constexpr Fd kLimit = 12;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    FdTable table(kLimit);
    NaiveTable naive;
    for (std::uint64_t step = 0; step < 300; ++step) {
      const std::uint64_t word = mix_into(mix_into(0, seed), step);
      const auto a = static_cast<Fd>(word % (kLimit + 2));
      const auto b = static_cast<Fd>((word >> 8) % (kLimit + 2));
      switch ((word >> 16) % 4) {
        case 0:
        case 1: {
          const File file = std::make_shared<Description>();
          const auto fd = table.add(file);
          const Fd want = naive.add(file, kLimit);
          ASSERT_EQ(fd ? *fd : kLimit, want);
          if (!fd) {
            ASSERT_EQ(fd.error(), Errno::kMFile);
          }
          break;
        }
        case 2:
          ASSERT_EQ(table.remove(a).has_value(), naive.open.erase(a) == 1);
          break;
        case 3: {
          const bool both = naive.open.contains(a) && naive.open.contains(b);
          ASSERT_EQ(table.move(a, b).has_value(), both);
          if (both && a != b) {
            naive.open[b] = naive.open[a];
            naive.open.erase(a);
          }
          break;
        }
      }
      ASSERT_EQ(table.open_count(), naive.open.size());
      for (Fd fd = 0; fd < kLimit + 2; ++fd) {
        const auto got = table.get(fd);
        const auto want = naive.open.find(fd);
        ASSERT_EQ(got ? *got : nullptr, want == naive.open.end() ? nullptr : want->second);
      }
    }
  }
}

}  // namespace
}  // namespace sf::kernel
