#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "abi/wasi/calls.h"
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

constexpr std::uint32_t kIovecsMax = 1024;   // IOV_MAX, limits.h
// readv and writev return at most this many bytes (MAX_RW_COUNT of Linux, 2^31 minus a page).
constexpr std::uint64_t kTransferMax = 0x7ffff000;

// The guest's buffers, checked. The views are good until the program runs again. They may overlap
// and so ask for more than the whole memory: then that much is transferred (POSIX allows a part),
// and no call makes us hold more than the guest may.
Outcome<std::vector<std::span<std::byte>>> buffers(Frame& frame, std::uint32_t address,
                                                   std::uint32_t count) {
  if (count > kIovecsMax) return kernel::fail(Errno::kInval);
  std::vector<std::span<std::byte>> out;
  std::uint64_t left = std::min<std::uint64_t>(kTransferMax, frame.guest().memory().size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = std::uint64_t{address} + std::uint64_t{i} * sizeof(Iovec);
    if (at > std::numeric_limits<std::uint32_t>::max()) return kernel::fail(Errno::kFault);
    const auto vector = frame.get<Iovec>(static_cast<std::uint32_t>(at));
    if (!vector) return kernel::fail(vector.error());
    const auto range = frame.bytes(vector->address, vector->size);
    if (!range) return kernel::fail(range.error());
    const std::uint64_t take = std::min<std::uint64_t>(left, range->size());
    left -= take;
    out.push_back(range->first(take));
  }
  return out;
}

// One contiguous copy of what is to be written: a writev is one operation for the disk.
std::string gather(const std::vector<std::span<std::byte>>& from) {
  std::string data;
  for (const auto& part : from)
    data.append(reinterpret_cast<const char*>(part.data()), part.size());
  return data;
}

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

std::uint64_t total_size(const std::vector<std::span<std::byte>>& parts) {
  std::uint64_t total = 0;
  for (const auto& part : parts) total += part.size();
  return total;
}

// Reads into the guest's buffers through one staging copy when there are several.
template <class Read>
Outcome<std::size_t> read_into(Frame& frame, const std::vector<std::span<std::byte>>& parts,
                               Read read) {
  if (parts.empty()) return read(std::span<std::byte>());
  std::vector<std::byte> staging;
  std::span<std::byte> into = parts[0];
  if (parts.size() > 1) {
    staging.resize(total_size(parts));
    into = staging;
  }
  const Outcome<std::size_t> count = read(into);
  if (!count) return count;
  frame.note_data(hash64(into.first(*count)));
  if (parts.size() > 1) {
    std::size_t done = 0;
    for (const auto& part : parts) {
      const std::size_t take = std::min(part.size(), *count - done);
      std::copy_n(staging.begin() + static_cast<std::ptrdiff_t>(done), take, part.begin());
      done += take;
    }
  }
  return count;
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
  SF_CALL_TRY(const std::vector<std::span<std::byte>> parts,
              buffers(frame, frame.u32(1), frame.u32(2)));
  const std::uint64_t wanted = total_size(parts);
  describe_io(frame, "read", *file, file->offset, wanted);
  if (file->kind == DescriptionKind::kConsole)
    return report_count(frame, frame.u32(result_argument), 0, 0);
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  kernel::Process& process = frame.process();
  const auto count = read_into(frame, parts, [&](std::span<std::byte> into) {
    return file->kind == DescriptionKind::kStream
               ? process.room().network().receive(process, file->socket, into)
               : files::read(process, *file, into);
  });
  if (!count && count.error() == Errno::kAgain) return would_block(*file);
  if (!count) return Answer::done(count.error());
  return report_count(frame, frame.u32(result_argument), *count, wanted);
}

Answer fd_pread(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const std::vector<std::span<std::byte>> parts,
              buffers(frame, frame.u32(1), frame.u32(2)));
  const std::uint64_t wanted = total_size(parts);
  describe_io(frame, "pread", *file, frame.u64(3), wanted);
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  SF_CALL_TRY(const std::size_t count, read_into(frame, parts, [&](std::span<std::byte> into) {
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

Answer write_call(Frame& frame, std::size_t result_argument) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const std::vector<std::span<std::byte>> parts,
              buffers(frame, frame.u32(1), frame.u32(2)));
  const std::string data = gather(parts);
  if (const auto synced = synced_write(frame, frame.u32(result_argument), data.size()))
    return *synced;
  if (frame.state.stage == 0) {
    frame.note_data(hash64(data));
    if (file->kind != DescriptionKind::kFile) frame.state.stage = 1;
  }
  kernel::Process& process = frame.process();
  if (file->kind == DescriptionKind::kConsole) {
    if (frame.wants_text()) frame.what(file->console == 2 ? "write stderr" : "write stdout");
    return console_write(frame, *file, data, frame.u32(result_argument));
  }
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  const auto count = file->kind == DescriptionKind::kStream
                         ? process.room().network().send(process, file->socket, as_bytes(data))
                         : files::write(process, *file, as_bytes(data));
  // Where it began: an append learns that only as it happens.
  describe_io(frame, "write", *file, count ? file->offset - *count : file->offset, data.size());
  if (process.stopped()) return Answer::done();
  if (!count && count.error() == Errno::kAgain) return would_block(*file);
  if (!count) return Answer::done(count.error());
  return finish_write(frame, file, file->offset - *count, *count, frame.u32(result_argument),
                      data.size());
}

Answer fd_pwrite(Frame& frame) {
  SF_CALL_TRY(const std::shared_ptr<Description> file, description(frame, 0));
  SF_CALL_TRY(const std::vector<std::span<std::byte>> parts,
              buffers(frame, frame.u32(1), frame.u32(2)));
  const std::string data = gather(parts);
  if (const auto synced = synced_write(frame, frame.u32(4), data.size())) return *synced;
  if (frame.state.stage == 0) frame.note_data(hash64(data));
  describe_io(frame, "pwrite", *file, frame.u64(3), data.size());
  if (const auto wait = wait_for_disk(frame, *file)) return *wait;
  const auto count = files::write_at(frame.process(), *file, frame.u64(3), as_bytes(data));
  if (frame.process().stopped()) return Answer::done();
  if (!count) return Answer::done(count.error());
  return finish_write(frame, file, frame.u64(3), *count, frame.u32(4), data.size());
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
