#include "kernel/file_calls.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::kernel::files {
namespace {

using disk::FinalSymlink;
using disk::Ino;
using disk::InFlight;
using disk::Volume;

// Copying between a program and the page cache: about 8 GB/s.
constexpr std::uint64_t kBytesPerNanosecond = 8;

// Looking up one component of a path; that of a few is within the cost of any host call. Links can
// make tens of thousands of them out of one path.
constexpr std::uint32_t kFreeSteps = 64;
constexpr Duration kStepCost = nanoseconds(50);

// A block of a file that is looked at or made.
constexpr Duration kBlockCost = nanoseconds(50);

constexpr std::uint64_t kSyncEntity = 0x73796e63;

Errno error_of(Errno result) { return result; }
template <class T>
Errno error_of(const Outcome<T>& result) { return result ? Errno::kOk : result.error(); }
Errno stopped_result(Errno*) { return Errno::kIo; }
template <class T>
Outcome<T> stopped_result(Outcome<T>*) { return fail(Errno::kIo); }

// One counted operation: asks the oracle, runs `effect`, strikes before, inside or after it.
// `subject` makes the words for the report ("write /data/log") and is called only when a fault
// strikes. After a strike the result is meaningless: the program never sees it.
template <class Subject, class Effect>
auto disk_op(Process& process, DiskOp op, Subject subject, Effect effect) -> decltype(effect()) {
  using ResultType = decltype(effect());
  const std::optional<Strike> strike = process.begin_disk_op(op);
  const auto words = [&] { return fmt::format("{} {}", disk_op_name(op), subject()); };
  if (strike && strike->phase == Phase::kBefore) {
    process.doom(*strike, InFlight{}, words());
    return stopped_result(static_cast<ResultType*>(nullptr));
  }
  ResultType result = effect();
  process.note_disk_op(op, error_of(result) == Errno::kOk);
  if (error_of(result) == Errno::kNoSpc && process.node().conditions().disk_full) {
    process.note_injected_error();
  }
  if (strike) {
    const bool inside = strike->phase == Phase::kInside && error_of(result) == Errno::kOk;
    InFlight in_flight;
    if (inside) in_flight.kind = InFlight::Kind::kLastOperation;
    process.doom(*strike, in_flight, words());
  }
  return result;
}

Volume& volume_of(Process& process) { return process.node().volume(); }

// A read or write of that many bytes, which the oracle may let fail or take only a part of.
// `effect` gets how many bytes to transfer.
template <class Subject, class Effect>
Outcome<std::size_t> transfer(Process& process, Ino ino, std::size_t bytes, Subject subject,
                              Effect effect) {
  const std::optional<IoFault> fault = process.io_fault(ino, bytes);
  if (!fault) return effect(bytes);
  const DiskOpContext operation = process.last_disk_op();
  IoReport report{process.now(), operation,
                  fmt::format("{} {}", disk_op_name(operation.op), subject()), "EIO"};
  Outcome<std::size_t> result = fail(Errno::kIo);
  if (fault->kind == FaultKind::kShortWrite) {
    SF_CHECK(fault->bytes > 0 && fault->bytes < bytes);
    result = effect(fault->bytes);
    report.effect = fmt::format("took {} of {} bytes", fault->bytes, bytes);
  } else if (fault->kind == FaultKind::kSyncError) {
    result = effect(bytes);
    const auto lost = volume_of(process).fail_writeback(ino, fault->writeback);
    if (lost.pages_lost == 0) return result;
    report.effect = "background writeback failed: " + lost.description;
  }
  process.room().io_failed(process, *fault, std::move(report));
  return result;
}

Errno check_directory(const Description& directory) {
  return directory.kind == DescriptionKind::kDirectory ? Errno::kOk : Errno::kNotDir;
}

Outcome<disk::Resolved> resolve(Process& process, const Description& directory,
                                std::string_view path, FinalSymlink final_symlink) {
  if (const Errno error = check_directory(directory); error != Errno::kOk) return fail(error);
  std::uint32_t steps = 0;
  auto resolved = resolve_path(volume_of(process), directory.ino, path, final_symlink, &steps);
  if (steps > kFreeSteps) {
    process.spend(kStepCost * static_cast<std::int64_t>(steps - kFreeSteps));
  }
  return resolved;
}

bool is_root(std::string_view path) {
  return !path.empty() && path.find_first_not_of('/') == path.npos;
}

// A name that is to be made: its directory exists, it does not.
Outcome<disk::Resolved> resolve_new(Process& process, const Description& directory,
                                    std::string_view path) {
  auto resolved = resolve(process, directory, path, FinalSymlink::kName);
  if (resolved && resolved->ino != 0) return fail(Errno::kExist);
  return resolved;
}

// A name that is to be removed.
Outcome<disk::Resolved> resolve_existing(Process& process, const Description& directory,
                                         std::string_view path, FinalSymlink final_symlink) {
  auto resolved = resolve(process, directory, path, final_symlink);
  if (resolved && resolved->ino == 0) return fail(Errno::kNoEnt);
  return resolved;
}

Errno check_open_type(disk::NodeType type, const OpenHow& how) {
  switch (type) {
    case disk::NodeType::kSymlink:
      return how.directory ? Errno::kNotDir : Errno::kLoop;
    case disk::NodeType::kDirectory:
      return how.flags.write || how.truncate || how.create ? Errno::kIsDir : Errno::kOk;
    case disk::NodeType::kFile:
    case disk::NodeType::kDevice:
      return how.directory ? Errno::kNotDir : Errno::kOk;
  }
  return Errno::kInval;
}

FinalSymlink final_symlink_of(const OpenHow& how) {
  if (!how.create) return how.final_symlink;
  const bool follows = !how.exclusive && how.final_symlink == FinalSymlink::kFollow;
  return follows ? FinalSymlink::kMake : FinalSymlink::kMakeKeep;
}

Outcome<Ino> open_existing(Process& process, const disk::Resolved& target, const OpenHow& how) {
  Volume& volume = volume_of(process);
  if (how.create && how.exclusive) return fail(Errno::kExist);
  const auto type = volume.type(target.ino);
  if (!type) return fail(type.error());
  if (target.must_be_directory && *type != disk::NodeType::kDirectory) {
    return fail(Errno::kNotDir);
  }
  if (const Errno error = check_open_type(*type, how); error != Errno::kOk) return fail(error);
  if (how.flags.read) {
    if (const Errno error = volume.may_read(target.ino); error != Errno::kOk) return fail(error);
  }
  // Of an empty file it sets the times.
  if (how.truncate && *type == disk::NodeType::kFile) {
    const Errno error = volume.truncate(target.ino, 0, process.now());
    if (error != Errno::kOk) return fail(error);
  }
  return target.ino;
}

Outcome<Ino> open_new(Process& process, const disk::Resolved& target, const OpenHow& how) {
  if (!how.create) return fail(Errno::kNoEnt);
  return volume_of(process).create_file(target.directory, target.name, process.now());
}

}  // namespace

