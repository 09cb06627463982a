// Numbers of the WebAssembly binary format that the engine's own code uses.
//
// Source: WebAssembly Core Specification 2.0, chapter 5 (binary format).
#pragma once

#include <cstdint>

namespace sf::engine::wasm {

enum Section : std::uint8_t {
  kCustom = 0,
  kType = 1,
  kImport = 2,
  kFunction = 3,
  kTable = 4,
  kMemory = 5,
  kGlobal = 6,
  kExport = 7,
  kStart = 8,
  kElement = 9,
  kCode = 10,
  kData = 11,
  kDataCount = 12,
  kTag = 13,
};
constexpr std::uint8_t kSectionCount = 14;

enum ExternKind : std::uint8_t {
  kExternFunction = 0,
  kExternTable = 1,
  kExternMemory = 2,
  kExternGlobal = 3,
  kExternTag = 4,
};

enum ValueType : std::uint8_t {
  kI32 = 0x7f,
  kI64 = 0x7e,
  kF32 = 0x7d,
  kF64 = 0x7c,
  kV128 = 0x7b,
  kFuncRef = 0x70,
  kExternRef = 0x6f,
};

constexpr std::uint8_t kFunctionType = 0x60;
constexpr std::uint8_t kEmptyBlock = 0x40;

enum Opcode : std::uint8_t {
  kUnreachable = 0x00,
  kBlock = 0x02,
  kLoop = 0x03,
  kIf = 0x04,
  kElse = 0x05,
  kEnd = 0x0b,
  kBr = 0x0c,
  kBrIf = 0x0d,
  kBrTable = 0x0e,
  kReturn = 0x0f,
  kCall = 0x10,
  kCallIndirect = 0x11,
  kReturnCall = 0x12,
  kReturnCallIndirect = 0x13,
  kSelectTyped = 0x1c,
  kLocalGet = 0x20,
  kGlobalGet = 0x23,
  kGlobalSet = 0x24,
  kI64Load = 0x29,
  kI64Store = 0x37,
  kI32Const = 0x41,
  kI64Const = 0x42,
  kI64LtS = 0x53,
  kI64Sub = 0x7d,
  kI64Or = 0x84,
  kI64Shl = 0x86,
  kI64ExtendI32U = 0xad,
  kRefNull = 0xd0,
  kRefFunc = 0xd2,
};

}  // namespace sf::engine::wasm
