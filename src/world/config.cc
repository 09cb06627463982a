// Decoding has two passes. The first (config_check.cc) walks the text in file order against the
// table of keys and reports the first error; after it every value is known to convert, so the
// second, here, reads like the list of fields that it is and fills in defaults. What concerns
// several values at once (equal names, the order of two times) is checked here.
#include "world/config.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/check.h"
#include "base/host/file.h"
#include "base/strings.h"
#include "world/config_check.h"
#include "world/config_defaults.h"
#include "world/config_sources.h"
#include "world/config_values.h"
#include "world/exec_config.h"

namespace sf::world {
namespace {

constexpr std::size_t kConfigBytesMax = 1 << 20;
constexpr std::size_t kProcessesMax = 250;  // nodes and workloads: one small network's worth

template <class T>
using Convert = Result<T> (*)(const Json&, const Key&);

// One object of the config; may be absent. Values were checked, so a failed conversion is our bug.
class Fields {
 public:
  Fields(const Json* object, Scope scope) : object_(object), scope_(scope) {}

  template <class T>
  std::optional<T> get(std::string_view name, Convert<T> convert) const {
    const Key* key = find_key(scope_, name);
    SF_CHECK(key != nullptr && key->built());
    const Json* value = find(name);
    if (value == nullptr) return std::nullopt;
    Result<T> converted = convert(*value, *key);
    SF_CHECK(converted.has_value());
    return *std::move(converted);
  }
  template <class T>
  T get(std::string_view name, Convert<T> convert, T otherwise) const {
    return get(name, convert).value_or(std::move(otherwise));
  }
  const Json* find(std::string_view name) const {
    return object_ == nullptr ? nullptr : object_->find(name);
  }
  Fields inner(std::string_view name, Scope scope) const { return {find(name), scope}; }

 private:
  const Json* object_;
  Scope scope_;
};

std::uint64_t to_unsigned(std::int64_t value) { return static_cast<std::uint64_t>(value); }

// A node's own keys win over the world's.
class DiskFields {
 public:
  DiskFields(const Fields& node, const Fields& world) : node_(node), world_(world) {}
  template <class T>
  std::optional<T> get(std::string_view name, Convert<T> convert) const {
    const auto own = node_.get(name, convert);
    return own ? own : world_.get(name, convert);
  }