void spend_copy(Process& process, std::size_t bytes) {
  process.spend(Duration(static_cast<std::int64_t>(bytes / kBytesPerNanosecond)));
}

std::string display_path(const Description& directory, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  std::string out = directory.path;
  if (path == "." || path.empty()) return out;
  if (!out.ends_with('/')) out += '/';
  return out.append(path.substr(0, 256));
}

Outcome<std::shared_ptr<Description>> open(Process& process, const Description& directory,
                                           std::string_view path, const OpenHow& how) {
  // Since Linux 6.4; before, it made a file and said ENOTDIR.
  if (how.create && how.directory) return fail(Errno::kInval);
  if (const Errno error = process.may_open_descriptor(); error != Errno::kOk) return fail(error);
  const auto target = resolve(process, directory, path, final_symlink_of(how));
  if (!target) return fail(target.error());
  if (how.create && target->must_be_directory && target->ino == 0) {
    const bool exists = how.exclusive && disk::is_dot_or_dots(target->name);
    return fail(exists ? Errno::kExist : Errno::kIsDir);
  }
  const auto ino = disk_op(
      process, DiskOp::kOpen, [&] { return display_path(directory, path); },
      [&] {
        return target->ino != 0 ? open_existing(process, *target, how)
                                : open_new(process, *target, how);
      });
  if (!ino) return fail(ino.error());
  if (target->ino == 0) process.note_created();
  auto description = std::make_shared<Description>();
  const auto type = volume_of(process).type(*ino);
  SF_CHECK(type.has_value());
  description->kind = *type == disk::NodeType::kDirectory ? DescriptionKind::kDirectory
                      : *type == disk::NodeType::kDevice  ? DescriptionKind::kDevice
                                                          : DescriptionKind::kFile;
  if (*type == disk::NodeType::kDevice) description->device = volume_of(process).stat(*ino)->device;
  description->flags = how.flags;
  description->ino = *ino;
  description->path = display_path(directory, path);
  description->errors = volume_of(process).open_cursor(*ino);
  volume_of(process).retain(*ino);
  return description;
}

