#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
#include "abi/wasi/iovecs.h"
#include "abi/wasi/layout.h"
#include "abi/wasm_guest.h"
#include "base/strings.h"
#include "kernel/file_calls.h"
#include "kernel/net/network.h"
#include "kernel/node.h"
#include "kernel/room.h"

namespace sf::abi::wasi {
namespace {

namespace files = kernel::files;
using kernel::Description;
using kernel::DescriptionKind;

Answer console_write(Frame& frame, const Description& console, const std::string& data,
                     std::uint32_t result_address) {
  if (console.console == 0) return Answer::done(Errno::kBadF);
  kernel::Process& process = frame.process();
  SF_CALL_CHECK(frame.put(result_address, static_cast<std::uint32_t>(data.size())));
  if (!process.console(console.console, data)) {
    kernel::Finding finding;
    finding.kind = kernel::FindingKind::kOutput;
    finding.node = process.node_id();
    finding.incarnation = process.incarnation();
    finding.message = fmt::format("{} printed more than {} (limits.output_bytes)",
                                  process.node().name(),
                                  format_size(process.room().settings().limits.output_bytes));
    process.freeze();
    process.room().report(process.now(), std::move(finding));
  }
  return Answer::done();
}

void describe_io(Frame& frame, std::string_view verb, const Description& file, std::uint64_t offset,
                 std::uint64_t size) {
  if (!frame.wants_text()) return;
  if (file.kind == DescriptionKind::kFile) {
    frame.what(fmt::format("{} {} +{} {} B", verb, file.path, offset, size));
  } else {
    frame.what(fmt::format("{} {} {} B", verb, file.path, size));
  }
}

Answer report_count(Frame& frame, std::uint32_t address, std::size_t count, std::uint64_t wanted) {
  if (frame.wants_text() && count != wanted) frame.outcome(fmt::format("{} B", count));
  SF_CALL_CHECK(frame.put(address, static_cast<std::uint32_t>(count)));
  return Answer::done();
}

// Reads into the guest's buffers, through one staging copy when there are several. No more than
// `available` bytes can come.
template <class Read>
Outcome<std::size_t> read_into(Frame& frame, const Buffers& parts, std::uint64_t available,
                               Read read) {
  if (parts.empty()) return read(std::span<std::byte>());
  std::vector<std::byte> staging;
  std::span<std::byte> into = parts[0];
  if (parts.size() > 1) {
    staging.resize(std::min(total_size(parts), available));
    into = staging;
  }
  const Outcome<std::size_t> count = read(into);
  if (!count) return count;
  frame.note_data(hash64(into.first(*count)));
  if (parts.size() > 1) scatter(into.first(*count), parts);
  return count;
}

// How much a read at this offset can give; what cannot be read at all says so itself.
std::uint64_t available(Frame& frame, const Description& file, std::uint64_t offset) {
  if (file.kind != DescriptionKind::kFile) return kernel::kWindowBytes;
  const auto stat = frame.process().node().volume().stat(file.ino);
  return stat && stat->size > offset ? stat->size - offset : 0;
}

Outcome<std::size_t> read_from(kernel::Process& process, Description& file,
                               std::span<std::byte> into) {
  switch (file.kind) {
    case DescriptionKind::kConsole: {   // without a terminal stdin is empty
      if (!file.flags.read) return kernel::fail(Errno::kBadF);
      kernel::Terminal* const terminal = process.room().terminal();
      if (terminal == nullptr || into.empty()) return 0;
      return terminal->read(process.node_id(), into);
    }
    case DescriptionKind::kListener: return kernel::fail(Errno::kNotConn);
    case DescriptionKind::kStream:
      return process.room().network().receive(process, file.socket, into);
    case DescriptionKind::kFile:
    case DescriptionKind::kDirectory:
    case DescriptionKind::kDevice: break;
  }
  return files::read(process, file, into);
}

// Looking at the data took time also where nothing came of it.
Answer failed_write(Frame& frame, Errno error, std::size_t bytes) {
  files::spend_copy(frame.process(), bytes);
  return Answer::done(error);
}

}  // namespace

Answer would_block(const Description& description) {
  return description.flags.non_blocking ? Answer::done(Errno::kAgain) : Answer::wait();
}

std::optional<Answer> wait_for_disk(Frame& frame, const Description& description) {
  if (description.kind != DescriptionKind::kFile) return {};
  kernel::Process& process = frame.process();
  if (frame.state.stage == 0) {
    frame.state.stage = 1;
    const auto& room = process.room();
    const auto entity = kernel::Entity::of(index_of(process.node_id()), process.incarnation(), 2);
    frame.state.deadline =
        process.now() + draw(process.node().spec().op_time,
                             room.choices().word(kernel::Purpose::kOpTime, entity,
                                                 process.disk_ops() + 1));
  }
  if (process.now() >= frame.state.deadline) return {};
  return Answer::wait(frame.state.deadline);
}

Answer fd_read(Frame& frame) { return read_call(frame, 3); }
Answer fd_write(Frame& frame) { return write_call(frame, 3); }

Answer read_call(Frame& frame, std::size_t result_argument) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const Buffers parts, buffers(frame, frame.u32(1), frame.u32(2)));
  const std::uint64_t wanted = total_size(parts);
  describe_io(frame, "read", *file, file->offset, wanted);
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  const auto count = read_into(
      frame, parts, available(frame, *file, file->offset),
      [&](std::span<std::byte> into) { return read_from(frame.process(), *file, into); });
  if (!count && count.error() == Errno::kAgain) return would_block(*file);
  if (!count) return Answer::done(count.error());
  return report_count(frame, frame.u32(result_argument), *count, wanted);
}

