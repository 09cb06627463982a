#include "engine/wasm_instruction.h"

#include <fmt/format.h>

#include "engine/wasm_format.h"

namespace sf::engine {
namespace {

[[noreturn]] void refuse(const WasmReader& reader, std::string_view feature, unsigned opcode) {
  reader.fail(fmt::format("unsupported feature: {} (opcode {:#04x})", feature, opcode));
}

[[noreturn]] void unknown(const WasmReader& reader, unsigned opcode) {
  reader.fail(fmt::format("unknown opcode {:#04x}", opcode));
}

// Alignment and offset of a memory access. Bit 6 of the alignment announces a memory index.
void skip_memory_argument(WasmReader& reader) {
  const std::uint32_t alignment = reader.u32();
  if ((alignment & 0x40) && reader.u32() != 0) refuse(reader, "several memories", 0x40);
  reader.u64();
}

void skip_memory_index(WasmReader& reader) {
  if (reader.u32() != 0) refuse(reader, "several memories", 0x40);
}

void skip_branch_table(WasmReader& reader) {
  const std::uint32_t targets = reader.count("branch targets");
  for (std::uint32_t i = 0; i <= targets; ++i) reader.u32();
}

// Prefix 0xfc: saturating truncation, bulk memory, table operations.
void skip_miscellaneous(WasmReader& reader) {
  const std::uint32_t operation = reader.u32();
  switch (operation) {
    case 8:  // memory.init
      reader.u32();
      return skip_memory_index(reader);
    case 10:  // memory.copy
      skip_memory_index(reader);
      return skip_memory_index(reader);
    case 11:  // memory.fill
      return skip_memory_index(reader);
    case 12: case 14:  // table.init, table.copy
      reader.u32();
      reader.u32();
      return;
    case 9: case 13: case 15: case 16: case 17:  // data.drop, elem.drop, table.grow, .size, .fill
      reader.u32();
      return;
    default:
      if (operation > 17) unknown(reader, 0xfc00 | operation);
  }
}

// Prefix 0xfd: fixed-width SIMD.
void skip_simd(WasmReader& reader) {
  const std::uint32_t operation = reader.u32();
  if (operation <= 11 || operation == 92 || operation == 93) return skip_memory_argument(reader);
  if (operation == 12 || operation == 13) {  // v128.const, i8x16.shuffle
    reader.take(16, "a SIMD constant");
    return;
  }
  if (operation >= 84 && operation <= 91) skip_memory_argument(reader);  // load and store of a lane
  if ((operation >= 84 && operation <= 91) || (operation >= 21 && operation <= 34)) {
    reader.byte();  // lane number
    return;
  }
  if (operation >= 0x100 && operation <= 0x113) refuse(reader, "relaxed SIMD", 0xfd);
  if (operation > 0xff) unknown(reader, 0xfd0000 | operation);
}

// The opcodes of proposals that seedfall does not run.
[[noreturn]] void refuse_opcode(WasmReader& reader, std::uint8_t opcode) {
  switch (opcode) {
    case 0x06: case 0x07: case 0x08: case 0x09: case 0x0a: case 0x18: case 0x19: case 0x1f:
      refuse(reader, "exceptions", opcode);
    case 0x14: case 0x15: case 0xd4: case 0xd5: case 0xd6:
      refuse(reader, "typed function references", opcode);
    case 0xd3: case 0xfb:
      refuse(reader, "garbage collection", opcode);
    case 0xfe:
      refuse(reader, "threads", opcode);
    default:
      unknown(reader, opcode);
  }
}

}  // namespace

void skip_immediates(WasmReader& reader, std::uint8_t opcode) {
  if (opcode >= 0x45 && opcode <= 0xc4) return;                               // arithmetic
  if (opcode >= 0x28 && opcode <= 0x3e) return skip_memory_argument(reader);  // load, store
  if (opcode >= 0x20 && opcode <= 0x26) {  // local, global, table
    reader.u32();
    return;
  }
  switch (opcode) {
    case 0x00: case 0x01: case 0x05: case 0x0b: case 0x0f: case 0x1a: case 0x1b: case 0xd1:
      return;
    case wasm::kBlock: case wasm::kLoop: case wasm::kIf:
    case wasm::kI32Const: case wasm::kI64Const: case wasm::kRefNull:
      reader.s64();
      return;
    case wasm::kBr: case wasm::kBrIf: case wasm::kCall: case wasm::kReturnCall: case wasm::kRefFunc:
      reader.u32();
      return;
    case wasm::kCallIndirect: case wasm::kReturnCallIndirect:
      reader.u32();
      reader.u32();
      return;
    case wasm::kBrTable:
      return skip_branch_table(reader);
    case wasm::kSelectTyped:
      reader.take(reader.count("types"), "the types of select");
      return;
    case 0x3f: case 0x40:  // memory.size, memory.grow
      return skip_memory_index(reader);
    case 0x43:
      reader.take(4, "f32.const");
      return;
    case 0x44:
      reader.take(8, "f64.const");
      return;
    case 0xfc:
      return skip_miscellaneous(reader);
    case 0xfd:
      return skip_simd(reader);
    default:
      refuse_opcode(reader, opcode);
  }
}

}  // namespace sf::engine