void close(Process& process, std::shared_ptr<Description> description) {
  if (description.use_count() > 1) return;
  switch (description->kind) {
    case DescriptionKind::kConsole:
      return;
    case DescriptionKind::kFile:
    case DescriptionKind::kDirectory:
    case DescriptionKind::kDevice:
      volume_of(process).release(description->ino);
      return;
    case DescriptionKind::kListener:
    case DescriptionKind::kStream:
      process.room().network().close(process, description->socket);
      return;
  }
}

namespace {

Outcome<std::size_t> read_device(Process& process, disk::Device device,
                                 std::span<std::byte> into) {
  switch (device) {
    case disk::Device::kNull: return std::size_t{0};
    case disk::Device::kZero: std::fill(into.begin(), into.end(), std::byte{0}); break;
    case disk::Device::kRandom: process.fill_random(into); break;
  }
  spend_copy(process, into.size());
  return into.size();
}

}  // namespace

Outcome<std::size_t> read(Process& process, Description& file, std::span<std::byte> into) {
  const auto count = read_at(process, file, file.offset, into);
  if (count) file.offset += *count;
  return count;
}

Outcome<std::size_t> read_at(Process& process, const Description& file, std::uint64_t offset,
                             std::span<std::byte> into) {
  if (file.kind == DescriptionKind::kDirectory) return fail(Errno::kIsDir);
  const bool is_device = file.kind == DescriptionKind::kDevice;
  if (file.kind != DescriptionKind::kFile && !is_device) return fail(Errno::kSPipe);
  if (!file.flags.read) return fail(Errno::kBadF);
  if (is_device) return read_device(process, file.device, into);
  const auto subject = [&] { return file.path; };
  const auto count = disk_op(process, DiskOp::kRead, subject, [&] {
    return transfer(process, file.ino, into.size(), subject, [&](std::size_t bytes) {
      return volume_of(process).read(file.ino, offset, into.first(bytes));
    });
  });
  if (count) spend_copy(process, *count);
  return count;
}

Outcome<std::size_t> write(Process& process, Description& file, Bytes data) {
  std::uint64_t at = file.offset;
  if (file.kind == DescriptionKind::kFile && file.flags.append) {
    const auto stat = volume_of(process).stat(file.ino);
    if (!stat) return fail(stat.error());
    at = stat->size;
  }
  const auto count = write_at(process, file, at, data);
  // What writes nothing moves nothing, also where it would have appended.
  if (count && *count > 0) file.offset = at + *count;
  return count;
}

Outcome<std::size_t> write_at(Process& process, const Description& file, std::uint64_t offset,
                              Bytes data) {
  if (file.kind == DescriptionKind::kDirectory) return fail(Errno::kBadF);
  const bool is_device = file.kind == DescriptionKind::kDevice;
  if (file.kind != DescriptionKind::kFile && !is_device) return fail(Errno::kSPipe);
  if (!file.flags.write) return fail(Errno::kBadF);
  if (is_device) return data.size();
  if (data.empty()) return 0;
  const auto subject = [&] { return fmt::format("{} +{} {} B", file.path, offset, data.size()); };
  const auto count = disk_op(process, DiskOp::kWrite, subject, [&] {
    return transfer(process, file.ino, data.size(), subject, [&](std::size_t bytes) {
      return volume_of(process).write(file.ino, offset, data.first(bytes), process.now());
    });
  });
  if (count) spend_copy(process, *count);
  return count;
}

