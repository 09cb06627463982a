#include "engine/module_reader.h"

#include <fmt/format.h>

#include "engine/wasm_instruction.h"

namespace sf::engine {
namespace {

using wasm::Section;

// Bounds that no real program reaches; they keep a hostile module from costing memory.
constexpr std::uint32_t kTypesMax = 1'000'000;
constexpr std::uint32_t kFunctionsMax = 1'000'000;
constexpr std::uint32_t kParametersMax = 1'000;

constexpr std::string_view kSectionNames[] = {
    "custom", "type",    "import", "function", "table", "memory",     "global",
    "export", "start",   "element", "code",    "data",  "data count", "tag"};

std::string section_title(std::uint8_t id) {
  return fmt::format("section {} ({})", id, kSectionNames[id]);
}

// The eight globals that every Go module defines: SP, CTXT, g, RET0 to RET3, PAUSE.
constexpr std::string_view kGoGlobals = "\x7f\x7e\x7e\x7e\x7e\x7e\x7e\x7f";

void read_sections(WasmReader& reader, Module& module) {
  int rank_last = 0;
  while (!reader.at_end()) {
    const std::uint64_t start = reader.offset();
    const std::uint8_t id = reader.byte();
    if (id >= wasm::kSectionCount) {
      WasmReader::fail_at(start, fmt::format("unknown section {}", id));
    }
    WasmReader body = reader.nested(reader.u32(), section_title(id));
    if (id == wasm::kCustom) {
      const auto payload = body.rest();
      const std::uint64_t offset = body.offset();
      module.customs.push_back({body.name(), payload, offset, rank_last});
      continue;
    }
    if (section_rank(id) <= rank_last) {
      WasmReader::fail_at(start, section_title(id) + " is out of order or doubled");
    }
    rank_last = section_rank(id);
    module.sections[id] = {true, body.rest(), body.offset()};
  }
}

std::string read_type_list(WasmReader& reader) {
  const std::uint32_t n = reader.count("value types");
  if (n > kParametersMax) reader.fail(fmt::format("{} parameters or results in one type", n));
  std::string types;
  for (std::uint32_t i = 0; i < n; ++i) types.push_back(static_cast<char>(read_value_type(reader)));
  return types;
}

void read_types(WasmReader reader, Module& module) {
  const std::uint32_t n = reader.count("types");
  if (n > kTypesMax) reader.fail(fmt::format("{} types, above {}", n, kTypesMax));
  for (std::uint32_t i = 0; i < n; ++i) {
    if (reader.byte() != wasm::kFunctionType) {
      reader.fail("unsupported feature: garbage collection (a type that is not a function)");
    }
    std::string parameters = read_type_list(reader);
    module.types.push_back({std::move(parameters), read_type_list(reader)});
  }
  if (!reader.at_end()) reader.fail("extra bytes in the type section");
}

std::uint32_t read_type_index(WasmReader& reader, const Module& module) {
  const std::uint32_t index = reader.u32();
  if (index >= module.types.size()) reader.fail(fmt::format("unknown type {}", index));
  return index;
}

void read_import(WasmReader& reader, Module& module) {
  ImportedItem item;
  item.module = reader.name();
  item.name = reader.name();
  switch (const std::uint8_t kind = reader.byte()) {
    case wasm::kExternFunction: {
      const std::uint32_t type = read_type_index(reader, module);
      item.parameters = spell_types(module.types[type].parameters);
      item.result = spell_types(module.types[type].results);
      module.imported_types.push_back(type);
      break;
    }
    case wasm::kExternTable:
      item.kind = ImportKind::kTable;
      skip_table_type(reader);
      break;
    case wasm::kExternMemory:
      item.kind = ImportKind::kMemory;
      module.memory_pages_min = read_memory_limits(reader);
      ++module.memories;
      break;
    case wasm::kExternGlobal:
      item.kind = ImportKind::kGlobal;
      read_value_type(reader);
      reader.byte();
      ++module.globals;
      break;
    default:
      reader.fail(kind == wasm::kExternTag ? "unsupported feature: exceptions (an imported tag)"
                                           : fmt::format("unknown kind of import {}", kind));
  }
  if (item.module == kTickModule && item.name == kTickName) {
    reader.fail("the module imports seedfall.tick itself; it was rewritten already");
  }
  module.imports.push_back(std::move(item));
}

void read_imports(WasmReader reader, Module& module) {
  for (std::uint32_t n = reader.count("imports"); n > 0; --n) read_import(reader, module);
  if (!reader.at_end()) reader.fail("extra bytes in the import section");
}

void read_functions(WasmReader reader, Module& module) {
  const std::uint32_t n = reader.count("functions");
  if (n > kFunctionsMax) reader.fail(fmt::format("{} functions, above {}", n, kFunctionsMax));
  for (std::uint32_t i = 0; i < n; ++i) {
    module.defined_types.push_back(read_type_index(reader, module));
  }
  if (!reader.at_end()) reader.fail("extra bytes in the function section");
}

void read_memories(WasmReader reader, Module& module) {
  for (std::uint32_t n = reader.count("memories"); n > 0; --n) {
    module.memory_pages_min = read_memory_limits(reader);
    ++module.memories;
  }
  if (module.memories > 1) reader.fail("unsupported feature: several memories");
}

void skip_constant_expression(WasmReader& reader) {
  for (std::uint8_t opcode = reader.byte(); opcode != wasm::kEnd; opcode = reader.byte()) {
    skip_immediates(reader, opcode);
  }
}

void read_globals(WasmReader reader, Module& module) {
  std::string mutable_types;
  const std::uint32_t n = reader.count("globals");
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint8_t type = read_value_type(reader);
    if (reader.byte() == 1) mutable_types.push_back(static_cast<char>(type));
    skip_constant_expression(reader);
  }
  module.is_go = module.globals == 0 && mutable_types == kGoGlobals;
  module.globals += n;
}

void check_export_name(const WasmReader& reader, std::string_view name) {
  for (const std::string_view reserved : {kEntryExport, kControlExport, kGoGExport, kGoSpExport}) {
    if (name == reserved) reader.fail(fmt::format("the module exports {}, a reserved name", name));
  }
}

bool read_exports(WasmReader reader, Module& module) {
  bool found = false;
  for (std::uint32_t n = reader.count("exports"); n > 0; --n) {
    const std::string_view name = reader.name();
    check_export_name(reader, name);
    const std::uint8_t kind = reader.byte();
    const std::uint32_t index = reader.u32();
    if (kind == wasm::kExternTag) reader.fail("unsupported feature: exceptions (an exported tag)");
    if (name != "_start" || kind != wasm::kExternFunction) continue;
    module.start_export = index;
    found = true;
  }
  return found;
}

void require_plain_function(const Module& module, std::uint32_t function, std::string_view what) {
  const std::uint32_t functions = module.imported_functions() + module.defined_functions();
  if (function >= functions) {
    throw WasmError{fmt::format("{} is function {}, but there are {}", what, function, functions)};
  }
  if (module.type_of(function) != FunctionType{}) {
    throw WasmError{fmt::format("{} takes parameters or returns values", what)};
  }
}

void check_code_count(const Module& module) {
  WasmReader code = module.reader(wasm::kCode);
  const std::uint32_t bodies = module.sections[wasm::kCode].present ? code.u32() : 0;
  if (bodies != module.defined_functions()) {
    throw WasmError{fmt::format("{} functions are declared but {} have a body",
                                module.defined_functions(), bodies)};
  }
}

}  // namespace

