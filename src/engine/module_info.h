// What the engine keeps about a module beside its machine code: imports, constants, Go's tables.
//
// Written at compile time behind the machine code (code_cache.h) and read by Program::load, which
// never sees the wasm itself.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::engine {

// Names that the rewriting pass exports; a module that already uses one is refused.
inline constexpr std::string_view kEntryExport = "seedfall.entry";
inline constexpr std::string_view kControlExport = "seedfall.control";
inline constexpr std::string_view kGoGExport = "seedfall.go.g";
inline constexpr std::string_view kGoSpExport = "seedfall.go.sp";

inline constexpr std::string_view kTickModule = "seedfall";
inline constexpr std::string_view kTickName = "tick";

enum class ImportKind : std::uint8_t { kFunction, kTable, kMemory, kGlobal };

struct ImportedItem {
  ImportKind kind = ImportKind::kFunction;
  std::string module;
  std::string name;
  std::string parameters;   // functions only: i I f F, v (v128), r (references)
  std::string result;       // more than one for functions with several results
  bool operator==(const ImportedItem&) const = default;
};

// Bytes [begin, end) of linear memory that a data segment initialises.
struct DataRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const DataRange&) const = default;
};

struct ModuleInfo {
  std::vector<ImportedItem> imports;       // of the original module, without seedfall.tick
  std::vector<DataRange> data;             // sorted by begin; active segments at constant addresses
  std::uint32_t imported_functions = 0;    // of the original module
  std::uint32_t defined_functions = 0;     // of the original module
  std::uint64_t memory_bytes_initial = 0;
  bool is_go = false;
  std::vector<std::uint64_t> go_table_candidates;   // addresses where a pclntab header may lie
  bool operator==(const ModuleInfo&) const = default;

  std::string serialize() const;
  static Result<ModuleInfo> parse(std::string_view bytes);
};

std::string_view import_kind_name(ImportKind kind);   // "a function", "a memory"

}  // namespace sf::engine