Outcome<std::uint64_t> seek(Process& process, Description& file, std::int64_t offset,
                            Whence whence) {
  if (file.kind == DescriptionKind::kDevice) return std::uint64_t{0};   // drivers/char/mem.c
  if (file.kind != DescriptionKind::kFile && file.kind != DescriptionKind::kDirectory) {
    return fail(Errno::kSPipe);
  }
  std::uint64_t base = 0;
  if (whence == Whence::kCurrent) base = file.offset;
  if (whence == Whence::kEnd) {
    const auto stat = volume_of(process).stat(file.ino);
    if (!stat) return fail(stat.error());
    base = stat->size;
  }
  std::int64_t target = 0;
  if (__builtin_add_overflow(static_cast<std::int64_t>(base), offset, &target)) {
    return fail(Errno::kOverflow);
  }
  if (target < 0 || static_cast<std::uint64_t>(target) > disk::kFileBytesMax) {
    return fail(Errno::kInval);
  }
  file.offset = static_cast<std::uint64_t>(target);
  return file.offset;
}

Errno truncate(Process& process, const Description& file, std::uint64_t size) {
  if (file.kind != DescriptionKind::kFile) return Errno::kInval;
  if (!file.flags.write) return Errno::kInval;
  return disk_op(
      process, DiskOp::kTruncate, [&] { return fmt::format("{} to {} B", file.path, size); },
      [&] { return volume_of(process).truncate(file.ino, size, process.now()); });
}

Errno allocate(Process& process, const Description& file, std::uint64_t offset,
               std::uint64_t length) {
  if (length == 0) return Errno::kInval;   // first, as in vfs_fallocate, fs/open.c
  if (file.kind == DescriptionKind::kDirectory) return Errno::kBadF;   // not open for writing
  const bool is_device = file.kind == DescriptionKind::kDevice;
  if (file.kind != DescriptionKind::kFile && !is_device) return Errno::kSPipe;
  if (!file.flags.write) return Errno::kBadF;
  if (is_device) return Errno::kNoDev;
  // No more blocks than the disk has can be met or made.
  const std::uint64_t bytes = std::min(length, volume_of(process).options().capacity_bytes);
  process.spend(kBlockCost * static_cast<std::int64_t>(bytes / disk::kPageBytes));
  return disk_op(
      process, DiskOp::kAllocate,
      [&] { return fmt::format("{} +{} {} B", file.path, offset, length); },
      [&] { return volume_of(process).allocate(file.ino, offset, length, process.now()); });
}

Errno set_times(Process& process, Ino ino, std::optional<SimTime> accessed,
                std::optional<SimTime> modified) {
  return disk_op(
      process, DiskOp::kSetTimes, [&] { return fmt::format("inode {}", ino); },
      [&] { return volume_of(process).set_times(ino, accessed, modified, process.now()); });
}

namespace {

// How long a sync takes that begins now.
Duration sync_length(Process& process) {
  const Entity entity = Entity::of(index_of(process.node_id()), process.incarnation(), kSyncEntity);
  const Duration length =
      draw(process.node().spec().sync_time,
           process.room().choices().word(Purpose::kSyncTime, entity,
                                         process.last_disk_op().ordinal));
  const Conditions& conditions = process.node().conditions();
  if (process.now() >= conditions.slow_until) return length;
  if (conditions.slowdown > 0) return length * conditions.slowdown;
  return conditions.slow_until - process.now() + length;
}

// A sync in flight.
struct Sync {
  NodeId node;
  Incarnation incarnation = 0;
  OpId id{};
  std::weak_ptr<Description> file;   // the program may close it meanwhile
  Ino ino = 0;                       // held until the end
  SyncRequest request;
  DiskOpContext context;
  std::optional<Strike> strike;
  std::optional<IoFault> error;
  std::string subject;
  disk::Mark begun = 0;              // what is written later is not covered
  std::uint32_t quiet_windows = 0;   // of the process at its start
};

Errno write_back(Process& process, const Sync& sync) {
  Volume& volume = volume_of(process);
  // A quiet window that began meanwhile calls the error off.
  const bool spared = process.quiet_windows() != sync.quiet_windows;
  if (sync.error && !spared) {
    const auto effect = volume.fail_writeback(sync.ino, sync.error->writeback);
    // What was to fail may have been written or removed since the sync began.
    if (effect.pages_lost > 0) {
      process.room().io_failed(process, *sync.error,
                               IoReport{process.now(), sync.context, sync.subject,
                                        "EIO; " + effect.description});
    }
  }
  disk::ErrorCursor closed = volume.open_cursor(sync.ino);
  const std::shared_ptr<Description> file = sync.file.lock();
  disk::ErrorCursor& errors = file ? file->errors : closed;
  const auto& range = sync.request.range;
  const Errno result =
      range ? volume.sync_range(sync.ino, range->offset, range->length, sync.request.kind, errors,
                                sync.begun)
            : volume.sync(sync.ino, sync.request.kind, errors, sync.begun);
  volume.release(sync.ino);
  if (result != Errno::kOk) process.note_injected_error();
  process.note_disk_op(DiskOp::kSync, result == Errno::kOk);
  return result;
}

void finish_sync(Room& room, const Sync& sync) {
  Process* process = room.node(sync.node).process();
  // The process may not have outlived the event. A blow inside comes before it, unless a quiet
  // window calls it off.
  if (process == nullptr || process->incarnation() != sync.incarnation) return;
  if (process->stopped()) return;
  if (!process->operations().is_pending(sync.id)) return process->node().volume().release(sync.ino);
  process->arrive(room.now());
  const Errno result = write_back(*process, sync);
  if (sync.strike && process->quiet_windows() == sync.quiet_windows) {
    return room.strike_after_sync(*process,
                                  Room::Blow{*sync.strike, {}, sync.context, sync.subject});
  }
  process->operations().complete(sync.id, result);
  process->poke();
}

}  // namespace

