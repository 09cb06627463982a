// A guest that calls whatever the input says. The program is the same for every input: a loop over
// a list of calls in its memory, each a number and up to nine arguments of 64 bits. One more
// import, fuzz.script, fills that memory from the input when the program starts.
//
// Uniformly random arguments would only ever meet the first check, so the input is decoded: each
// argument has a tag that makes it a small number, an address of the scratch memory, one near the
// end of memory, or anything. What does not fit an address is still drawn often enough.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call_table.h"
#include "abi/wasm_guest.h"
#include "base/check.h"
#include "base/host/file.h"
#include "engine/wasm_format.h"
#include "engine/wasm_reader.h"
#include "tests/fuzz/targets.h"
#include "world/config.h"
#include "world/run.h"
#include "world/world.h"

namespace sf::fuzz {
namespace {

using engine::WasmWriter;
namespace wasm = engine::wasm;

// Memory of the guest.
constexpr std::uint32_t kPages = 2;
constexpr std::uint32_t kMemoryBytes = kPages << 16;
constexpr std::uint32_t kScratch = 0x1000, kScratchEnd = 0x8000;
constexpr std::uint32_t kScript = 0x8000;
constexpr std::uint32_t kArguments = abi::kArgumentsMax;
constexpr std::uint32_t kCallBytes = 8 + 8 * kArguments;
constexpr std::uint32_t kCallsMax = (kMemoryBytes - kScript) / kCallBytes - 1;
static_assert(kArguments <= 15);

Bytes the_input;   // tidy: allow(mutable-static) what fuzz.script hands out

// Takes bytes off the front of the input; zeros at the end.
class Source {
 public:
  explicit Source(Bytes left) : left_(left) {}
  bool at_end() const { return left_.empty(); }
  template <class T>
  T take() {
    T value{};
    const std::size_t size = std::min(sizeof(T), left_.size());
    std::memcpy(&value, left_.data(), size);
    left_ = left_.subspan(size);
    return value;
  }
  Bytes take_bytes(std::size_t most) {
    const Bytes taken = left_.first(std::min(most, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  Bytes left_;
};

std::uint64_t draw_argument(Source& source) {
  const auto tag = source.take<std::uint8_t>();
  switch (tag & 7) {
    case 0: return tag >> 3;                                           // a descriptor, a flag
    case 1: return kScratch + source.take<std::uint16_t>() % (kScratchEnd - kScratch);
    case 2: return source.take<std::uint8_t>();                        // a length
    case 3: return kMemoryBytes - (tag >> 3);                          // near the end
    case 4: return source.take<std::uint32_t>();
    case 5: return source.take<std::uint64_t>();
    case 6: return 1ULL << (source.take<std::uint8_t>() & 63);
    default: return kScratch + 32 * (tag >> 3);                        // where results lie
  }
}

// Scratch memory and script, from the input.
engine::CallOutcome script(engine::HostEnvironment& environment, const engine::Slot*,
                           engine::Slot*) {
  const std::span<std::byte> memory = static_cast<abi::WasmGuest&>(environment).memory();
  SF_CHECK(memory.size() >= kMemoryBytes);
  Source source(the_input);
  // Texts and vectors that every input can use, then those of the input.
  constexpr std::string_view kPaths[] = {"a", "d/b",      "../x",     "l",
                                         "/", "server:7", "peer:700", "."};
  std::uint32_t at = kScratch;
  for (const std::string_view path : kPaths) {
    std::memcpy(memory.data() + at, path.data(), path.size());
    at += 32;
  }
  for (std::uint32_t i = 0; i < 8; ++i, at += 32) {
    const std::array<std::uint32_t, 4> vectors = {kScratch + 32 * i, 1 + i, kScratch + 0x400,
                                                  64U << i};
    std::memcpy(memory.data() + at, vectors.data(), sizeof(vectors));
  }
  const Bytes scratch = source.take_bytes(source.take<std::uint8_t>() * 4);
  std::memcpy(memory.data() + kScratch + 0x200, scratch.data(), scratch.size());
  for (std::uint32_t i = 0; i < kCallsMax && !source.at_end(); ++i) {
    std::byte* const call = memory.data() + kScript + i * kCallBytes;
    const std::uint64_t number = 1 + source.take<std::uint8_t>() % abi::host_functions().size();
    std::memcpy(call, &number, 8);
    const std::string_view parameters = abi::host_functions()[number - 1].parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::uint64_t value = draw_argument(source);
      std::memcpy(call + 8 + 8 * k, &value, 8);
    }
  }
  return engine::CallOutcome::kReturn;
}

constexpr engine::HostFunction kScriptFunction[] = {
    {"fuzz", "script", "", "", false, script}};

std::uint8_t value_type(char spelled) {
  switch (spelled) {
    case 'I': return wasm::kI64;
    case 'f': return wasm::kF32;
    case 'F': return wasm::kF64;
    default: return wasm::kI32;
  }
}

void write_types(WasmWriter& out, std::string_view spelled) {
  out.u(spelled.size());
  for (const char c : spelled) out.byte(value_type(c));
}

// One call: arguments from the record that local 0 points to, then the next record.
void write_call(WasmWriter& code, std::uint32_t function, const engine::HostFunction& callee) {
  constexpr std::uint8_t kI32WrapI64 = 0xa7, kDrop = 0x1a;
  for (std::size_t k = 0; k < callee.parameters.size(); ++k) {
    SF_CHECK(callee.parameters[k] == 'i' || callee.parameters[k] == 'I');
    code.byte(wasm::kLocalGet).u(0).byte(wasm::kI64Load).u(3).u(8 + 8 * k);
    if (callee.parameters[k] == 'i') code.byte(kI32WrapI64);
  }
  code.byte(wasm::kCall).u(function);
  if (!callee.result.empty()) code.byte(kDrop);
}

// A module may import a name in one form only, and some names have several.
enum class Forms : std::uint8_t { kFirst, kLast };

bool imports_form(std::size_t number, Forms forms) {
  const std::span<const engine::HostFunction> all = abi::host_functions();
  for (std::size_t other = 0; other < all.size(); ++other) {
    const bool same_name = all[other].module == all[number].module &&
                           std::string_view(all[other].name) == all[number].name;
    if (same_name && (forms == Forms::kFirst ? other < number : other > number)) return false;
  }
  return true;
}

// loop { n = load(p); p += size; br_table n … }: block k + 1 from the inside ends before call k.
// A call in a form that is not imported is passed over.
WasmWriter body_of_start(std::span<const engine::HostFunction> functions, Forms forms,
                         std::uint32_t script_function) {
  constexpr std::uint8_t kLocalSet = 0x21, kI32Add = 0x6a, kI32Load = 0x28;
  const auto count = static_cast<std::uint32_t>(functions.size());
  WasmWriter code;
  code.u(1).u(1).byte(wasm::kI32);   // one local
  code.byte(wasm::kCall).u(script_function);
  code.byte(wasm::kI32Const).s(kScript - kCallBytes).byte(kLocalSet).u(0);
  code.byte(wasm::kLoop).byte(wasm::kEmptyBlock);
  code.byte(wasm::kLocalGet).u(0).byte(wasm::kI32Const).s(kCallBytes).byte(kI32Add);
  code.byte(kLocalSet).u(0);
  for (std::uint32_t i = 0; i <= count; ++i) code.byte(wasm::kBlock).byte(wasm::kEmptyBlock);
  code.byte(wasm::kLocalGet).u(0).byte(kI32Load).u(2).u(0);
  code.byte(wasm::kBrTable).u(count + 1);
  code.u(count);                                        // number 0: the end, behind everything
  for (std::uint32_t i = 0; i < count; ++i) code.u(i);  // number i + 1
  code.u(count);
  for (std::uint32_t i = 0, imported = 0; i < count; ++i) {
    code.byte(wasm::kEnd);                              // the block of call i
    if (imports_form(i, forms)) write_call(code, imported++, functions[i]);
    code.byte(wasm::kBr).u(count - i);                  // the loop: inside the outer blocks
  }
  code.byte(wasm::kEnd).byte(wasm::kEnd).byte(wasm::kEnd);   // outermost block, loop, function
  return code;
}

std::string driver(Forms forms) {
  const std::span<const engine::HostFunction> functions = abi::host_functions();
  std::uint32_t count = 0;   // of imports, without fuzz.script
  for (std::size_t i = 0; i < functions.size(); ++i) count += imports_form(i, forms) ? 1 : 0;
  WasmWriter types, imports, out;
  types.u(count + 1);
  imports.u(count + 1);
  for (std::uint32_t i = 0, imported = 0; i < functions.size(); ++i) {
    if (!imports_form(i, forms)) continue;
    types.byte(wasm::kFunctionType);
    write_types(types, functions[i].parameters);
    write_types(types, functions[i].result);
    imports.name(functions[i].module).name(functions[i].name).byte(wasm::kExternFunction);
    imports.u(imported++);
  }
  types.byte(wasm::kFunctionType).u(0).u(0);
  imports.name("fuzz").name("script").byte(wasm::kExternFunction).u(count);
  WasmWriter defined, memory, exports, code;
  defined.u(1).u(count);
  memory.u(1).byte(0).u(kPages);
  exports.u(2).name("_start").byte(wasm::kExternFunction).u(count + 1);
  exports.name("memory").byte(wasm::kExternMemory).u(0);
  code.u(1).sized(body_of_start(functions, forms, count));
  out.raw(std::string_view("\0asm\1\0\0\0", 8));
  out.section(wasm::kType, types);
  out.section(wasm::kImport, imports);
  out.section(wasm::kFunction, defined);
  out.section(wasm::kMemory, memory);
  out.section(wasm::kExport, exports);
  out.section(wasm::kCode, code);
  return out.take();
}

constexpr const char* kWorld = R"({
  "nodes": [{"name": "server", "wasm": "./driver.wasm", "args": ["-x"], "env": {"A": "b"}},
            {"name": "peer", "wasm": "./other_forms.wasm", "supervise": true}],
  "workload": {"name": "client", "wasm": "./driver.wasm"},
  "horizon": "2s",
  "disk": {"capacity": "1MiB"},
  "faults": {"crash_on_io": 0.01, "restart_after": "10ms", "torn_writes": 0.5, "fsync_eio": 0.1,
             "write_eio": 0.05, "read_eio": 0.05, "short_writes": 0.1},
  "limits": {"steps": 20000, "open_files": 64, "output_bytes": 65536, "spin": "200ms",
             "events_per_instant": 5000}
})";

const world::World& the_world() {
  static const std::unique_ptr<world::World> kMade = [] {
    const auto folder = host::make_temporary_directory("seedfall-fuzz-");
    SF_CHECK(folder.has_value());
    SF_CHECK(host::write_file(*folder + "/driver.wasm", driver(Forms::kFirst)).has_value());
    SF_CHECK(host::write_file(*folder + "/other_forms.wasm", driver(Forms::kLast)).has_value());
    SF_CHECK(host::write_file(*folder + "/world.json", kWorld).has_value());
    auto config = world::load_config(*folder + "/world.json");
    SF_CHECK_MSG(config.has_value(), config.error().text());
    auto world = world::World::prepare(*std::move(config), {.extra_functions = kScriptFunction});
    SF_CHECK_MSG(world.has_value(), world.error().text());
    SF_CHECK(host::remove_tree(*folder).has_value());
    return *std::move(world);
  }();
  return *kMade;
}

}  // namespace

void imports(Bytes input) {
  if (input.empty()) return;
  the_input = input.subspan(1);
  world::RunSpec spec;
  spec.seed = input.front();
  const auto first = world::run(the_world(), spec);
  SF_CHECK_MSG(first.has_value(), first.error().text());
  const auto second = world::run(the_world(), spec);
  SF_CHECK(second.has_value());
  SF_CHECK(first->hash == second->hash);
  SF_CHECK(first->steps <= 20'010);   // limits.steps, and the records of the end
}

}  // namespace sf::fuzz
