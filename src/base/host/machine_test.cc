#include "base/host/machine.h"

#include <gtest/gtest.h>

namespace sf::host {
namespace {

TEST(Machine, TheChosenWordStandsInBrackets) {
  EXPECT_EQ(chosen_word("always [madvise] never\n"), "madvise");
  EXPECT_EQ(chosen_word("always madvise never"), "");
  EXPECT_EQ(chosen_word("]["), "");
}

TEST(Machine, MemoryIsTheLineOfThatName) {
  constexpr std::string_view kText = "MemTotal: 9 kB\nMemAvailable:   12 kB\nMemAvailableX: 1 kB\n";
  EXPECT_EQ(meminfo_bytes(kText, "MemAvailable"), 12U << 10);
  EXPECT_EQ(meminfo_bytes(kText, "Mem"), std::nullopt);
  EXPECT_EQ(meminfo_bytes("MemAvailable: much", "MemAvailable"), std::nullopt);
}

TEST(Machine, KernelVersionsAreComparedAsNumbers) {
  EXPECT_TRUE(kernel_at_least("6.1.0-18-amd64", {6, 1}));
  EXPECT_TRUE(kernel_at_least("6.10.3", {6, 9}));
  EXPECT_TRUE(kernel_at_least("10.0", {6, 1}));
  EXPECT_FALSE(kernel_at_least("5.15.0", {6, 1}));
  EXPECT_FALSE(kernel_at_least("6", {6, 1}));
  EXPECT_FALSE(kernel_at_least("", {6, 1}));
}

// Control of the whole: this process runs, so it may open files and has memory.
TEST(Machine, OursHasFilesAndMemory) {
  const Machine machine = look_at_machine();
  EXPECT_GT(machine.open_files_max, 8U);
  EXPECT_FALSE(machine.kernel.empty());
  ASSERT_TRUE(machine.memory_available);
  EXPECT_GT(*machine.memory_available, 1U << 20);
}

}  // namespace
}  // namespace sf::host
