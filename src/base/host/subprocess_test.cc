#include "base/host/subprocess.h"

#include <gtest/gtest.h>

namespace sf::host {
namespace {

Completed shell(const std::string& script) {
  return run_command({.arguments = {"sh", "-c", script}}).value();
}

TEST(Subprocess, OutputAndExitCodeAreTaken) {
  const Completed done = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(done.output, "out\nerr\n");
  EXPECT_EQ(done.exit_code, 3);
}

TEST(Subprocess, SignalsBecome128Plus) { EXPECT_EQ(shell("kill -TERM $$").exit_code, 128 + 15); }

TEST(Subprocess, DirectoryAndEnvironmentAreSet) {
  const auto done = run_command({.arguments = {"sh", "-c", "pwd; echo $A $HOME"},
                                 .directory = "/",
                                 .environment = {{"A", "x=y"}, {"HOME", "/nowhere"}}});
  EXPECT_EQ(done.value().output, "/\nx=y /nowhere\n");
}

TEST(Subprocess, StandardInputIsEmpty) { EXPECT_EQ(shell("cat; echo end").output, "end\n"); }

TEST(Subprocess, OutputBeyondTheLimitIsDroppedNotBlocked) {
  const auto done = run_command({.arguments = {"sh", "-c", "head -c 1000000 /dev/zero; exit 4"},
                                 .output_limit_bytes = 10});
  EXPECT_EQ(done.value().output.size(), 10U);
  EXPECT_EQ(done.value().exit_code, 4);
}

TEST(Subprocess, AGrandchildThatKeepsTheOutputOpenDoesNotHoldUsUp) {
  const Stopwatch watch;
  EXPECT_EQ(shell("sleep 20 & echo started").output, "started\n");
  EXPECT_LT(watch.seconds(), 10.0);
}

TEST(Subprocess, WhatCannotStartIsAnError) {
  const auto none = run_command({.arguments = {"no-such-program-here"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().text(), "no-such-program-here: cannot start: No such file or directory");
  EXPECT_FALSE(run_command({.arguments = {"sh"}, .directory = "/no/such/folder"}));
}

TEST(Host, ProcessorsAndClocks) {
  EXPECT_GE(processor_count(), 1U);
  EXPECT_GE(Stopwatch::process_cpu_seconds(), 0.0);
}

}  // namespace
}  // namespace sf::host