 private:
  const Fields& node_;
  const Fields& world_;
};

DiskConfig decode_disk(const Fields& node_disk, const Fields& world_disk) {
  const DiskFields fields(node_disk, world_disk);
  DiskConfig disk;
  if (const auto profile = fields.get("profile", choice_value)) {
    disk.profile = static_cast<DiskProfile>(*profile);
  }
  if (fields.get("strict_posix", bool_value).value_or(false)) {
    disk.profile = DiskProfile::kStrictPosix;
  }
  if (const auto scope = fields.get("prefix_scope", choice_value)) {
    disk.prefix_scope = static_cast<PrefixScope>(*scope);
  }
  if (const auto dirents = fields.get("dirents", choice_value)) {
    disk.dirents = static_cast<Dirents>(*dirents);
  }
  disk.sector_bytes = static_cast<std::uint32_t>(
      fields.get("sector", integer_value).value_or(defaults::kSectorBytes));
  const auto tear = fields.get("tear", choice_value);
  disk.tear = tear ? static_cast<TearUnit>(*tear) : defaults::tear_of(disk);
  disk.fsync = fields.get("fsync", latency_value).value_or(defaults::kFsync);
  disk.op = fields.get("op", latency_value).value_or(defaults::kDiskOp);
  disk.writeback = fields.get("writeback", duration_value).value_or(Duration(0));
  disk.capacity_bytes = fields.get("capacity", size_value).value_or(defaults::kCapacityBytes);
  return disk;
}

// Two values that cannot both be; `key` is the one to complain about, if the config gives it.
struct DiskConflict {
  bool present = false;
  std::string_view key, reason, hint;
};

std::vector<DiskConflict> disk_conflicts(const DiskConfig& disk) {
  const bool strict_posix = disk.profile == DiskProfile::kStrictPosix;
  const bool in_order = disk.profile == DiskProfile::kInOrder;
  const bool per_file = disk.prefix_scope == PrefixScope::kFile;
  const bool by_byte = disk.tear == TearUnit::kByte;
  constexpr std::uint32_t kPageBytes = 4096;
  const bool page_sectors = disk.sector_bytes == kPageBytes;
  return {
      {strict_posix && by_byte, "tear",
       "a tear by byte needs one order of all writes, and strict-posix keeps none",
       "use sector or page"},
      {in_order && per_file && by_byte, "tear",
       "a tear by byte needs one order of all writes, and prefix_scope file has one per file",
       "use sector or page"},
      {by_byte && page_sectors, "tear",
       "a drive that writes 4096 bytes as one does not tear inside them", "use page"},
      {disk.tear == TearUnit::kSector && page_sectors, "tear",
       "a sector of 4096 bytes is a whole page: nothing tears", "use page, or sector 512"},
      {per_file && !in_order, "prefix_scope", "prefix_scope is a switch of the profile in-order",
       "leave it out, or use in-order"},
      {disk.dirents == Dirents::kStrict && !in_order && !strict_posix, "dirents",
       "under control and scc a call that returned is never lost, synced or not",
       "leave it out, or use in-order or strict-posix"},
      {disk.dirents == Dirents::kImplied && strict_posix, "dirents",
       "under strict-posix a file's name needs its directory's sync", "leave it out"},
  };
}

CpuConfig decode_cpu(const Fields& fields) {
  return {.slice = fields.get("slice", duration_value, defaults::kSlice),
          .ns_per_1000_ticks =
              fields.get("ns_per_1000_ticks", integer_value, defaults::kNsPer1000Ticks),
          .host_call = Duration(
              fields.get("host_call_ns", integer_value, defaults::kHostCall.ns())),
          .clock_read = Duration(
              fields.get("clock_read_ns", integer_value, defaults::kClockRead.ns())),
          .preempt = static_cast<PreemptPolicy>(fields.get(
              "preempt", choice_value, static_cast<std::size_t>(defaults::kPreempt))),
          .preempt_rate = static_cast<std::uint32_t>(
              fields.get("preempt_rate", integer_value, defaults::kPreemptRate))};
}

FaultConfig decode_faults(const Fields& fields) {
  const auto until = fields.get("until", duration_value);
  return {.crash = fields.get("crash_per_sec", rate_value, Rate{}),
          .crash_on_io = fields.get("crash_on_io", odds_value, Odds::never()),
          .kill = fields.get("kill_per_sec", rate_value, Rate{}),
          .partition = fields.get("partition_per_sec", rate_value, Rate{}),
          .restart_after = fields.get("restart_after", duration_value, defaults::kRestartAfter),
          .torn_writes = fields.get("torn_writes", odds_value, Odds::never()),
          .power_all = fields.get("power_all_per_sec", rate_value, Rate{}),
          .crash_in_recovery = fields.get("crash_in_recovery", odds_value, Odds::never()),
          .fsync_eio = fields.get("fsync_eio", odds_value, Odds::never()),
          .write_eio = fields.get("write_eio", odds_value, Odds::never()),
          .read_eio = fields.get("read_eio", odds_value, Odds::never()),
          .short_writes = fields.get("short_writes", odds_value, Odds::never()),
          .enospc = fields.get("enospc_per_sec", rate_value, Rate{}),
          .emfile = fields.get("emfile_per_sec", rate_value, Rate{}),
          .evict = fields.get("evict_per_sec", rate_value, Rate{}),
          .disk_stall = fields.get("disk_stall_per_sec", rate_value, Rate{}),
          .bit_rot = fields.get("bit_rot_per_sec", rate_value, Rate{}),
          .from = SimTime::zero() + fields.get("from", duration_value, Duration(0)),
          .until = until ? SimTime::zero() + *until : SimTime::never()};
}

LimitsConfig decode_limits(const Fields& fields) {
  const auto integer = [&](std::string_view name, std::uint64_t otherwise) {
    const auto value = fields.get(name, integer_value);
    return value ? to_unsigned(*value) : otherwise;
  };
  return {.steps = integer("steps", defaults::kSteps),
          .trace_bytes = fields.get("trace_bytes", size_value, defaults::kTraceBytes),
          .open_files = integer("open_files", defaults::kOpenFiles),
          .output_bytes = fields.get("output_bytes", size_value, defaults::kOutputBytes),
          .events_per_instant = integer("events_per_instant", defaults::kEventsPerInstant),
          .spin = fields.get("spin", duration_value, defaults::kSpin)};
}

class Decoder {
 public:
  Decoder(const Json& root, const ConfigText& text)
      : root_(root), text_(text), fields_(&root, Scope::kRoot) {}

