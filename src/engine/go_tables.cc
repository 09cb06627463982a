// The layout, from Go's runtime/symtab.go, runtime2.go and cmd/link/internal/ld/pcln.go (1.20 to
// 1.27; integers little-endian, addresses are offsets in linear memory):
//
//   header   0 magic 0xfffffff1, 4 zero u16, 6 instruction size 1, 7 pointer size 8, 8 count of
//            functions, 16 count of files, 24 unused, then offsets from the header: 32 names,
//            40 compile units, 48 file names, 56 pc-value programs, 64 functions
//   functions: pairs (entry u32, offset of its record u32), sorted, then one closing entry.
//            The entry is PC_F; older versions store PC_F << 16, and either may count from 0.
//   record   4 name, 16 pcsp, 20 pcfile, 24 pcln, 28 count of further programs, 32 first file of
//            the compile unit, 41 flags, 43 count of further data, 44 the programs, then the data
//   pc-value program: pairs of varints (change of value, zigzag; change of pc) until a zero; the
//            value before the first pair is -1 and holds up to the pc that follows it.
//   files:   value of pcfile + first file of the unit -> u32 in the compile units -> name
//
// Return addresses point behind the call, so a caller's line is looked up one before.
#include "engine/go_tables.h"

#include <algorithm>
#include <cstring>

#include "base/strings.h"

namespace sf::engine {
namespace {

constexpr std::uint32_t kPclntabMagic = 0xfffffff1;
constexpr std::uint8_t kHeaderStart[8] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8};
constexpr std::uint64_t kHeaderBytes = 72;
constexpr std::uint64_t kGoFunctionsMax = 1'000'000;
constexpr std::size_t kTextMax = 1024;
constexpr std::size_t kProgramStepsMax = 200'000;
constexpr std::size_t kCandidatesMax = 8;
constexpr std::uint64_t kRecordBytes = 44;
constexpr std::uint64_t kInlineProgram = 2;   // PCDATA_InlTreeIndex
constexpr std::uint64_t kInlineTree = 3;      // FUNCDATA_InlTree
constexpr int kInlineDepthMax = 32;
constexpr std::uint8_t kTopFrame = 1;    // goexit, mstart: the end of a stack
constexpr std::uint8_t kWritesSp = 2;    // a walk cannot pass it

std::uint64_t block_of(std::uint64_t pc) { return pc & 0xffff; }

}  // namespace

void find_go_tables(std::span<const std::uint8_t> bytes, std::uint64_t address,
                    std::vector<std::uint64_t>& candidates) {
  for (std::size_t at = (8 - address % 8) % 8; at + 8 <= bytes.size(); at += 8) {
    if (std::memcmp(bytes.data() + at, kHeaderStart, 8) != 0) continue;
    if (candidates.size() < kCandidatesMax) candidates.push_back(address + at);
  }
}

template <class T>
std::optional<T> GoTables::read(std::uint64_t address) const {
  if (memory_.size() < sizeof(T) || address > memory_.size() - sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, memory_.data() + address, sizeof(T));
  return value;
}

std::string GoTables::text(std::uint64_t address) const {
  std::string out;
  while (out.size() < kTextMax) {
    const auto c = read<char>(address + out.size());
    if (!c || *c == '\0') break;
    out.push_back(*c);
  }
  return excerpt(out, kTextMax);   // a source may give its file any name, by a //line
}

bool GoTables::read_header(std::uint64_t address) {
  if (address > memory_.size() || memory_.size() - address < kHeaderBytes) return false;
  if (read<std::uint32_t>(address) != kPclntabMagic) return false;
  const auto field = [&](std::uint64_t offset) { return *read<std::uint64_t>(address + offset); };
  function_count_ = field(8);
  for (const std::uint64_t offset : {32, 40, 48, 56, 64}) {
    if (field(offset) >= memory_.size() - address) return false;
  }
  names_ = address + field(32);
  units_ = address + field(40);
  files_ = address + field(48);
  programs_ = address + field(56);
  functions_ = address + field(64);
  if (function_count_ == 0 || function_count_ > kGoFunctionsMax) return false;
  const auto first = read<std::uint32_t>(functions_);
  const auto last = read<std::uint32_t>(functions_ + 8 * function_count_);
  if (!first || !last) return false;
  entry_shift_ = *last > 2 * kGoFunctionsMax ? 16 : 0;
  entry_first_ = *first >> entry_shift_ >= kGoFirstFunction ? kGoFirstFunction : 0;
  return true;
}

