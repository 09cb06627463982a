// CPU time of one guest program that computes, as the workload of a world with one idle node.
//
// With the tick it takes the path of every run: World::prepare, world::run. Without, the same room
// is put together by hand around code that was compiled without the tick; such a program is never
// interrupted, so this is the cost of the tick and of the slices, not a way to run anything.
// Without preemption: who loses the processor with a mutex in hand makes a queue at Go's lock,
// which no other host does.
#include <utility>

#include "abi/call_table.h"
#include "engine/compile.h"
#include "fault/listed.h"
#include "support.h"
#include "trace/sinks.h"
#include "world/run.h"

namespace sf::bench {
namespace {

std::string config_of(const std::string& wasm, const std::string& test) {
  return fmt::format(R"({{
    "nodes": [{{"name": "idle", "wasm": "{0}", "args": ["wait"], "memory": "1GiB"}}],
    "workload": {{"name": "bench", "wasm": "{0}", "args": ["{1}"], "memory": "1GiB"}},
    "horizon": "24h", "limits": {{"spin": "1h"}}, "cpu": {{"preempt": "off"}}
  }})", wasm, test);
}

class NoProperties final : public kernel::PropertySink {
 public:
  void hit(const kernel::PropertyHit&) override {}
};

Result<void> check_clean(const std::vector<kernel::Finding>& findings) {
  if (findings.empty()) return {};
  std::string text = findings[0].message;
  for (const std::string& line : findings[0].detail) text += "\n  " + line;
  return cannot_run("", text);
}

void report(double milliseconds, const kernel::Evidence& evidence) {
  print("ms", milliseconds);
  print("ticks", evidence.ticks);
  print("host_calls", evidence.host_calls);
}

Result<void> run_with_tick(const world::World& world) {
  const double before = cpu_milliseconds();
  SF_TRY(const world::RunResult result, world::run(world, world::RunSpec{.seed = 1}));
  const double after = cpu_milliseconds();
  SF_TRY_VOID(check_clean(result.findings));
  report(after - before, result.evidence);
  return {};
}

Result<void> run_without_tick(const world::World& world, const std::string& wasm,
                              const std::string& test) {
  SF_TRY(const auto engine, engine::Engine::create({}));
  SF_TRY(const engine::Compiled code, engine::compile_program(wasm, {.tick = false}));
  SF_TRY(const auto program,
         engine::Program::load(*engine, code.code_path, abi::host_functions()));
  abi::WasmGuestFactory factory(
      *program, abi::GuestSpec{.arguments = {"bench", test}, .memory_bytes_max = 1ULL << 30});
  const double before = cpu_milliseconds();
  auto plans = world.plan_nodes();
  plans.back().factory = &factory;
  fault::ListedFaults no_faults({});
  trace::HashSink trace;
  NoProperties properties;
  kernel::Room room(world.settings(), 1, std::move(plans),
                    kernel::RoomParts{no_faults, trace, properties});
  SF_TRY_VOID(room.boot_all());
  while (room.advance(SimTime::never())) {
  }
  const double after = cpu_milliseconds();
  SF_TRY_VOID(check_clean(room.findings()));
  report(after - before, room.evidence());
  return {};
}

Result<void> body(const std::vector<std::string>& arguments) {
  const bool tick = arguments[0] != "--no-tick";
  if (arguments.size() != (tick ? 2U : 3U)) return usage_error("", "wrong arguments");
  const std::string& wasm = arguments[tick ? 0 : 1];
  const std::string& test = arguments.back();
  SF_TRY(const auto world, world_of(config_of(wasm, test)));
  return tick ? run_with_tick(*world) : run_without_tick(*world, wasm, test);
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::main_of(argc, argv, "[--no-tick] PROGRAM.wasm TEST", sf::bench::body);
}