  Result<WorldConfig> decode() {
    WorldConfig config;
    config.path = std::string(text_.name);
    config.name = fields_.get("name", text_value,
                              std::filesystem::path(config.path).stem().string());
    SF_TRY(config.nodes, processes(root_.find("nodes"), "$.nodes"));
    SF_TRY(config.workloads, processes(root_.find("workload"), "$.workload"));
    config.horizon = fields_.get("horizon", duration_value, defaults::kHorizon);
    config.horizon_ok = fields_.get("horizon_ok", bool_value, false);
    config.network.latency = fields_.inner("network", Scope::kNetwork)
                                 .get("latency", latency_value, defaults::kNetworkLatency);
    config.cpu = decode_cpu(fields_.inner("cpu", Scope::kCpu));
    config.faults = decode_faults(fields_.inner("faults", Scope::kFaults));
    config.limits = decode_limits(fields_.inner("limits", Scope::kLimits));
    SF_TRY_VOID(check_faults_as_a_whole(config.faults));
    return config;
  }

  Result<ExecSettings> decode_exec(std::optional<DiskProfile> profile) {
    ExecSettings settings;
    SF_TRY(settings.world, decode());
    const Fields disk = fields_.inner("disk", Scope::kDisk);
    settings.disk = decode_disk(Fields(nullptr, Scope::kDisk), disk);
    if (profile) settings.disk.profile = *profile;
    if (disk.find("tear") == nullptr) settings.disk.tear = defaults::tear_of(settings.disk);
    SF_TRY_VOID(check_disk(settings.disk, nullptr, "$.disk"));
    const auto unless_given = [](const Fields& fields, const char* key, auto& value, auto own) {
      if (fields.find(key) == nullptr) value = own;
    };
    const Fields limits = fields_.inner("limits", Scope::kLimits);
    unless_given(fields_, "horizon", settings.world.horizon, exec_defaults::kHorizon);
    unless_given(disk, "capacity", settings.disk.capacity_bytes, exec_defaults::kCapacityBytes);
    unless_given(limits, "steps", settings.world.limits.steps, exec_defaults::kSteps);
    unless_given(limits, "output_bytes", settings.world.limits.output_bytes,
                 exec_defaults::kOutputBytes);
    unless_given(limits, "spin", settings.world.limits.spin, exec_defaults::kSpin);
    const Fields cpu = fields_.inner("cpu", Scope::kCpu);
    if (cpu.find("preempt") == nullptr) {
      unless_given(cpu, "preempt_rate", settings.world.cpu.preempt_rate,
                   exec_defaults::kPreemptRate);
    }
    unless_given(cpu, "host_call_ns", settings.world.cpu.host_call, exec_defaults::kHostCall);
    unless_given(cpu, "clock_read_ns", settings.world.cpu.clock_read, exec_defaults::kClockRead);
    return settings;
  }

 private:
  Result<std::vector<NodeConfig>> processes(const Json* json, const std::string& path) {
    std::vector<NodeConfig> out;
    if (json == nullptr) return out;
    if (json->is(Json::Kind::kObject)) {
      SF_TRY_VOID(add_node(*json, path, out));
      return out;
    }
    for (std::size_t i = 0; i < json->items().size(); ++i) {
      SF_TRY_VOID(add_node(json->items()[i], fmt::format("{}[{}]", path, i), out));
    }
    return out;
  }

  Result<void> add_node(const Json& json, const std::string& path, std::vector<NodeConfig>& out) {
    const NodeConfig node = decode_node(json, path);
    SF_TRY_VOID(check_disk(node.disk, json.find("disk"), path + ".disk"));
    const std::int64_t count =
        Fields(&json, Scope::kNode).get("count", integer_value, std::int64_t{1});
    const std::string place = text_.place(json.find("name")->offset(), path + ".name");
    for (std::int64_t i = 1; i <= count; ++i) {
      out.push_back(node);
      if (count > 1) out.back().name = fmt::format("{}-{}", node.name, i);
      SF_TRY_VOID(take_name(out.back().name, place));
    }
    return {};
  }