Answer fd_pread(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const Buffers parts, buffers(frame, frame.u32(1), frame.u32(2)));
  const std::uint64_t wanted = total_size(parts);
  describe_io(frame, "pread", *file, frame.u64(3), wanted);
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  if (is_negative(frame.u64(3))) return Answer::done(Errno::kInval);
  SF_CALL_TRY(const std::size_t count,
              read_into(frame, parts, available(frame, *file, frame.u64(3)),
                        [&](std::span<std::byte> into) {
                          return files::read_at(frame.process(), *file, frame.u64(3), into);
                        }));
  return report_count(frame, frame.u32(4), count, wanted);
}

namespace {

// A write on a descriptor opened with O_SYNC or O_DSYNC returns once it is durable.
Answer finish_write(Frame& frame, const std::shared_ptr<Description>& file, std::uint64_t offset,
                    std::size_t count, std::uint32_t result_address, std::uint64_t wanted) {
  if (!file->flags.write_through || file->kind != DescriptionKind::kFile || count == 0) {
    return report_count(frame, result_address, count, wanted);
  }
  frame.state.value = count;
  const files::SyncRequest request{*file->flags.write_through,
                                   files::SyncRequest::Range{offset, count}};
  SF_CALL_TRY(frame.state.operation, files::start_sync(frame.process(), file, request));
  frame.state.stage = 2;
  return Answer::wait();
}

// The rest of finish_write, when the call is tried again.
std::optional<Answer> synced_write(Frame& frame, std::uint32_t result_address,
                                   std::uint64_t wanted) {
  if (frame.state.stage != 2) return {};
  const auto result = frame.process().operations().take(frame.state.operation);
  if (!result) return Answer::wait();
  if (*result != Errno::kOk) return Answer::done(*result);
  return report_count(frame, result_address, frame.state.value, wanted);
}

}  // namespace

