#include "support.h"

#include <cstdio>
#include <ctime>
#include <unistd.h>

#include "base/host/file.h"
#include "engine/compile.h"

namespace sf::bench {
namespace {

double milliseconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

double cpu_milliseconds() { return milliseconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double wall_milliseconds() { return milliseconds_of(CLOCK_MONOTONIC); }

double resident_megabytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  unsigned long all = 0;
  unsigned long resident = 0;
  const int fields = std::fscanf(file, "%lu %lu", &all, &resident);
  std::fclose(file);
  if (fields != 2) return 0;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

double huge_megabytes() {
  std::FILE* file = std::fopen("/proc/self/smaps_rollup", "r");
  if (file == nullptr) return 0;
  char line[256];
  unsigned long kilobytes = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "AnonHugePages: %lu kB", &kilobytes) == 1) break;
  }
  std::fclose(file);
  return static_cast<double>(kilobytes) / 1024;
}

int main_of(int argc, char** argv, std::string_view usage,
            Result<void> (*body)(const std::vector<std::string>& arguments)) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "internal-compile") {
    arguments.erase(arguments.begin());
    return engine::internal_compile(arguments);
  }
  if (arguments.empty()) {
    fmt::print(stderr, "usage: {} {}\n", argv[0], usage);
    return 2;
  }
  const auto done = body(arguments);
  if (done) return 0;
  fmt::print(stderr, "{}: {}\n", argv[0], done.error().text());
  return static_cast<int>(done.error().code);
}

Result<std::unique_ptr<world::World>> world_of(const std::string& config,
                                               const engine::EngineOptions& engine) {
  SF_TRY(const std::string folder, host::make_temporary_directory("seedfall-bench-"));
  const std::string path = folder + "/bench.json";
  SF_TRY_VOID(host::write_file(path, config));
  auto decoded = world::load_config(path);
  if (!decoded) return tl::make_unexpected(std::move(decoded).error());
  auto world = world::World::prepare(*std::move(decoded), world::PrepareOptions{.engine = engine});
  SF_TRY_VOID(host::remove_tree(folder));
  // A program without the preemption that is asked for would be measured as if it had it.
  if (world && !(*world)->warnings().empty()) return cannot_run("", (*world)->warnings().front());
  return world;
}

}  // namespace sf::bench