Outcome<OpId> start_sync(Process& process, const std::shared_ptr<Description>& file,
                         const SyncRequest& request) {
  if (file->kind != DescriptionKind::kFile && file->kind != DescriptionKind::kDirectory) {
    return fail(Errno::kInval);
  }
  Room& room = process.room();
  const std::optional<Strike> strike = process.begin_disk_op(DiskOp::kSync);
  const std::string subject = fmt::format("fsync {}", file->path);
  if (strike && strike->phase == Phase::kBefore) {
    process.doom(*strike, InFlight{}, subject);
    return fail(Errno::kIo);
  }
  const Duration length = sync_length(process);
  const OpId id = process.operations().start();
  EventId blow = 0;
  if (strike && strike->phase == Phase::kInside) {
    const Duration until = room.faults().inside_sync(strike->fault, length);
    SF_CHECK(until <= length);
    blow = room.schedule_blow(process.now() + until, process,
                              Room::Blow{*strike, InFlight{InFlight::Kind::kSync, file->ino},
                                         process.last_disk_op(), subject});
  }
  process.begin_sync(blow);
  volume_of(process).retain(file->ino);
  Sync sync{.node = process.node_id(),
            .incarnation = process.incarnation(),
            .id = id,
            .file = file,
            .ino = file->ino,
            .request = request,
            .context = process.last_disk_op(),
            .strike = strike,
            .error = process.io_fault(file->ino, 0),
            .subject = subject,
            .begun = volume_of(process).mark(),
            .quiet_windows = process.quiet_windows()};
  room.queue().schedule(EventSpec{
      .time = process.now() + length,
      .rank = Rank::kArrival,
      .entity = Entity::of(index_of(process.node_id()), process.incarnation(), kSyncEntity),
      .concern = Concern::kNode,
      .node = process.node_id(),
      .action = [&room, sync = std::move(sync)] { finish_sync(room, sync); }});
  return id;
}

Outcome<disk::Stat> stat_path(Process& process, const Description& directory, std::string_view path,
                              FinalSymlink final_symlink) {
  const auto target = resolve_existing(process, directory, path, final_symlink);
  if (!target) return fail(target.error());
  auto stat = volume_of(process).stat(target->ino);
  if (stat && target->must_be_directory && stat->type != disk::NodeType::kDirectory) {
    return fail(Errno::kNotDir);
  }
  return stat;
}

Errno make_directory(Process& process, const Description& directory, std::string_view path) {
  const auto target = resolve_new(process, directory, path);
  if (!target) return target.error();
  return disk_op(
      process, DiskOp::kMakeDirectory, [&] { return display_path(directory, path); },
      [&] {
        return error_of(
            volume_of(process).make_directory(target->directory, target->name, process.now()));
      });
}

