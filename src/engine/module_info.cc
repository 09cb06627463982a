#include "engine/module_info.h"

#include "engine/wasm_reader.h"

namespace sf::engine {
namespace {

ImportedItem parse_import(WasmReader& reader) {
  ImportedItem item;
  const std::uint8_t kind = reader.byte();
  if (kind > 3) reader.fail("unknown kind of import");
  item.kind = static_cast<ImportKind>(kind);
  item.module = reader.name();
  item.name = reader.name();
  item.parameters = reader.name();
  item.result = reader.name();
  return item;
}

ModuleInfo parse_info(WasmReader& reader) {
  ModuleInfo info;
  for (std::uint32_t n = reader.count("imports"); n > 0; --n) {
    info.imports.push_back(parse_import(reader));
  }
  std::uint64_t at = 0;
  for (std::uint32_t n = reader.count("data ranges"); n > 0; --n) {
    DataRange range;
    range.begin = at + reader.u64();
    range.end = range.begin + reader.u64();
    at = range.begin;
    info.data.push_back(range);
  }
  info.imported_functions = reader.u32();
  info.defined_functions = reader.u32();
  info.memory_bytes_initial = reader.u64();
  info.is_go = reader.byte() != 0;
  for (std::uint32_t n = reader.count("tables"); n > 0; --n) {
    info.go_table_candidates.push_back(reader.u64());
  }
  if (!reader.at_end()) reader.fail("extra bytes");
  return info;
}

}  // namespace

std::string_view import_kind_name(ImportKind kind) {
  switch (kind) {
    case ImportKind::kFunction: return "a function";
    case ImportKind::kTable: return "a table";
    case ImportKind::kMemory: return "a memory";
    case ImportKind::kGlobal: return "a global";
  }
  return "an item";
}

std::string ModuleInfo::serialize() const {
  WasmWriter out;
  out.u(imports.size());
  for (const ImportedItem& item : imports) {
    out.byte(static_cast<std::uint8_t>(item.kind)).name(item.module).name(item.name);
    out.name(item.parameters).name(item.result);
  }
  out.u(data.size());
  std::uint64_t at = 0;
  for (const DataRange& range : data) {
    out.u(range.begin - at).u(range.end - range.begin);
    at = range.begin;
  }
  out.u(imported_functions).u(defined_functions).u(memory_bytes_initial).byte(is_go ? 1 : 0);
  out.u(go_table_candidates.size());
  for (const std::uint64_t address : go_table_candidates) out.u(address);
  return out.take();
}

Result<ModuleInfo> ModuleInfo::parse(std::string_view bytes) {
  try {
    WasmReader reader({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, 0);
    return parse_info(reader);
  } catch (const WasmError& error) {
    return cannot_run("", "the description of compiled code is damaged: " + error.message);
  }
}

}  // namespace sf::engine
