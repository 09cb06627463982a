// The first look at a module: its sections, and what the rewriting pass must know before it writes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/module_info.h"
#include "engine/wasm_format.h"
#include "engine/wasm_reader.h"

namespace sf::engine {

struct FunctionType {
  std::string parameters;   // value types as bytes of the format
  std::string results;
  bool operator==(const FunctionType&) const = default;
};

struct CustomSection {
  std::string_view name;
  std::span<const std::uint8_t> payload;   // with the name
  std::uint64_t offset = 0;                // of the payload in the module
  int after_rank = 0;                      // place of the section it follows; see section_rank
};

// Views into the module's bytes, which must outlive it.
struct Module {
  struct Body {
    bool present = false;
    std::span<const std::uint8_t> payload;
    std::uint64_t offset = 0;
  };
  std::array<Body, wasm::kSectionCount> sections;
  std::vector<CustomSection> customs;

  std::vector<FunctionType> types;
  std::vector<ImportedItem> imports;                // all kinds, in order
  std::vector<std::uint32_t> imported_types;        // type index of each imported function
  std::vector<std::uint32_t> defined_types;         // type index of each function with a body
  std::uint32_t memories = 0;                       // imported and defined: 0 or 1
  std::uint64_t memory_pages_min = 0;
  std::uint32_t globals = 0;                        // imported and defined
  bool is_go = false;
  std::uint32_t start_export = 0;                   // function index of the export _start
  bool has_start_section = false;
  std::uint32_t start_function = 0;                 // of the start section

  std::uint32_t imported_functions() const {
    return static_cast<std::uint32_t>(imported_types.size());
  }
  std::uint32_t defined_functions() const {
    return static_cast<std::uint32_t>(defined_types.size());
  }
  const FunctionType& type_of(std::uint32_t function) const;
  WasmReader reader(wasm::Section section) const {
    return WasmReader(sections[section].payload, sections[section].offset);
  }
};

// The place of a section in a module: sections must come in ascending order of it. 0 for custom.
int section_rank(std::uint8_t id);

// Reads and checks the outline. Throws WasmError.
Module read_module(std::span<const std::uint8_t> bytes);

// Pieces that both passes read. Each moves past what it names and throws for unsupported forms.
std::uint8_t read_value_type(WasmReader& reader);
std::uint64_t read_memory_limits(WasmReader& reader);   // returns the minimum in pages
void skip_table_type(WasmReader& reader);

// Spells value types as HostFunction does: i I f F, v for v128, r for references.
std::string spell_types(std::string_view types);

}  // namespace sf::engine
