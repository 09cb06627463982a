#include "base/host/worker_pool.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/check.h"
#include "base/host/pipe_message.h"

namespace sf::host {
namespace {

tl::unexpected<Error> system_error(const char* what) {
  return cannot_run("", fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<WorkerPool> WorkerPool::start(unsigned workers, Work work) {
  SF_CHECK(workers > 0);
  // A worker that dies must not take us with it when we write its next task.
  std::signal(SIGPIPE, SIG_IGN);
  WorkerPool pool(std::move(work));
  pool.workers_.resize(workers);
  for (Worker& worker : pool.workers_) SF_TRY_VOID(pool.spawn(worker));
  return pool;
}

WorkerPool::WorkerPool(WorkerPool&& other) noexcept
    : work_(std::move(other.work_)), workers_(std::move(other.workers_)) {
  other.workers_.clear();
}

WorkerPool::~WorkerPool() {
  for (Worker& worker : workers_) stop(worker);
}

void WorkerPool::stop(Worker& worker) {
  if (worker.pid > 0) {
    ::kill(worker.pid, SIGKILL);
    while (::waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (worker.to >= 0) ::close(worker.to);
  if (worker.from >= 0) ::close(worker.from);
  worker = Worker{};
}

Result<void> WorkerPool::spawn(Worker& worker) {
  int tasks[2];
  int answers[2];
  if (::pipe2(tasks, O_CLOEXEC) != 0) return system_error("pipe");
  if (::pipe2(answers, O_CLOEXEC) != 0) return system_error("pipe");
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return system_error("fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);   // it died before we asked
    std::signal(SIGINT, SIG_IGN);
    ::close(tasks[1]);
    ::close(answers[0]);
    for (const Worker& other : workers_) {      // the siblings' pipes are none of ours
      if (other.to >= 0) ::close(other.to);
      if (other.from >= 0) ::close(other.from);
    }
    serve(tasks[0], answers[1]);
  }
  ::close(tasks[0]);
  ::close(answers[1]);
  worker.pid = pid;
  worker.to = tasks[1];
  worker.from = answers[0];
  return {};
}

void WorkerPool::serve(int tasks, int answers) {
  while (const auto task = receive_message(tasks)) {
    if (!send_message(answers, work_(*task))) break;
  }
  std::_Exit(0);
}

bool WorkerPool::has_idle() const {
  for (const Worker& worker : workers_) {
    if (!worker.task) return true;
  }
  return false;
}

bool WorkerPool::any_busy() const {
  for (const Worker& worker : workers_) {
    if (worker.task) return true;
  }
  return false;
}

Result<void> WorkerPool::submit(std::string task) {
  for (Worker& worker : workers_) {
    if (worker.task) continue;
    if (!send_message(worker.to, task)) {
      // It died while idle; a fresh one gets the task.
      stop(worker);
      SF_TRY_VOID(spawn(worker));
      if (!send_message(worker.to, task)) return system_error("write to a worker");
    }
    worker.task = std::move(task);
    return {};
  }
  SF_CHECK_MSG(false, "submit without an idle worker");
}

Result<std::optional<WorkerPool::Reply>> WorkerPool::wait(int timeout_milliseconds) {
  std::vector<pollfd> polled;
  std::vector<Worker*> owners;
  for (Worker& worker : workers_) {
    if (!worker.task) continue;
    polled.push_back(pollfd{worker.from, POLLIN, 0});
    owners.push_back(&worker);
  }
  const int ready = ::poll(polled.data(), polled.size(), timeout_milliseconds);
  if (ready < 0 && errno != EINTR) return system_error("poll");
  if (ready <= 0) return std::nullopt;
  for (std::size_t i = 0; i < polled.size(); ++i) {
    if (polled[i].revents != 0) return receive(*owners[i]);
  }
  return std::nullopt;
}

// A worker writes an answer in one go, so reading it whole does not wait for long.
Result<std::optional<WorkerPool::Reply>> WorkerPool::receive(Worker& worker) {
  Reply reply;
  reply.task = *worker.task;
  if (auto text = receive_message(worker.from)) {
    reply.text = *std::move(text);
    worker.task.reset();
    return reply;
  }
  int status = 0;
  while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
  }
  worker.pid = -1;
  reply.died = true;
  reply.text = describe_death(status);
  stop(worker);
  SF_TRY_VOID(spawn(worker));
  return reply;
}

}  // namespace sf::host