// runtime.moduledata begins with pointers to the header and to the names. gofunc, the base of the
// per-function data, comes at 320 from Go 1.20 to 1.26 and at 344 in 1.27, where the end of these
// tables follows; in the older layout a slice's length and capacity stand there, small numbers.
std::uint64_t GoTables::find_inlining(std::uint64_t header, std::uint64_t data_end) const {
  for (std::uint64_t at = (header + kHeaderBytes) & ~7ULL; at < data_end; at += 8) {
    const auto first = read<std::uint64_t>(at);
    if (!first) break;
    if (*first != header || read<std::uint64_t>(at + 8) != names_) continue;
    const bool newer = read<std::uint64_t>(at + 344).value_or(0) > 4096 &&
                       read<std::uint64_t>(at + 352).value_or(0) > functions_;
    return read<std::uint64_t>(at + (newer ? 344 : 320)).value_or(0);
  }
  return 0;
}

std::optional<GoTables::Place> GoTables::locate(std::span<const std::byte> memory,
                                                std::span<const std::uint64_t> candidates,
                                                std::uint64_t data_end) {
  for (const std::uint64_t address : candidates) {
    GoTables tables(memory);
    if (tables.read_header(address)) return Place{address, tables.find_inlining(address, data_end)};
  }
  return std::nullopt;
}

std::optional<GoTables> GoTables::open(std::span<const std::byte> memory, const Place& place) {
  GoTables tables(memory);
  if (!tables.read_header(place.header)) return std::nullopt;
  tables.inlining_ = place.inlining;
  return tables;
}

std::optional<GoTables::Function> GoTables::find(std::uint64_t pc) const {
  if (pc >> 16 < kGoFirstFunction) return std::nullopt;
  const std::uint64_t key = ((pc >> 16) - kGoFirstFunction + entry_first_) << entry_shift_;
  std::uint64_t low = 0;
  std::uint64_t high = function_count_;
  while (low < high) {  // the last entry that is not above the key
    const std::uint64_t middle = low + (high - low) / 2;
    const auto entry = read<std::uint32_t>(functions_ + 8 * middle);
    if (!entry) return std::nullopt;
    (*entry <= key ? low : high) = *entry <= key ? middle + 1 : middle;
  }
  if (low == 0 || read<std::uint32_t>(functions_ + 8 * (low - 1)) != key) return std::nullopt;
  const auto offset = read<std::uint32_t>(functions_ + 8 * (low - 1) + 4);
  if (!offset) return std::nullopt;
  const std::uint64_t at = functions_ + *offset;
  if (!read<std::uint64_t>(at + 36)) return std::nullopt;  // the whole record is there
  const auto word = [&](std::uint64_t field) { return *read<std::uint32_t>(at + field); };
  Function function;
  function.name = word(4);
  function.pcsp = word(16);
  function.pcfile = word(20);
  function.pcln = word(24);
  function.cu = word(32);
  function.flags = *read<std::uint8_t>(at + 41);
  const std::uint64_t programs = word(28);
  const std::uint64_t trees = at + kRecordBytes + 4 * programs;
  if (programs > kInlineProgram && *read<std::uint8_t>(at + 43) > kInlineTree) {
    function.inline_index = read<std::uint32_t>(at + kRecordBytes + 4 * kInlineProgram).value_or(0);
    function.inline_tree = read<std::uint32_t>(trees + 4 * kInlineTree).value_or(~0U);
  }
  return function;
}

// Calls visit(value, end) for each step, end being the first block behind it, until it says false.
template <class Visit>
void GoTables::walk_program(std::uint32_t program, Visit visit) const {
  if (program == 0) return;
  std::uint64_t at = programs_ + program;
  const auto varint = [&]() -> std::optional<std::uint32_t> {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const auto b = read<std::uint8_t>(at++);
      if (!b) return std::nullopt;
      value |= static_cast<std::uint32_t>(*b & 0x7f) << shift;
      if (!(*b & 0x80)) return value;
    }
    return std::nullopt;
  };
  std::uint32_t value = ~0U;
  std::uint64_t end = 0;
  for (std::size_t step = 0; step < kProgramStepsMax; ++step) {
    const auto change = varint();
    if (!change || (*change == 0 && step > 0)) return;
    const auto length = varint();
    if (!length) return;
    value += (*change >> 1) ^ (0 - (*change & 1));
    end += *length;
    if (!visit(static_cast<std::int32_t>(value), end)) return;
  }
}

