// The rewriting pass over sections.
//
// Two walks. read_module (module_reader.h) checks the outline and counts; then each section is read
// again and written with new indices. Only function indices move, by one, because seedfall.tick is
// the last imported function; everything else is appended behind what was there: three types, one
// memory, our functions, our exports. So globals, tables, memories, data and labels keep their
// numbers, and a Go program's table of functions keeps its order, which Go's PCs rely on.
//
// Custom sections stay where they were. Dropped are "metadata.code.*" (branch hints): they are
// offsets into code that has moved. Ours take their place.
#include "engine/rewrite.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/go_tables.h"
#include "engine/name_section.h"
#include "engine/rewrite_code.h"
#include "engine/wasm_instruction.h"

namespace sf::engine {
namespace {

class Rewriter {
 public:
  Rewriter(const Module& module, const RewriteOptions& options)
      : module_(module), layout_(module), code_(module, layout_, options) {}

  Rewritten run(std::uint64_t input_size);

 private:
  void write_section(std::uint8_t id, WasmWriter& out);
  void write_customs(int after_rank, WasmWriter& out) const;
  void write_types(WasmReader& reader, WasmWriter& body) const;
  void write_imports(WasmReader& reader, WasmWriter& body) const;
  void write_functions(WasmReader& reader, WasmWriter& body) const;
  void write_tables(WasmReader& reader, WasmWriter& body) const;
  void write_memories(WasmReader& reader, WasmWriter& body) const;
  void write_globals(WasmReader& reader, WasmWriter& body) const;
  void write_exports(WasmReader& reader, WasmWriter& body) const;
  void write_elements(WasmReader& reader, WasmWriter& body) const;
  void write_element(WasmReader& reader, WasmWriter& body) const;
  void write_code(WasmWriter& out);
  void write_data(WasmReader& reader, WasmWriter& body);
  void note_data(std::span<const std::uint8_t> offset, std::span<const std::uint8_t> bytes);

  // The leading count of a section that may be absent.
  static std::uint32_t count(WasmReader& reader, std::string_view what) {
    return reader.at_end() ? 0 : reader.count(what);
  }

