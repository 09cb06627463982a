#include "engine/name_section.h"

#include <map>

#include <fmt/format.h>

namespace sf::engine {
namespace {

constexpr std::uint8_t kFunctionNames = 1;
constexpr std::uint8_t kLocalNames = 2;
constexpr std::uint8_t kLabelNames = 3;

using Names = std::map<std::uint32_t, std::string>;   // by new index: the format wants them sorted

void read_function_names(WasmReader reader, const Layout& layout, Names& names) {
  for (std::uint32_t n = reader.count("names"); n > 0; --n) {
    const std::uint32_t function = reader.u32();
    const std::string_view name = reader.name();
    if (function >= layout.imports + layout.defined) continue;
    // An import keeps its index; only references to it moved to the shim.
    names[function < layout.imports ? function : function + 1] = name;
  }
}

void add_our_names(const Module& module, const Layout& layout, Names& names) {
  names[layout.tick_import()] = "seedfall.tick";
  names[layout.slow_path()] = "seedfall.slow_path";
  names[layout.entry()] = std::string(kEntryExport);
  std::uint32_t function = 0;
  for (const ImportedItem& item : module.imports) {
    if (item.kind != ImportKind::kFunction) continue;
    names[layout.shim(function)] = fmt::format("seedfall.shim.{}", item.name);
    ++function;
  }
}

void write_function_names(const Names& names, WasmWriter& out) {
  WasmWriter body;
  body.u(names.size());
  for (const auto& [function, name] : names) body.u(function).name(name);
  out.byte(kFunctionNames).sized(body);
}

}  // namespace

WasmWriter rewrite_names(const CustomSection& section, const Module& module, const Layout& layout) {
  Names names;
  WasmWriter others;
  try {
    WasmReader reader(section.payload, section.offset);
    reader.name();
    while (!reader.at_end()) {
      const std::uint8_t id = reader.byte();
      WasmReader body = reader.nested(reader.u32(), "a part of the name section");
      if (id == kFunctionNames) {
        read_function_names(body, layout, names);
      } else if (id != kLocalNames && id != kLabelNames) {  // both by function; nobody reads them
        others.byte(id).u(body.remaining()).raw(body.rest());
      }
    }
  } catch (const WasmError&) {
    names.clear();
    others.clear();
  }
  add_our_names(module, layout, names);
  WasmWriter out;
  out.name("name");
  write_function_names(names, out);
  out.raw(others.bytes());
  return out;
}

}  // namespace sf::engine
