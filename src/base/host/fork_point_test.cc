// Children that answer, die, and have children; and what becomes of them when their parent dies.
#include "base/host/fork_point.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sf::host {
namespace {

TEST(ForkPoint, TheChildGoesOnWithItsParentsStateAndAnswers) {
  ForkPoint forks;
  std::string state = "before";
  const auto answer = forks.branch();
  if (!answer) {
    state += ", then the child";
    forks.answer(state + (forks.is_child() ? "" : "?"));
  }
  EXPECT_FALSE(answer->died);
  EXPECT_EQ(answer->text, "before, then the child");
  EXPECT_EQ(state, "before");
  EXPECT_FALSE(forks.is_child());
}

// More than a pipe holds, with zero bytes.
TEST(ForkPoint, AnAnswerMayBeLong) {
  ForkPoint forks;
  const std::string text = std::string(3'000'000, 'x') + '\0' + "end";
  const auto answer = forks.branch();
  if (!answer) forks.answer(text);
  EXPECT_EQ(answer->text, text);
}

TEST(ForkPoint, AChildThatDiesIsReportedWithHowItDied) {
  ForkPoint forks;
  const auto aborted = forks.branch();
  if (!aborted) {
    std::raise(SIGKILL);
    std::_Exit(9);
  }
  EXPECT_TRUE(aborted->died);
  EXPECT_EQ(aborted->text, "killed by signal 9 (Killed)");
  const auto ended = forks.branch();
  if (!ended) std::_Exit(7);
  EXPECT_TRUE(ended->died);
  EXPECT_EQ(ended->text, "ended with exit code 7");
}

TEST(ForkPoint, AChildMayHaveChildren) {
  ForkPoint forks;
  const auto answer = forks.branch();
  if (!answer) {
    const auto inner = forks.branch();
    if (!inner) forks.answer("grandchild");
    forks.answer(inner->text + ", child");
  }
  EXPECT_EQ(answer->text, "grandchild, child");
}

// A child that would run for ever must go when the process that waits for it is killed. The test is
// the subreaper, so it can wait for the orphan.
TEST(ForkPoint, AChildDoesNotOutliveItsParent) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  int told[2];
  ASSERT_EQ(::pipe(told), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    ForkPoint forks;
    if (!forks.branch()) {
      const pid_t self = ::getpid();
      if (::write(told[1], &self, sizeof self) != sizeof self) std::_Exit(1);
      for (;;) ::pause();
    }
    std::_Exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(told[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ::kill(parent, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(parent, &status, 0), parent);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  ::close(told[0]);
  ::close(told[1]);
}

}  // namespace
}  // namespace sf::host
