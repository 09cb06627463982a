#include "front/cli/fault_words.h"

#include <fmt/format.h>

namespace sf::front {
namespace {

std::string per_second(const world::Rate& rate) {
  return fmt::format("{:.3g}/s", 1e9 / static_cast<double>(rate.mean_gap->ns()));
}

// Odds are kept as 64-bit thresholds; people want per cent.
std::string percent(Odds odds) {
  if (odds == Odds::always()) return "100 %";
  std::uint64_t low = 0;      // largest numerator / 10^6 that the odds reach
  for (std::uint64_t step = 1 << 19; step > 0; step /= 2) {
    if (low + step <= 1'000'000 && !Odds::ratio(low + step, 1'000'000).above(odds)) low += step;
  }
  return fmt::format("{:.3g} %", static_cast<double>(low) / 1e4);
}

class Words {
 public:
  void rate(const world::Rate& rate, const char* what, FaultWords words) {
    if (rate.mean_gap) add(fmt::format("{} {}", what, per_second(rate)), std::move(words));
  }
  void odds(Odds odds, const char* what, FaultWords words) {
    if (!odds.is_never()) add(fmt::format("{} {}", what, percent(odds)), std::move(words));
  }
  std::vector<FaultWords> all;

 private:
  void add(std::string how_often, FaultWords words) {
    words.how_often = std::move(how_often);
    all.push_back(std::move(words));
  }
};

}  // namespace

std::vector<FaultWords> faults_in_words(const world::FaultConfig& faults) {
  Words words;
  words.rate(faults.crash, "crash (power)", {"", "crash", "a crash (power)", "crashes (power)"});
  words.odds(faults.crash_on_io, faults.crash.mean_gap ? "on I/O" : "crash (power) on I/O",
             {"", "crash", "a crash (power)", "crashes (power)"});
  words.rate(faults.power_all, "power of the whole cluster",
             {"", "power_all", "a power loss of the whole cluster", "losses of all power"});
  words.odds(faults.crash_in_recovery, "crash in recovery",
             {"", "crash_in_recovery", "a crash in recovery", "crashes in recovery"});
  words.rate(faults.kill, "kill", {"", "kill", "a kill", "kills"});
  words.rate(faults.partition, "partition", {"", "partition", "a partition", "partitions"});
  words.odds(faults.torn_writes, "torn writes", {"", "torn_tail", "a torn write", "torn tails"});
  words.odds(faults.fsync_eio, "fsync error",
             {"", "fsync_error", "an fsync error", "fsync errors"});
  words.odds(faults.write_eio, "write error", {"", "write_error", "a write error", "write errors"});
  words.odds(faults.read_eio, "read error", {"", "read_error", "a read error", "read errors"});
  words.odds(faults.short_writes, "short write",
             {"", "short_write", "a short write", "short writes"});
  words.rate(faults.enospc, "full disk", {"", "full_disk", "a full disk", "full disks"});
  words.rate(faults.emfile, "no descriptors",
             {"", "no_descriptors", "a lack of descriptors", "times without descriptors"});
  words.rate(faults.disk_stall, "disk stall", {"", "disk_stall", "a disk stall", "disk stalls"});
  words.rate(faults.evict, "eviction", {"", "eviction", "an eviction", "evictions"});
  words.rate(faults.bit_rot, "bit rot", {"", "rotten_sector", "a flipped bit", "rotten sectors"});
  return words.all;
}

}  // namespace sf::front