Errno remove_directory(Process& process, const Description& directory, std::string_view path) {
  const auto target = resolve_existing(process, directory, path, FinalSymlink::kName);
  if (!target) return target.error();
  if (is_root(path)) return Errno::kBusy;
  return disk_op(
      process, DiskOp::kRemoveDirectory, [&] { return display_path(directory, path); },
      [&] {
        return volume_of(process).remove_directory(target->directory, target->name, process.now());
      });
}

Errno unlink(Process& process, const Description& directory, std::string_view path) {
  const auto target = resolve_existing(process, directory, path, FinalSymlink::kName);
  if (!target) return target.error();
  if (target->must_be_directory) {
    const auto type = volume_of(process).type(target->ino);
    if (!type) return type.error();
    return *type == disk::NodeType::kDirectory ? Errno::kIsDir : Errno::kNotDir;
  }
  return disk_op(
      process, DiskOp::kUnlink, [&] { return display_path(directory, path); },
      [&] { return volume_of(process).unlink(target->directory, target->name, process.now()); });
}

namespace {

// Of a rename what needs no look at the target's kind. Both are results with kParent.
Errno check_rename(const Volume& volume, const disk::Resolved& source,
                   const disk::Resolved& target) {
  if (disk::is_dot_or_dots(source.name) || disk::is_dot_or_dots(target.name)) return Errno::kBusy;
  const auto moved = volume.lookup(source.directory, source.name);
  if (!moved) return moved.error();
  const auto replaced = volume.lookup(target.directory, target.name);
  if (!replaced && replaced.error() != Errno::kNoEnt) return replaced.error();
  if (!source.must_be_directory && !target.must_be_directory) return Errno::kOk;
  const auto type = volume.type(*moved);
  if (!type) return type.error();
  return *type == disk::NodeType::kDirectory ? Errno::kOk : Errno::kNotDir;
}

}  // namespace

Errno rename(Process& process, const Description& from_directory, std::string_view from,
             const Description& to_directory, std::string_view to) {
  // Both directories, then what can be no name, then the names (do_renameat2, fs/namei.c).
  const auto source = resolve(process, from_directory, from, FinalSymlink::kParent);
  if (!source) return source.error();
  const auto target = resolve(process, to_directory, to, FinalSymlink::kParent);
  if (!target) return target.error();
  const Errno refused = check_rename(volume_of(process), *source, *target);
  if (refused != Errno::kOk) return refused;
  return disk_op(
      process, DiskOp::kRename,
      [&] {
        return fmt::format("{} -> {}", display_path(from_directory, from),
                           display_path(to_directory, to));
      },
      [&] {
        return volume_of(process).rename(source->directory, source->name, target->directory,
                                         target->name, process.now());
      });
}

Errno link(Process& process, const Description& from_directory, std::string_view from,
           const Description& to_directory, std::string_view to, FinalSymlink final_symlink) {
  const auto source = resolve_existing(process, from_directory, from, final_symlink);
  if (!source) return source.error();
  const auto target = resolve_new(process, to_directory, to);
  if (!target) return target.error();
  if (target->must_be_directory) return Errno::kNoEnt;
  return disk_op(
      process, DiskOp::kLink,
      [&] {
        return fmt::format("{} = {}", display_path(to_directory, to),
                           display_path(from_directory, from));
      },
      [&] {
        return volume_of(process).link(source->ino, target->directory, target->name,
                                       process.now());
      });
}

Errno symlink(Process& process, std::string_view target_text, const Description& directory,
              std::string_view path) {
  if (target_text.empty()) return Errno::kNoEnt;
  const auto target = resolve_new(process, directory, path);
  if (!target) return target.error();
  if (target->must_be_directory) return Errno::kNoEnt;
  return disk_op(
      process, DiskOp::kSymlink, [&] { return display_path(directory, path); },
      [&] {
        return error_of(volume_of(process).make_symlink(target->directory, target->name,
                                                        target_text, process.now()));
      });
}

Outcome<std::string> read_link(Process& process, const Description& directory,
                               std::string_view path) {
  const auto target = resolve_existing(process, directory, path, FinalSymlink::kKeep);
  if (!target) return fail(target.error());
  return volume_of(process).read_symlink(target->ino);
}

}  // namespace sf::kernel::files
