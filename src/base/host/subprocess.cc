#include "base/host/subprocess.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

extern char** environ;

namespace sf::host {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  void close_write() { close_one(write_end); }
  ~Pipe() {
    close_one(read_end);
    close_one(write_end);
  }
  static void close_one(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

// Our environment with the command's settings replaced or added, as "NAME=value" strings.
std::vector<std::string> merged_environment(const Command& command) {
  std::vector<std::string> merged;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    const std::string_view name = line.substr(0, line.find('='));
    bool replaced = false;
    for (const auto& [key, value] : command.environment) replaced = replaced || key == name;
    if (!replaced) merged.emplace_back(line);
  }
  for (const auto& [key, value] : command.environment) merged.push_back(key + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

// What the child needs, made before fork: after it, only async-signal-safe calls are allowed.
struct Launch {
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* directory = nullptr;
  pid_t parent = 0;
  int output = -1;
  int failure = -1;  // closed by exec; else receives the errno
};

[[noreturn]] void run_child(const Launch& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != launch.parent) ::_exit(127);  // the parent died before the line above
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  const int null = ::open("/dev/null", O_RDONLY);
  bool ready = null >= 0 && ::dup2(null, 0) >= 0 && ::dup2(launch.output, 1) >= 0 &&
               ::dup2(launch.output, 2) >= 0;
  if (ready && launch.directory != nullptr) ready = ::chdir(launch.directory) == 0;
  if (ready) ::execvpe(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t sent = ::write(launch.failure, &error, sizeof error);
  ::_exit(127);
}

// The errno of a failed start, or 0 once the program runs.
int start_error(int fd) {
  int error = 0;
  ssize_t n = 0;
  do n = ::read(fd, &error, sizeof error);
  while (n < 0 && errno == EINTR);
  return n == static_cast<ssize_t>(sizeof error) ? error : 0;
}

// One read; false at the end of the output.
bool take_output(int fd, std::uint64_t limit, std::string& output) {
  char buffer[1 << 14];
  const ssize_t n = ::read(fd, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR;
  const auto room = static_cast<std::size_t>(limit - std::min<std::uint64_t>(limit, output.size()));
  output.append(buffer, std::min(room, static_cast<std::size_t>(n)));
  return n > 0;
}

// Reads until the output ends and the child is gone. A grandchild may hold the output open for
// longer than the child lives; then what is there by the child's end is all that is taken.
int collect(pid_t child, int fd, std::uint64_t limit, std::string& output) {
  constexpr int kCheckMilliseconds = 50;
  int status = 0;
  bool gone = false;
  while (true) {
    pollfd wait{fd, POLLIN, 0};
    const int ready = ::poll(&wait, 1, gone ? 0 : kCheckMilliseconds);
    if (ready > 0) {
      if (!take_output(fd, limit, output)) break;
    } else if (gone) {
      break;
    } else {
      gone = ::waitpid(child, &status, WNOHANG) == child;
    }
  }
  while (!gone) gone = ::waitpid(child, &status, 0) == child || errno != EINTR;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Processors granted by the container (cgroup v2), rounded up; 0 when there is no limit.
unsigned container_processors() {
  std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re");
  if (file == nullptr) return 0;
  long long quota = 0;
  long long period = 0;
  const int fields = std::fscanf(file, "%lld %lld", &quota, &period);  // "max 100000": no fields
  std::fclose(file);
  if (fields != 2 || quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>((quota + period - 1) / period);
}

}  // namespace

Result<Completed> run_command(const Command& command) {
  SF_CHECK(!command.arguments.empty());
  const std::string& name = command.arguments.front();
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> environment = merged_environment(command);
  Pipe output;
  Pipe failure;
  if (!output.open() || !failure.open()) {
    return cannot_run(name,
                      fmt::format("cannot start: {}", std::generic_category().message(errno)));
  }
  const Launch launch{.arguments = pointers(arguments),
                      .environment = pointers(environment),
                      .directory = command.directory.empty() ? nullptr : command.directory.c_str(),
                      .parent = ::getpid(),
                      .output = output.write_end,
                      .failure = failure.write_end};
  const pid_t child = ::fork();
  if (child == 0) run_child(launch);
  if (child < 0) {
    return cannot_run(name,
                      fmt::format("cannot start: {}", std::generic_category().message(errno)));
  }
  output.close_write();
  failure.close_write();
  const int error = start_error(failure.read_end);
  Completed completed;
  completed.exit_code =
      collect(child, output.read_end, command.output_limit_bytes, completed.output);
  if (error == 0) return completed;
  return cannot_run(name, fmt::format("cannot start: {}", std::generic_category().message(error)));
}

Stopwatch::Stopwatch() : start_ns_(monotonic_ns()) {}

double Stopwatch::seconds() const {
  return static_cast<double>(monotonic_ns() - start_ns_) * 1e-9;
}

double Stopwatch::process_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto in_seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return in_seconds(usage.ru_utime) + in_seconds(usage.ru_stime);
}

unsigned processor_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  const auto container = static_cast<int>(container_processors());
  if (container > 0) count = std::min(count, container);
  return static_cast<unsigned>(std::max(count, 1));
}

}  // namespace sf::host