  NodeConfig decode_node(const Json& json, const std::string& path) const {
    const Fields fields(&json, Scope::kNode);
    NodeConfig node;
    node.name = *fields.get("name", text_value);
    decode_program(json, path, node);
    node.args = fields.get("args", texts_value, {});
    node.env = fields.get("env", environment_value, {});
    node.supervise = fields.get("supervise", bool_value)
                         .value_or(fields_.get("supervise", bool_value, false));
    node.memory_bytes = fields.get("memory", size_value, defaults::kMemoryBytes);
    node.disk =
        decode_disk(fields.inner("disk", Scope::kDisk), fields_.inner("disk", Scope::kDisk));
    node.clock_offset = fields.get("clock_offset", duration_value, Duration(0));
    node.drift_ppm = fields.get("drift_ppm", integer_value, std::int64_t{0});
    node.files = fields.get("files", text_value, std::string());
    if (!node.files.empty()) node.files_place = place_of(json, path, "files");
    return node;
  }

  void decode_program(const Json& json, const std::string& path, NodeConfig& node) const {
    const Fields fields(&json, Scope::kNode);
    if (const Json* c = json.find("c"); c != nullptr) {
      node.guest = GuestKind::kCSources;
      node.source_place = place_of(json, path, "c");
      node.c = decode_c(*c, path + ".c");
      node.source = join(node.c.files, " ");
      return;
    }
    const bool is_package = json.find("pkg") != nullptr;
    const std::string_view key = is_package ? "pkg" : "wasm";
    node.guest = is_package ? GuestKind::kGoPackage : GuestKind::kWasmFile;
    node.source = *fields.get(key, text_value);
    node.source_place = place_of(json, path, key);
  }

  CSources decode_c(const Json& json, const std::string& path) const {
    const Fields fields(&json, Scope::kC);
    CSources c;
    c.files = *fields.get("sources", texts_value);
    const std::vector<Json>& items = json.find("sources")->items();
    for (std::size_t i = 0; i < items.size(); ++i) {
      c.file_places.push_back(
          text_.place(items[i].offset(), fmt::format("{}.sources[{}]", path, i)));
    }
    c.flags = fields.get("flags", texts_value, {});
    return c;
  }

  std::string place_of(const Json& object, const std::string& path, std::string_view key) const {
    return text_.place(object.find(key)->offset(), fmt::format("{}.{}", path, key));
  }

  // Keys of a disk that contradict each other; the place is that of the key that cannot be.
  Result<void> check_disk(const DiskConfig& disk, const Json* own, const std::string& path) const {
    const Json* world = root_.find("disk");
    const auto holder_of = [&](std::string_view key) -> const Json* {   // null: a default
      for (const Json* holder : {own, world}) {
        if (holder != nullptr && holder->find(key) != nullptr) return holder;
      }
      return nullptr;
    };
    std::vector<DiskConflict> conflicts = disk_conflicts(disk);
    const Json* named = holder_of("profile");
    const Json* asked = holder_of("strict_posix");
    conflicts.insert(conflicts.begin(),
                     {named != nullptr && asked != nullptr &&
                          asked->find("strict_posix")->boolean() &&
                          named->find("profile")->string() != "strict-posix",
                      "strict_posix", "strict_posix is true and profile names another one",
                      "give one of the two"});
    for (const DiskConflict& conflict : conflicts) {
      const Json* holder = conflict.present ? holder_of(conflict.key) : nullptr;
      if (holder == nullptr) continue;
      return usage_error(place_of(*holder, holder == own ? path : "$.disk", conflict.key),
                         std::string(conflict.reason), std::string(conflict.hint));
    }
    return {};
  }

  // Names are host names, so they differ by more than the case of their letters.
  Result<void> take_name(const std::string& name, const std::string& place) {
    constexpr std::size_t kLongest = 63;
    if (name.size() > kLongest) {
      return usage_error(place, fmt::format("{} is longer than {} characters", name, kLongest),
                         "count adds a number to the name");
    }
    std::string folded = name;
    for (char& c : folded) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    if (!names_.insert(folded).second) {
      return usage_error(place, fmt::format("a second node is named {}", name),
                         "names are compared without case");
    }
    if (names_.size() > kProcessesMax) {
      return usage_error(place, fmt::format("more than {} nodes and workloads", kProcessesMax));
    }
    return {};
  }

