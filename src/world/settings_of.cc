#include "world/settings_of.h"

#include "world/config_defaults.h"

namespace sf::world {

kernel::Spread spread_of(const Latency& latency) {
  kernel::Spread spread;
  switch (latency.kind) {
    case LatencyKind::kFixed:
    case LatencyKind::kUniform:
      spread.low = latency.a;
      spread.high = latency.b;
      return spread;
    case LatencyKind::kExponential:
      spread.kind = kernel::Spread::Kind::kExponential;
      break;
    case LatencyKind::kLogNormal:
      spread.kind = kernel::Spread::Kind::kLogNormal;
      break;
  }
  spread.scale = latency.a;
  spread.high = latency.b;
  spread.sigma_percent = latency.sigma_percent;
  return spread;
}

kernel::Settings settings_of(const WorldConfig& config) {
  kernel::Settings settings;
  settings.cpu.ns_per_1000_ticks = config.cpu.ns_per_1000_ticks;
  settings.cpu.host_call = config.cpu.host_call;
  settings.cpu.clock_read = config.cpu.clock_read;
  settings.cpu.slice = config.cpu.slice;
  settings.cpu.preempt.policy = static_cast<kernel::PreemptPolicy>(config.cpu.preempt);
  settings.cpu.preempt.per_million_ticks = config.cpu.preempt_rate;
  settings.network.latency = spread_of(config.network.latency);
  // A link always takes some time: the look-ahead of the room rests on it.
  constexpr Duration kLeastLatency = microseconds(10);
  if (settings.network.latency.low < kLeastLatency) settings.network.latency.low = kLeastLatency;
  if (settings.network.latency.high < kLeastLatency) settings.network.latency.high = kLeastLatency;
  settings.limits.steps = config.limits.steps;
  settings.limits.output_bytes = config.limits.output_bytes;
  settings.limits.events_per_instant = config.limits.events_per_instant;
  settings.limits.open_files = static_cast<std::uint32_t>(config.limits.open_files);
  settings.limits.spin = config.limits.spin;
  settings.horizon_ok = config.horizon_ok;
  settings.horizon = SimTime::zero() + config.horizon;
  return settings;
}

fault::FaultRates rates_of(const FaultConfig& faults) {
  fault::FaultRates rates;
  rates.power.mean_gap = faults.crash.mean_gap;
  rates.kill.mean_gap = faults.kill.mean_gap;
  rates.partition.mean_gap = faults.partition.mean_gap;
  rates.power_on_io = faults.crash_on_io;
  rates.torn_writes = faults.torn_writes;
  rates.power_all.mean_gap = faults.power_all.mean_gap;
  rates.crash_in_recovery = faults.crash_in_recovery;
  rates.sync_error = faults.fsync_eio;
  rates.write_error = faults.write_eio;
  rates.read_error = faults.read_eio;
  rates.short_write = faults.short_writes;
  rates.disk_full.mean_gap = faults.enospc.mean_gap;
  rates.no_descriptors.mean_gap = faults.emfile.mean_gap;
  rates.evict.mean_gap = faults.evict.mean_gap;
  rates.disk_stall.mean_gap = faults.disk_stall.mean_gap;
  rates.bit_rot.mean_gap = faults.bit_rot.mean_gap;
  rates.restart_after = faults.restart_after;
  rates.from = faults.from;
  rates.until = faults.until;
  return rates;
}

kernel::disk::VolumeOptions volume_options_of(const DiskConfig& disk) {
  kernel::disk::VolumeOptions options;
  switch (disk.profile) {
    case DiskProfile::kControl: options.profile = kernel::disk::Profile::kControl; break;
    case DiskProfile::kScc: options.profile = kernel::disk::Profile::kScc; break;
    case DiskProfile::kInOrder: options.profile = kernel::disk::Profile::kInOrder; break;
    case DiskProfile::kStrictPosix:
      options.profile = kernel::disk::Profile::kStrictPosix;
      break;
  }
  switch (disk.tear) {
    case TearUnit::kByte: options.tear = kernel::disk::TearUnit::kByte; break;
    case TearUnit::kSector: options.tear = kernel::disk::TearUnit::kSector; break;
    case TearUnit::kPage: options.tear = kernel::disk::TearUnit::kPage; break;
  }
  options.prefix_scope = disk.prefix_scope == PrefixScope::kFile
                             ? kernel::disk::PrefixScope::kFile
                             : kernel::disk::PrefixScope::kNode;
  options.dirents = disk.dirents == Dirents::kStrict ? kernel::disk::Dirents::kStrict
                                                     : kernel::disk::Dirents::kImplied;
  options.sector_bytes = disk.sector_bytes;
  options.capacity_bytes = disk.capacity_bytes;
  return options;
}

kernel::NodeSpec node_spec_of(const NodeConfig& node, kernel::NodeRole role,
                              const FaultConfig& faults) {
  kernel::NodeSpec spec;
  spec.name = node.name;
  spec.role = role;
  spec.supervision = node.supervise ? kernel::Supervision::kRestart : kernel::Supervision::kNone;
  spec.restart_delay = faults.restart_after;
  spec.clock_offset = node.clock_offset;
  spec.drift_ppm = node.drift_ppm;
  spec.disk = volume_options_of(node.disk);
  spec.sync_time = spread_of(node.disk.fsync);
  spec.op_time = spread_of(node.disk.op);
  spec.writeback = node.disk.writeback;
  return spec;
}

}  // namespace sf::world