  const Module& module_;
  Layout layout_;
  CodeRewriter code_;
  ModuleInfo info_;
};

void Rewriter::write_types(WasmReader& reader, WasmWriter& body) const {
  body.u(count(reader, "types") + 3).raw(reader.rest());
  body.byte(wasm::kFunctionType).u(2).byte(wasm::kI64).byte(wasm::kI32).u(1).byte(wasm::kI64);
  body.byte(wasm::kFunctionType).u(0).u(0);
  if (layout_.is_go) {
    body.byte(wasm::kFunctionType).u(2).byte(wasm::kI32).byte(wasm::kI32).u(0);
  } else {
    body.byte(wasm::kFunctionType).u(0).u(0);
  }
}

void Rewriter::write_imports(WasmReader& reader, WasmWriter& body) const {
  body.u(count(reader, "imports") + 1).raw(reader.rest());
  body.name(kTickModule).name(kTickName).byte(wasm::kExternFunction).u(layout_.tick_type());
}

void Rewriter::write_functions(WasmReader& reader, WasmWriter& body) const {
  body.u(count(reader, "functions") + layout_.added_functions()).raw(reader.rest());
  body.u(layout_.slow_type());
  for (const std::uint32_t type : module_.imported_types) body.u(type);
  body.u(layout_.entry_type());
}

void Rewriter::write_tables(WasmReader& reader, WasmWriter& body) const {
  const auto all = reader.rest();
  for (std::uint32_t n = reader.count("tables"); n > 0; --n) {
    if (reader.peek() == 0x40) reader.fail("unsupported feature: tables with an initial value");
    skip_table_type(reader);
  }
  body.raw(all);
}

void Rewriter::write_memories(WasmReader& reader, WasmWriter& body) const {
  body.u(count(reader, "memories") + 1).raw(reader.rest());
  body.byte(1).u(1).u(1);  // the control memory: one page, never more
}

void Rewriter::write_globals(WasmReader& reader, WasmWriter& body) const {
  const std::uint32_t n = count(reader, "globals");
  body.u(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    body.byte(read_value_type(reader)).byte(reader.byte());
    code_.copy_expression(reader, body);
  }
}

void Rewriter::write_exports(WasmReader& reader, WasmWriter& body) const {
  const std::uint32_t n = count(reader, "exports");
  body.u(n + (layout_.is_go ? 4 : 2));
  for (std::uint32_t i = 0; i < n; ++i) {
    body.name(reader.name());
    const std::uint8_t kind = reader.byte();
    body.byte(kind);
    body.u(kind == wasm::kExternFunction ? code_.read_function(reader) : reader.u32());
  }
  body.name(kEntryExport).byte(wasm::kExternFunction).u(layout_.entry());
  body.name(kControlExport).byte(wasm::kExternMemory).u(layout_.control_memory);
  if (!layout_.is_go) return;
  body.name(kGoSpExport).byte(wasm::kExternGlobal).u(0);
  body.name(kGoGExport).byte(wasm::kExternGlobal).u(2);
}

// The eight forms of an element segment: bit 0 passive or declarative, bit 1 explicit table index
// (or, with bit 0, declarative), bit 2 expressions rather than function indices.
void Rewriter::write_element(WasmReader& reader, WasmWriter& body) const {
  const std::uint32_t flags = reader.u32();
  if (flags > 7) reader.fail(fmt::format("unknown kind of element segment {}", flags));
  body.u(flags);
  const bool active = (flags & 1) == 0;
  if (active && (flags & 2)) body.u(reader.u32());
  if (active) code_.copy_expression(reader, body);
  if (flags & 3) body.byte(reader.byte());  // element kind or reference type
  const std::uint32_t n = reader.count("elements");
  body.u(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    if (flags & 4) {
      code_.copy_expression(reader, body);
    } else {
      body.u(code_.read_function(reader));
    }
  }
}

void Rewriter::write_elements(WasmReader& reader, WasmWriter& body) const {
  const std::uint32_t n = reader.count("element segments");
  body.u(n);
  for (std::uint32_t i = 0; i < n; ++i) write_element(reader, body);
}

// Remembers where constant bytes will lie. `offset` is the segment's constant expression.
void Rewriter::note_data(std::span<const std::uint8_t> offset,
                         std::span<const std::uint8_t> bytes) {
  WasmReader reader(offset, 0);
  if (reader.byte() != wasm::kI32Const) return;  // relative to an imported base: unknown here
  const std::uint64_t begin = static_cast<std::uint32_t>(reader.s64());
  if (reader.byte() != wasm::kEnd || bytes.empty()) return;
  info_.data.push_back({begin, begin + bytes.size()});
  if (layout_.is_go) find_go_tables(bytes, begin, info_.go_table_candidates);
}

void Rewriter::write_data(WasmReader& reader, WasmWriter& body) {
  body.raw(reader.rest());
  for (std::uint32_t n = reader.count("data segments"); n > 0; --n) {
    const std::uint32_t flags = reader.u32();
    if (flags > 2) reader.fail(fmt::format("unknown kind of data segment {}", flags));
    if (flags == 2 && reader.u32() != 0) reader.fail("unsupported feature: several memories");
    const std::uint64_t mark = reader.position();
    WasmWriter copied;
    if (flags != 1) code_.copy_expression(reader, copied);
    const auto offset = reader.since(mark);
    const auto bytes = reader.take(reader.u32(), "a data segment");
    if (flags != 1) note_data(offset, bytes);
  }
  std::stable_sort(info_.data.begin(), info_.data.end(),
                   [](const DataRange& a, const DataRange& b) { return a.begin < b.begin; });
}

void Rewriter::write_code(WasmWriter& out) {
  WasmWriter code;
  code_.write_code(code);
  WasmWriter hints;
  hints.name("metadata.code.branch_hint");
  code_.write_branch_hints(hints);
  out.section(wasm::kCustom, hints);
  out.section(wasm::kCode, code);
}

void Rewriter::write_customs(int after_rank, WasmWriter& out) const {
  for (const CustomSection& custom : module_.customs) {
    if (custom.after_rank != after_rank || custom.name.starts_with("metadata.code.")) continue;
    WasmWriter body;
    if (custom.name == "name") {
      body = rewrite_names(custom, module_, layout_);
    } else {
      body.raw(custom.payload);
    }
    out.section(wasm::kCustom, body);
  }
}

void Rewriter::write_section(std::uint8_t id, WasmWriter& out) {
  const bool present = module_.sections[id].present;
  WasmReader reader = module_.reader(static_cast<wasm::Section>(id));
  WasmWriter body;
  switch (id) {
    case wasm::kType: write_types(reader, body); break;
    case wasm::kImport: write_imports(reader, body); break;
    case wasm::kFunction: write_functions(reader, body); break;
    case wasm::kMemory: write_memories(reader, body); break;
    case wasm::kExport: write_exports(reader, body); break;
    case wasm::kCode: write_code(out); return;
    case wasm::kStart: return;  // the entry calls it
    case wasm::kTable: if (present) write_tables(reader, body); break;
    case wasm::kGlobal: if (present) write_globals(reader, body); break;
    case wasm::kElement: if (present) write_elements(reader, body); break;
    case wasm::kData: if (present) write_data(reader, body); break;
    default: body.raw(reader.rest());
  }
  if (body.size() > 0) out.section(id, body);
}

Rewritten Rewriter::run(std::uint64_t input_size) {
  WasmWriter out;
  out.reserve(input_size + input_size / 2 + 4096);
  out.raw(std::string_view("\0asm\1\0\0\0", 8));
  write_customs(0, out);
  for (int rank = 1; rank < wasm::kSectionCount; ++rank) {
    for (std::uint8_t id = 1; id < wasm::kSectionCount; ++id) {
      if (section_rank(id) == rank) write_section(id, out);
    }
    write_customs(rank, out);
  }
  info_.imports = module_.imports;
  info_.imported_functions = layout_.imports;
  info_.defined_functions = layout_.defined;
  info_.memory_bytes_initial = module_.memory_pages_min * 65'536;
  info_.is_go = layout_.is_go;
  return Rewritten{out.take(), std::move(info_), code_.check_sites()};
}

}  // namespace

Result<Rewritten> rewrite_module(std::span<const std::uint8_t> wasm,
                                 const RewriteOptions& options) {
  try {
    const Module module = read_module(wasm);
    return Rewriter(module, options).run(wasm.size());
  } catch (const WasmError& error) {
    return cannot_run("", error.message);
  }
}

}  // namespace sf::engine
