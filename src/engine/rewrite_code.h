// The rewriting pass inside function bodies, and the functions that the pass adds.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/module_reader.h"
#include "engine/rewrite.h"
#include "engine/wasm_reader.h"

namespace sf::engine {

// Where things are in the rewritten module. Functions: the original imports, seedfall.tick, the
// original bodies, then ours: slow path, shims, entry.
struct Layout {
  explicit Layout(const Module& module)
      : imports(module.imported_functions()), defined(module.defined_functions()),
        control_memory(module.memories), is_go(module.is_go),
        types(static_cast<std::uint32_t>(module.types.size())) {}

  std::uint32_t imports;
  std::uint32_t defined;
  std::uint32_t control_memory;
  bool is_go;
  std::uint32_t types;             // of the original; ours follow

  std::uint32_t tick_type() const { return types; }           // (i64, i32) -> i64
  std::uint32_t entry_type() const { return types + 1; }      // () -> ()
  std::uint32_t slow_type() const { return types + 2; }       // () -> (); Go: (i32, i32) -> ()
  std::uint32_t added_functions() const { return imports + 2; }

  std::uint32_t tick_import() const { return imports; }
  std::uint32_t slow_path() const { return imports + 1 + defined; }
  std::uint32_t shim(std::uint32_t import) const { return slow_path() + 1 + import; }
  std::uint32_t entry() const { return shim(imports); }

  // The new index for an original one. Imports become their shims.
  std::uint32_t map(std::uint32_t function) const {
    return function < imports ? shim(function) : function + 1;
  }
};

class CodeRewriter {
 public:
  CodeRewriter(const Module& module, const Layout& layout, const RewriteOptions& options)
      : module_(module), layout_(layout), options_(options) {}

  // The whole code section, ours included.
  void write_code(WasmWriter& out);

  // The payload of the custom section metadata.code.branch_hint, after write_code: it tells the
  // compiler that the slow paths are rare. It must stand before the code section.
  void write_branch_hints(WasmWriter& out) const;

  // Copies a constant expression up to and with its end, mapping function references.
  void copy_expression(WasmReader& reader, WasmWriter& out) const;

  // A function index as operand, checked and mapped.
  std::uint32_t read_function(WasmReader& reader) const;

  std::uint32_t check_sites() const { return check_sites_; }

 private:
  struct Site {                 // where a check stands, for Go's PC
    std::uint32_t function = 0;   // index among the defined functions
    bool has_block = false;       // local 0 is PC_B, the resume point
  };
  void write_body(WasmReader& body, std::uint32_t index, WasmWriter& out);
  void copy_instruction(WasmReader& body, WasmWriter& out) const;
  void write_charge(const Site& site, WasmWriter& out);
  void write_check(const Site& site, WasmWriter& out);
  void write_slow_path(WasmWriter& out) const;
  void write_shim(std::uint32_t import, WasmWriter& out);
  void write_entry(WasmWriter& out) const;
  void finish_body(std::uint32_t function, WasmWriter& body, WasmWriter& out);
  void write_control_argument(std::uint64_t offset, WasmWriter& out) const;
  void load_control(std::uint64_t offset, WasmWriter& out) const;
  void store_control(std::uint64_t offset, WasmWriter& out) const;
  bool is_go_function(std::uint32_t index) const;

  const Module& module_;
  const Layout& layout_;
  const RewriteOptions& options_;
  std::uint32_t check_sites_ = 0;
  std::vector<std::uint64_t> rare_branches_;   // offsets of our ifs in the body at hand
  std::uint32_t hinted_functions_ = 0;
  WasmWriter hints_;
};

}  // namespace sf::engine