namespace {

// A stream takes what its window has room for, and a blocking program waits until all is taken. No
// more is copied than can be taken at once, so that who offers much more pays for what it is given.
Answer write_stream(Frame& frame, const Description& stream, const Buffers& parts,
                    std::uint32_t result_address) {
  kernel::Process& process = frame.process();
  const std::uint64_t wanted = total_size(parts);
  std::uint64_t& taken = frame.state.value;
  describe_io(frame, "write", stream, 0, wanted);
  for (;;) {
    const std::string data = gather(parts, {.skip = taken, .bytes_max = kernel::kWindowBytes});
    if (frame.state.stage == 0) frame.note_data(hash64(data));
    frame.state.stage = 1;
    const auto count = process.room().network().send(process, stream.socket, as_bytes(data));
    if (!count && count.error() == Errno::kAgain && !stream.flags.non_blocking) {
      return Answer::wait();
    }
    if (!count && taken == 0) return failed_write(frame, count.error(), data.size());
    if (count) taken += *count;
    if (!count || taken == wanted) return report_count(frame, result_address, taken, wanted);
  }
}

}  // namespace

Answer write_call(Frame& frame, std::size_t result_argument) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const Buffers parts, buffers(frame, frame.u32(1), frame.u32(2)));
  const std::uint32_t result_address = frame.u32(result_argument);
  if (file->kind == DescriptionKind::kStream) {
    return write_stream(frame, *file, parts, result_address);
  }
  if (file->kind == DescriptionKind::kListener) return Answer::done(Errno::kPipe);
  const std::string data = gather(parts, {.bytes_max = total_size(parts)});
  if (const auto synced = synced_write(frame, result_address, data.size())) return *synced;
  if (frame.state.stage == 0) frame.note_data(hash64(data));
  if (file->kind == DescriptionKind::kConsole) {
    if (frame.wants_text()) frame.what(file->console == 2 ? "write stderr" : "write stdout");
    return console_write(frame, *file, data, result_address);
  }
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  const auto count = files::write(frame.process(), *file, as_bytes(data));
  // Where it began: an append learns that only as it happens.
  describe_io(frame, "write", *file, count ? file->offset - *count : file->offset, data.size());
  if (frame.process().stopped()) return Answer::done();
  if (!count) return failed_write(frame, count.error(), data.size());
  return finish_write(frame, file, file->offset - *count, *count, result_address, data.size());
}

Answer fd_pwrite(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const Buffers parts, buffers(frame, frame.u32(1), frame.u32(2)));
  const std::string data = gather(parts, {.bytes_max = total_size(parts)});
  if (const auto synced = synced_write(frame, frame.u32(4), data.size())) return *synced;
  if (frame.state.stage == 0) frame.note_data(hash64(data));
  describe_io(frame, "pwrite", *file, frame.u64(3), data.size());
  if (is_negative(frame.u64(3))) return Answer::done(Errno::kInval);
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  kernel::Process& process = frame.process();
  std::uint64_t offset = frame.u64(3);
  if (file->kind == DescriptionKind::kFile && file->flags.append) {
    // Linux appends, wherever the program asks to write (pwrite(2), under bugs).
    SF_CALL_TRY(const kernel::disk::Stat stat, process.node().volume().stat(file->ino));
    offset = stat.size;
    describe_io(frame, "pwrite", *file, offset, data.size());
  }
  const auto count = files::write_at(process, *file, offset, as_bytes(data));
  if (process.stopped()) return Answer::done();
  if (!count) return failed_write(frame, count.error(), data.size());
  return finish_write(frame, file, offset, *count, frame.u32(4), data.size());
}

namespace {

Answer sync_call(Frame& frame, kernel::disk::SyncKind kind) {
  if (frame.state.stage == 0) {
    SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
    if (frame.wants_text()) {
      frame.what((kind == kernel::disk::SyncKind::kFull ? "fsync " : "fdatasync ") + file->path);
    }
    frame.state.stage = 1;
    SF_CALL_TRY(frame.state.operation,
                files::start_sync(frame.process(), file, {.kind = kind, .range = {}}));
  }
  const auto result = frame.process().operations().take(frame.state.operation);
  return result ? Answer::done(*result) : Answer::wait();
}

}  // namespace

Answer fd_sync(Frame& frame) { return sync_call(frame, kernel::disk::SyncKind::kFull); }
Answer fd_datasync(Frame& frame) { return sync_call(frame, kernel::disk::SyncKind::kDataOnly); }

}  // namespace sf::abi::wasi
