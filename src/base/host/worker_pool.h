// Forked workers: each answers tasks, one at a time, over pipes.
//
// A worker is a copy of this process at the moment of the fork, so it has everything that was
// prepared. It dies with its parent (PR_SET_PDEATHSIG) and ignores the keyboard's interrupt: the
// parent decides. A worker that dies in a task is reported with that task and replaced.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace sf::host {

class WorkerPool {
 public:
  using Work = std::function<std::string(const std::string& task)>;
  struct Reply {
    std::string task;
    bool died = false;
    std::string text;      // the answer; when it died: "killed by signal 6 (Aborted)"
  };

  // Forks at once. The process must be single-threaded.
  static Result<WorkerPool> start(unsigned workers, Work work);
  ~WorkerPool();                         // kills what still runs and waits for it
  WorkerPool(WorkerPool&& other) noexcept;
  WorkerPool& operator=(WorkerPool&&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()); }
  // True when a worker has nothing to do.
  bool has_idle() const;
  bool any_busy() const;
  // Requires has_idle().
  Result<void> submit(std::string task);
  // The next reply; nothing when none came within the timeout (or a signal arrived).
  Result<std::optional<Reply>> wait(int timeout_milliseconds);

 private:
  struct Worker {
    pid_t pid = -1;
    int to = -1;                         // write end of its task pipe
    int from = -1;                       // read end of its answer pipe
    std::optional<std::string> task;     // in progress
  };
  explicit WorkerPool(Work work) : work_(std::move(work)) {}
  Result<void> spawn(Worker& worker);
  [[noreturn]] void serve(int tasks, int answers);
  Result<std::optional<Reply>> receive(Worker& worker);
  static void stop(Worker& worker);

  Work work_;
  std::vector<Worker> workers_;
};

}  // namespace sf::host