const FunctionType& Module::type_of(std::uint32_t function) const {
  const std::uint32_t imported = imported_functions();
  return types[function < imported ? imported_types[function] : defined_types[function - imported]];
}

int section_rank(std::uint8_t id) {
  constexpr int kRanks[wasm::kSectionCount] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6};
  return kRanks[id];
}

std::uint8_t read_value_type(WasmReader& reader) {
  switch (const std::uint8_t type = reader.byte()) {
    case wasm::kI32: case wasm::kI64: case wasm::kF32: case wasm::kF64:
    case wasm::kV128: case wasm::kFuncRef: case wasm::kExternRef:
      return type;
    case 0x63: case 0x64:
      reader.fail("unsupported feature: typed function references");
    default:
      reader.fail(fmt::format("unsupported value type {:#04x}", type));
  }
}

std::uint64_t read_memory_limits(WasmReader& reader) {
  const std::uint8_t flags = reader.byte();
  if (flags & 2) reader.fail("unsupported feature: threads (a shared memory)");
  if (flags & 4) reader.fail("unsupported feature: 64-bit memory");
  if (flags & 8) reader.fail("unsupported feature: custom page sizes");
  if (flags & ~15U) reader.fail(fmt::format("unknown limits {:#04x}", flags));
  const std::uint64_t pages = reader.u32();
  if (flags & 1) reader.u32();
  if (pages > 65'536) reader.fail(fmt::format("a memory of {} pages is above 4 GiB", pages));
  return pages;
}

void skip_table_type(WasmReader& reader) {
  read_value_type(reader);
  const std::uint8_t flags = reader.byte();
  if (flags > 1) reader.fail(fmt::format("unsupported table limits {:#04x}", flags));
  reader.u32();
  if (flags & 1) reader.u32();
}

std::string spell_types(std::string_view types) {
  std::string out;
  for (const char c : types) {
    switch (static_cast<std::uint8_t>(c)) {
      case wasm::kI32: out += 'i'; break;
      case wasm::kI64: out += 'I'; break;
      case wasm::kF32: out += 'f'; break;
      case wasm::kF64: out += 'F'; break;
      case wasm::kV128: out += 'v'; break;
      default: out += 'r';
    }
  }
  return out;
}

Module read_module(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kMagic("\0asm", 4);
  constexpr std::string_view kVersion("\1\0\0\0", 4);
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min<std::size_t>(bytes.size(), 8));
  if (head.substr(0, 4) != kMagic) throw WasmError{"not a WebAssembly module (no \\0asm magic)"};
  if (head.substr(4) != kVersion) {
    throw WasmError{head.size() < 8 ? "truncated: the header needs 8 bytes"
                                    : "not version 1 of WebAssembly (a component, perhaps)"};
  }
  WasmReader reader(bytes, 0);
  reader.take(8, "the header");
  Module module;
  read_sections(reader, module);
  const auto has = [&](Section id) { return module.sections[id].present; };
  if (has(wasm::kTag)) throw WasmError{"unsupported feature: exceptions (a tag section)"};
  if (has(wasm::kType)) read_types(module.reader(wasm::kType), module);
  if (has(wasm::kImport)) read_imports(module.reader(wasm::kImport), module);
  if (has(wasm::kFunction)) read_functions(module.reader(wasm::kFunction), module);
  if (has(wasm::kMemory)) read_memories(module.reader(wasm::kMemory), module);
  if (has(wasm::kGlobal)) read_globals(module.reader(wasm::kGlobal), module);
  if (!has(wasm::kExport) || !read_exports(module.reader(wasm::kExport), module)) {
    throw WasmError{"the module exports no function _start; it is not a WASI command"};
  }
  require_plain_function(module, module.start_export, "the export _start");
  module.has_start_section = has(wasm::kStart);
  if (module.has_start_section) {
    module.start_function = module.reader(wasm::kStart).u32();
    require_plain_function(module, module.start_function, "the start function");
  }
  check_code_count(module);
  return module;
}

}  // namespace sf::engine