std::optional<std::int32_t> GoTables::value_at(std::uint32_t program, std::uint64_t pc) const {
  std::optional<std::int32_t> found;
  walk_program(program, [&](std::int32_t value, std::uint64_t end) {
    if (block_of(pc) >= end) return true;
    found = value;
    return false;
  });
  return found;
}

StackFrame GoTables::place_of(const Function& function, std::uint64_t pc) const {
  StackFrame frame;
  const auto file = value_at(function.pcfile, pc);
  const auto line = value_at(function.pcln, pc);
  if (!file || *file < 0 || !line || *line < 0) return frame;
  const std::uint64_t unit = std::uint64_t{function.cu} + static_cast<std::uint32_t>(*file);
  const auto name = read<std::uint32_t>(units_ + 4 * unit);
  if (!name || *name == ~0U) return frame;
  frame.file = text(files_ + *name);
  frame.line = *line;
  return frame;
}

// An entry of the tree: 0 function id u8, 4 name, 8 block of the call in the parent, 12 first line.
// The layout has no version, so a name must at least begin where names begin.
std::optional<GoTables::InlinedCall> GoTables::inlined_at(const Function& function,
                                                          std::uint64_t pc) const {
  if (inlining_ == 0 || function.inline_tree == ~0U) return std::nullopt;
  const auto index = value_at(function.inline_index, pc);
  if (!index || *index < 0) return std::nullopt;
  const std::uint64_t at =
      inlining_ + function.inline_tree + 16 * static_cast<std::uint64_t>(*index);
  const auto name = read<std::uint32_t>(at + 4);
  const auto parent = read<std::uint32_t>(at + 8);
  if (!name || !parent || *name == 0 || *parent > 0xffff) return std::nullopt;
  if (names_ + *name >= units_ || read<char>(names_ + *name - 1) != '\0') return std::nullopt;
  return InlinedCall{text(names_ + *name), *parent};
}

std::vector<StackFrame> GoTables::frames(std::uint64_t pc) const {
  std::vector<StackFrame> out;
  const auto function = find(pc);
  if (!function) return out;
  for (int depth = 0; depth < kInlineDepthMax; ++depth) {
    out.push_back(place_of(*function, pc));
    const auto call = inlined_at(*function, pc);
    out.back().function = call ? call->name : text(names_ + function->name);
    if (!call) break;
    pc = (pc & ~0xffffULL) | call->parent_block;
  }
  return out;
}

std::optional<std::uint64_t> GoTables::frame_size(std::uint64_t pc) const {
  const auto function = find(pc);
  if (!function) return std::nullopt;
  const auto size = value_at(function->pcsp, pc);
  if (!size || *size < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*size);
}

std::vector<std::uint64_t> GoTables::frame_sizes(std::uint64_t pc) const {
  std::vector<std::uint64_t> sizes;
  const auto function = find(pc);
  if (!function) return sizes;
  walk_program(function->pcsp, [&](std::int32_t value, std::uint64_t) {
    const auto size = static_cast<std::uint64_t>(value);
    if (value >= 0 && std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
      sizes.push_back(size);
    }
    return sizes.size() < 16;
  });
  return sizes;
}

std::optional<std::uint64_t> GoTables::return_function(std::uint64_t return_slot) const {
  const auto pc = read<std::uint64_t>(return_slot);
  if (!pc || !find(*pc)) return std::nullopt;
  return *pc >> 16;
}

std::vector<StackFrame> GoTables::callers(std::uint64_t return_slot, std::size_t count_max) const {
  std::vector<StackFrame> out;
  while (out.size() < count_max) {
    const auto pc = read<std::uint64_t>(return_slot);
    if (!pc) break;
    const auto function = find(*pc);
    if (!function || (function->flags & kTopFrame)) break;
    for (StackFrame& frame : frames(block_of(*pc) > 0 ? *pc - 1 : *pc)) {
      if (out.size() < count_max) out.push_back(std::move(frame));
    }
    const auto size = frame_size(*pc);
    if (!size || (function->flags & kWritesSp)) break;
    return_slot += *size + 8;
  }
  return out;
}

}  // namespace sf::engine
