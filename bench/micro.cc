// Costs of single parts of the kernel, by Google Benchmark.
#include <benchmark/benchmark.h>

#include "kernel/event_queue.h"
#include "kernel/journal.h"
#include "trace/sinks.h"

namespace sf::bench {
namespace {

class NoProperties final : public kernel::PropertySink {
 public:
  void hit(const kernel::PropertyHit&) override {}
};

// One event is taken and another one put in, with so many waiting.
void event_queue(benchmark::State& state) {
  const kernel::Choices choices(1);
  kernel::EventQueue queue(choices);
  const auto schedule = [&queue](std::int64_t after) {
    queue.schedule(kernel::EventSpec{.time = SimTime::zero() + nanoseconds(after),
                                     .entity = kernel::Entity::of(1),
                                     .node = kernel::NodeId{0},
                                     .action = [] {}});
  };
  std::int64_t time = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) schedule(time += 10);
  for (auto _ : state) {
    benchmark::DoNotOptimize(queue.pop());
    schedule(time += 10);
  }
}
BENCHMARK(event_queue)->Arg(8)->Arg(256);

// One record goes in and out, with its hash.
void journal_record(benchmark::State& state) {
  trace::HashSink trace;
  NoProperties properties;
  kernel::Journal journal(3, trace, properties);
  std::int64_t time = 0;
  for (auto _ : state) {
    kernel::Record record;
    record.time = SimTime::zero() + nanoseconds(time += 10);
    record.node = kernel::NodeId{1};
    journal.add(std::move(record));
    journal.release(SimTime::zero() + nanoseconds(time), kernel::Journal::Edge::kThrough);
  }
  benchmark::DoNotOptimize(trace.hash());
}
BENCHMARK(journal_record);

}  // namespace
}  // namespace sf::bench

BENCHMARK_MAIN();
