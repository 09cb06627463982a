#include "base/host/fork_point.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/check.h"
#include "base/host/pipe_message.h"

namespace sf::host {
namespace {

ForkPoint::Answer no_child(const char* call) {
  return {true, fmt::format("not started: {}: {}", call, std::strerror(errno))};
}

}  // namespace

std::optional<ForkPoint::Answer> ForkPoint::branch() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return no_child("pipe");
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const Answer answer = no_child("fork");
    ::close(ends[0]);
    ::close(ends[1]);
    return answer;
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);   // it died before we asked
    // A parent that went away is noticed by the signal above, not by the pipe.
    std::signal(SIGPIPE, SIG_IGN);
    ::close(ends[0]);
    if (answers_ >= 0) ::close(answers_);       // our parent's pipe is none of ours
    answers_ = ends[1];
    return std::nullopt;
  }
  ::close(ends[1]);
  auto text = receive_message(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (text) return Answer{false, *std::move(text)};
  return Answer{true, describe_death(status)};
}

void ForkPoint::answer(const std::string& text) {
  SF_CHECK(is_child());
  std::_Exit(send_message(answers_, text) ? 0 : 1);
}

}  // namespace sf::host
