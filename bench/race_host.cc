// How many seeds it takes to find a race: campaigns of fresh seeds, each until its first finding.
#include <algorithm>
#include <vector>

#include "support.h"
#include "world/run.h"

namespace sf::bench {
namespace {

// Seeds up to the first finding, or limit + 1.
Result<std::uint64_t> campaign(const world::World& world, std::uint64_t first,
                               std::uint64_t limit) {
  for (std::uint64_t count = 1; count <= limit; ++count) {
    SF_TRY(const world::RunResult result,
           world::run(world, world::RunSpec{.seed = first + count - 1}));
    if (result.verdict == world::Verdict::kFinding) return count;
  }
  return limit + 1;
}

Result<void> body(const std::vector<std::string>& arguments) {
  if (arguments.size() != 5) return usage_error("", "wrong arguments");
  const std::string& guests = arguments[0];
  const std::string& guest = arguments[1];
  const std::string& policy = arguments[2];
  const std::uint64_t campaigns = std::stoull(arguments[3]);
  const std::uint64_t limit = std::stoull(arguments[4]);
  SF_TRY(const auto world,
         world_of(fmt::format(R"({{
             "nodes": [{{"name": "idle", "pkg": "{0}/ill", "args": ["idle"]}}],
             "workload": {{"name": "w", "pkg": "{0}/{1}"}}, "cpu": {{"preempt": "{2}"}}}})",
                              guests, guest, policy)));
  std::vector<std::uint64_t> seeds;
  const double before = cpu_milliseconds();
  for (std::uint64_t i = 0; i < campaigns; ++i) {
    SF_TRY(const std::uint64_t count, campaign(*world, 1 + i * limit, limit));
    seeds.push_back(count);
  }
  std::uint64_t total = 0;
  std::uint64_t found = 0;
  for (const std::uint64_t count : seeds) {
    total += std::min(count, limit);
    found += count <= limit ? 1 : 0;
  }
  std::sort(seeds.begin(), seeds.end());
  print("found", found);
  print("median", seeds[seeds.size() / 2]);
  print("seeds", total);
  print("ms", cpu_milliseconds() - before);
  return {};
}

}  // namespace
}  // namespace sf::bench

int main(int argc, char** argv) {
  return sf::bench::main_of(argc, argv, "GUESTS_FOLDER GUEST POLICY CAMPAIGNS SEEDS_AT_MOST",
                            sf::bench::body);
}