  Result<void> check_faults_as_a_whole(const FaultConfig& faults) const {
    if (faults.from > faults.until) {
      return usage_error(fault_place("until"), "faults end before they begin",
                         "until must not be less than from");
    }
    SF_TRY_VOID(check_time_left(faults));
    for (const auto& [key, rate] : {std::pair{"enospc_per_sec", faults.enospc},
                                    std::pair{"emfile_per_sec", faults.emfile},
                                    std::pair{"disk_stall_per_sec", faults.disk_stall}}) {
      // Windows last 1.4 s on average (log-uniform from 10 ms to 10 s).
      constexpr Duration kShortestGap = milliseconds(250);
      if (!rate.mean_gap || *rate.mean_gap >= kShortestGap) continue;
      return usage_error(fault_place(key), "at this rate the window never closes",
                         "a window lasts up to 10s; at most 4 per second");
    }
    return {};
  }

  // Nodes must be up for some of the time, or no seed says anything.
  Result<void> check_time_left(const FaultConfig& faults) const {
    for (const auto& [key, rate] : {std::pair{"crash_per_sec", faults.crash},
                                    std::pair{"kill_per_sec", faults.kill},
                                    std::pair{"power_all_per_sec", faults.power_all}}) {
      constexpr std::int64_t kMostDown = 100;   // times as long down as up
      if (!rate.mean_gap || faults.restart_after.ns() / kMostDown <= rate.mean_gap->ns()) continue;
      return usage_error(
          fault_place(key),
          fmt::format("a node that runs for {} and then is down for {} (faults.restart_after) "
                      "gets nothing done",
                      format_duration(*rate.mean_gap), format_duration(faults.restart_after)),
          "lower the rate or restart_after");
    }
    return {};
  }

  std::string fault_place(std::string_view key) const {
    return place_of(*root_.find("faults"), "$.faults", key);
  }

  const Json& root_;
  const ConfigText& text_;
  Fields fields_;
  std::set<std::string> names_;
};

}  // namespace

Result<WorldConfig> decode_config(std::string_view text, const std::string& path) {
  SF_TRY(const Json root, parse_json(text, path, {.depth = 16, .bytes = kConfigBytesMax}));
  const ConfigText places{text, path};
  SF_TRY_VOID(check_config(root, places));
  return Decoder(root, places).decode();
}

namespace {

Result<std::optional<DiskProfile>> profile_named(const std::string& name) {
  if (name.empty()) return std::optional<DiskProfile>();
  const std::span<const Choice> choices = find_key(Scope::kDisk, "profile")->choices;
  std::string known;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i].stage > kStageBuilt) continue;
    if (choices[i].name == name) return std::optional(static_cast<DiskProfile>(i));
    known += (known.empty() ? "" : ", ") + std::string(choices[i].name);
  }
  return usage_error("", fmt::format("-profile {}: no such disk profile", excerpt(name, 40)),
                     "there are " + known);
}

}  // namespace

Result<ExecSettings> decode_exec_settings(std::string_view text, const std::string& path,
                                          const std::string& profile) {
  SF_TRY(const std::optional<DiskProfile> chosen, profile_named(profile));
  SF_TRY(const Json root, parse_json(text, path, {.depth = 16, .bytes = kConfigBytesMax}));
  const ConfigText places{text, path};
  for (const char* key : {"nodes", "workload"}) {
    const Json* programs = root.is(Json::Kind::kObject) ? root.find(key) : nullptr;
    if (programs == nullptr) continue;
    return usage_error(places.place(programs->key_offset(), fmt::format("$.{}", key)),
                       "exec takes its one program from the command line",
                       "keep faults, disk, network, cpu and limits; or use `seedfall run`");
  }
  SF_TRY_VOID(check_keys(root, places));
  return Decoder(root, places).decode_exec(chosen);
}

Result<ExecSettings> load_exec_settings(const std::string& path, const std::string& profile) {
  if (path.empty()) return decode_exec_settings("{}", "", profile.empty() ? "control" : profile);
  SF_TRY(const std::string text, host::read_file(path, kConfigBytesMax));
  return decode_exec_settings(text, path, profile);
}

Result<WorldConfig> load_config(const std::string& path) {
  SF_TRY(const std::string text, host::read_file(path, kConfigBytesMax));
  SF_TRY(WorldConfig config, decode_config(text, path));
  const std::string parent = std::filesystem::path(path).parent_path().string();
  SF_TRY(config.directory, host::absolute_path(parent.empty() ? "." : parent));
  SF_TRY_VOID(check_sources(config));
  return config;
}

}  // namespace sf::world
