// Go's own tables inside a program: from PCs to functions, files and lines, and from a stack in
// linear memory to its callers.
//
// On wasm a Go PC is PC_F << 16 | PC_B: PC_F is 0x1000 plus the index of the function among those
// with a body, PC_B a resume point inside it. Calls push the PC to return to on the goroutine's
// stack in linear memory, so that stack, not the wasm one, tells who called whom.
// All reads are checked: memory is the program's and may hold anything. Bad data gives empty
// results, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace sf::engine {

inline constexpr std::uint64_t kGoFirstFunction = 0x1000;

// Appends the addresses in `bytes` (a data segment at `address`) where a table header may begin.
void find_go_tables(std::span<const std::uint8_t> bytes, std::uint64_t address,
                    std::vector<std::uint64_t>& candidates);

// The tables of one program in one memory. Cheap to open; keeps the span it was given.
class GoTables {
 public:
  // Where the tables lie, the same in every instance of a program.
  struct Place {
    std::uint64_t header = 0;
    std::uint64_t inlining = 0;   // base of the per-function data (gofunc); 0 when it was not found
  };

  // The first candidate that holds valid tables; nothing if none does. Searches data up to
  // `data_end` for the base of the inlining trees.
  static std::optional<Place> locate(std::span<const std::byte> memory,
                                     std::span<const std::uint64_t> candidates,
                                     std::uint64_t data_end);
  static std::optional<GoTables> open(std::span<const std::byte> memory, const Place& place);

  // The functions at `pc`, innermost first: those inlined there, then the one that was compiled.
  // Empty when it is no PC of the program.
  std::vector<StackFrame> frames(std::uint64_t pc) const;

  // Bytes between the stack pointer and the return address when the function stands at `pc`.
  std::optional<std::uint64_t> frame_size(std::uint64_t pc) const;

  // All sizes its frame has at some place, without doubles; empty when unknown.
  std::vector<std::uint64_t> frame_sizes(std::uint64_t pc) const;

  // PC_F of the return address at `return_slot`, if it is one.
  std::optional<std::uint64_t> return_function(std::uint64_t return_slot) const;

  // The callers of the function whose return address lies at `return_slot`, innermost first.
  std::vector<StackFrame> callers(std::uint64_t return_slot, std::size_t count_max) const;

 private:
  // One entry of the function table, with the fields we use.
  struct Function {
    std::uint32_t name = 0;          // offset in the names
    std::uint32_t pcsp = 0;          // offsets in the table of pc-value programs
    std::uint32_t pcfile = 0;
    std::uint32_t pcln = 0;
    std::uint32_t cu = 0;            // first entry of its compile unit in the file list
    std::uint32_t inline_index = 0;  // pc-value program: which inlined call a PC is in
    std::uint32_t inline_tree = ~0U; // offset of the tree of inlined calls; ~0 for none
    std::uint8_t flags = 0;
  };

  explicit GoTables(std::span<const std::byte> memory) : memory_(memory) {}
  bool read_header(std::uint64_t address);
  std::uint64_t find_inlining(std::uint64_t header, std::uint64_t data_end) const;
  template <class T>
  std::optional<T> read(std::uint64_t address) const;
  std::string text(std::uint64_t address) const;
  std::optional<Function> find(std::uint64_t pc) const;
  template <class Visit>
  void walk_program(std::uint32_t program, Visit visit) const;
  std::optional<std::int32_t> value_at(std::uint32_t program, std::uint64_t pc) const;
  StackFrame place_of(const Function& function, std::uint64_t pc) const;
  struct InlinedCall {
    std::string name;
    std::uint64_t parent_block = 0;
  };
  std::optional<InlinedCall> inlined_at(const Function& function, std::uint64_t pc) const;

  std::span<const std::byte> memory_;
  std::uint64_t functions_ = 0;      // addresses
  std::uint64_t function_count_ = 0;
  std::uint64_t names_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t programs_ = 0;
  std::uint64_t inlining_ = 0;
  unsigned entry_shift_ = 0;         // 16 where entries are PCs: Go up to 1.24 or so
  std::uint64_t entry_first_ = 0;    // the entry that stands for PC_F = kGoFirstFunction
};

}  // namespace sf::engine
