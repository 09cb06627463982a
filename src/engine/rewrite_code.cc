// The tick, in code.
//
// At each function entry and loop header stands
//
//     control.budget = control.budget - 1
//     if (control.budget < 0) slow_path(...)
//
// and the slow path asks the host for a new budget, again and again while the answer is negative.
// Counting every instruction would be exact but cost 40 % and more; one decrement per entry and
// header costs about 4 %, and every cycle of a program passes such a place, so a program can never
// run on without ticks. It would be 14 % without branch hints: the compiler then treats the slow
// path as likely and saves registers for it up front.
//
// For a Go module the slow path also learns the PC. Go numbers its functions from 0x1000 in the
// order of the function section (PC_F) and, inside a function, its resume points (PC_B). A Go
// function is called with PC_B as its only parameter, local 0, and jumps between its blocks by
// setting local 0 and branching to the loop at its head: so at our places local 0 is exact, and
// PC_F << 16 | PC_B leads to file and line in Go's own tables (go_tables.h). It costs nothing but
// bytes, because only the slow path computes it.
#include "engine/rewrite_code.h"

#include <fmt/format.h>

#include "engine/go_tables.h"
#include "engine/wasm_instruction.h"

namespace sf::engine {
namespace {

constexpr std::uint32_t kGoGlobalSp = 0;
constexpr std::uint32_t kGoGlobalG = 2;

// Whether nothing but opening blocks and moves between locals and globals comes before a loop: then
// the loop header stands for the function's entry as well. All Go functions that jump begin so.
bool leads_to_loop(WasmReader body) {
  while (!body.at_end()) {
    const std::uint8_t opcode = body.byte();
    if (opcode == wasm::kLoop) return true;
    const bool moves = opcode >= wasm::kLocalGet && opcode <= wasm::kGlobalSet;
    if (opcode != wasm::kBlock && !moves) return false;
    skip_immediates(body, opcode);
  }
  return false;
}

}  // namespace

std::uint32_t CodeRewriter::read_function(WasmReader& reader) const {
  const std::uint64_t at = reader.offset();
  const std::uint32_t function = reader.u32();
  if (function >= layout_.imports + layout_.defined) {
    WasmReader::fail_at(at, fmt::format("unknown function {}", function));
  }
  return layout_.map(function);
}

// Alignment, memory, offset. Bit 6 of the alignment announces a memory index.
void CodeRewriter::write_control_argument(std::uint64_t offset, WasmWriter& out) const {
  constexpr std::uint32_t kAligned8 = 3;
  if (layout_.control_memory == 0) {
    out.u(kAligned8).u(offset);
  } else {
    out.u(kAligned8 | 0x40).u(layout_.control_memory).u(offset);
  }
}

void CodeRewriter::load_control(std::uint64_t offset, WasmWriter& out) const {
  out.byte(wasm::kI32Const).s(0).byte(wasm::kI64Load);
  write_control_argument(offset, out);
}

// The address must lie below the value on the stack.
void CodeRewriter::store_control(std::uint64_t offset, WasmWriter& out) const {
  out.byte(wasm::kI64Store);
  write_control_argument(offset, out);
}

bool CodeRewriter::is_go_function(std::uint32_t index) const {
  static const FunctionType kGoType{std::string(1, '\x7f'), std::string(1, '\x7f')};
  return module_.types[module_.defined_types[index]] == kGoType;
}

void CodeRewriter::write_charge(const Site& site, WasmWriter& out) {
  ++check_sites_;
  if (!options_.tick) return;
  out.byte(wasm::kI32Const).s(0);
  load_control(kControlBudget, out);
  out.byte(wasm::kI64Const).s(1).byte(wasm::kI64Sub);
  store_control(kControlBudget, out);
  write_check(site, out);
}

void CodeRewriter::write_check(const Site& site, WasmWriter& out) {
  load_control(kControlBudget, out);
  out.byte(wasm::kI64Const).s(0).byte(wasm::kI64LtS);
  rare_branches_.push_back(out.size());
  out.byte(wasm::kIf).byte(wasm::kEmptyBlock);
  if (layout_.is_go) {
    out.byte(wasm::kI32Const).s(static_cast<std::int64_t>(site.function));
    if (site.has_block) {
      out.byte(wasm::kLocalGet).u(0);
    } else {
      out.byte(wasm::kI32Const).s(0);
    }
  }
  out.byte(wasm::kCall).u(layout_.slow_path()).byte(wasm::kEnd);
}

void CodeRewriter::copy_instruction(WasmReader& body, WasmWriter& out) const {
  const std::uint64_t mark = body.position();
  const std::uint8_t opcode = body.byte();
  if (opcode == wasm::kCall || opcode == wasm::kReturnCall || opcode == wasm::kRefFunc) {
    out.byte(opcode).u(read_function(body));
    return;
  }
  skip_immediates(body, opcode);
  out.raw(body.since(mark));
}

void CodeRewriter::copy_expression(WasmReader& reader, WasmWriter& out) const {
  while (reader.peek() != wasm::kEnd) copy_instruction(reader, out);
  out.byte(reader.byte());
}

void CodeRewriter::write_body(WasmReader& body, std::uint32_t index, WasmWriter& out) {
  const std::uint64_t locals = body.position();
  for (std::uint32_t groups = body.count("groups of locals"); groups > 0; --groups) {
    body.u32();
    read_value_type(body);
  }
  out.raw(body.since(locals));
  const Site site{index, layout_.is_go && is_go_function(index)};
  if (!leads_to_loop(body)) write_charge(site, out);
  while (!body.at_end()) {
    const std::uint8_t opcode = body.peek();
    copy_instruction(body, out);
    if (opcode == wasm::kLoop) write_charge(site, out);
  }
}

void CodeRewriter::write_slow_path(WasmWriter& out) const {
  out.u(0);
  if (layout_.is_go) {  // control.pc = (0x1000 + function) << 16 | block
    out.byte(wasm::kI32Const).s(0);
    out.byte(wasm::kLocalGet).u(0).byte(wasm::kI64ExtendI32U);
    out.byte(wasm::kI64Const).s(kGoFirstFunction).byte(0x7c);  // i64.add
    out.byte(wasm::kI64Const).s(16).byte(wasm::kI64Shl);
    out.byte(wasm::kLocalGet).u(1).byte(wasm::kI64ExtendI32U).byte(wasm::kI64Or);
    store_control(kControlPc, out);
  }
  out.byte(wasm::kLoop).byte(wasm::kEmptyBlock).byte(wasm::kI32Const).s(0);
  if (layout_.is_go) {
    out.byte(wasm::kGlobalGet).u(kGoGlobalG).byte(wasm::kGlobalGet).u(kGoGlobalSp);
  } else {
    out.byte(wasm::kI64Const).s(0).byte(wasm::kI32Const).s(0);
  }
  out.byte(wasm::kCall).u(layout_.tick_import());
  store_control(kControlBudget, out);
  load_control(kControlBudget, out);
  out.byte(wasm::kI64Const).s(0).byte(wasm::kI64LtS).byte(wasm::kBrIf).u(0);
  out.byte(wasm::kEnd).byte(wasm::kEnd);
}

void CodeRewriter::write_shim(std::uint32_t import, WasmWriter& out) {
  out.u(0);
  // No function of Go has this number: the PC then reads as unknown.
  write_check(Site{layout_.defined, false}, out);
  const FunctionType& type = module_.type_of(import);
  for (std::uint32_t i = 0; i < type.parameters.size(); ++i) out.byte(wasm::kLocalGet).u(i);
  out.byte(wasm::kCall).u(import).byte(wasm::kEnd);
}

void CodeRewriter::write_entry(WasmWriter& out) const {
  out.u(0);
  if (module_.has_start_section) {
    out.byte(wasm::kCall).u(layout_.map(module_.start_function));
  }
  out.byte(wasm::kCall).u(layout_.map(module_.start_export)).byte(wasm::kEnd);
}

void CodeRewriter::finish_body(std::uint32_t function, WasmWriter& body, WasmWriter& out) {
  out.sized(body);
  body.clear();
  if (rare_branches_.empty()) return;
  ++hinted_functions_;
  hints_.u(function).u(rare_branches_.size());
  for (const std::uint64_t offset : rare_branches_) hints_.u(offset).u(1).byte(0);  // unlikely
  rare_branches_.clear();
}

void CodeRewriter::write_branch_hints(WasmWriter& out) const {
  out.u(hinted_functions_).raw(hints_.bytes());
}

void CodeRewriter::write_code(WasmWriter& out) {
  WasmReader code = module_.reader(wasm::kCode);
  if (module_.sections[wasm::kCode].present) code.u32();
  out.u(layout_.defined + layout_.added_functions());
  WasmWriter text;
  for (std::uint32_t i = 0; i < layout_.defined; ++i) {
    WasmReader body = code.nested(code.u32(), "a function body");
    write_body(body, i, text);
    finish_body(layout_.imports + 1 + i, text, out);
  }
  if (!code.at_end()) code.fail("extra bytes in the code section");
  write_slow_path(text);
  finish_body(layout_.slow_path(), text, out);
  for (std::uint32_t i = 0; i < layout_.imports; ++i) {
    write_shim(i, text);
    finish_body(layout_.shim(i), text, out);
  }
  write_entry(text);
  finish_body(layout_.entry(), text, out);
}

}  // namespace sf::engine
