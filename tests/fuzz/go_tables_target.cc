// Random bytes never look like Go's tables, so the input is a list of patches to the memory of a
// real program: three bytes of place (from the table's header on, or anywhere), one of value. After
// a few thousand of them nothing of the table needs to be left whole.
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/host/file.h"
#include "engine/go_tables.h"
#include "engine/module_reader.h"
#include "engine/rewrite.h"
#include "tests/fuzz/targets.h"
#include "world/guest_build.h"

namespace sf::fuzz {
namespace {

using engine::GoTables;

struct Image {
  std::vector<std::byte> memory;            // as the data segments initialise it
  std::vector<std::uint64_t> candidates;
  std::uint64_t data_end = 0;
  std::uint64_t functions = 0;
  GoTables::Place place;
};

// Lays the active data segments with constant addresses out in a memory.
void fill_memory(const engine::Module& module, std::vector<std::byte>& memory) {
  engine::WasmReader reader = module.reader(engine::wasm::kData);
  const std::uint32_t count = reader.count("data segments");
  for (std::uint32_t i = 0; i < count; ++i) {
    SF_CHECK(reader.byte() == 0);   // active, of memory 0
    SF_CHECK(reader.byte() == engine::wasm::kI32Const);
    const auto address = static_cast<std::uint32_t>(reader.s64());
    SF_CHECK(reader.byte() == engine::wasm::kEnd);
    const std::uint32_t size = reader.count("bytes");
    const auto bytes = reader.take(size, "bytes");
    SF_CHECK(address + std::uint64_t{size} <= memory.size());
    std::memcpy(memory.data() + address, bytes.data(), size);
  }
}

Image make_image() {
  const auto built = world::build_go_guest(
      {.directory = SEEDFALL_SOURCE_DIR "/tests/guests", .package = "./golden"});
  SF_CHECK(built.has_value());
  const auto wasm = host::read_file(built->path);
  SF_CHECK(wasm.has_value());
  const Bytes bytes{reinterpret_cast<const std::uint8_t*>(wasm->data()), wasm->size()};
  const engine::Module module = engine::read_module(bytes);
  const auto rewritten = engine::rewrite_module(bytes);
  SF_CHECK(rewritten.has_value());
  Image image;
  image.memory.resize(module.memory_pages_min << 16);
  fill_memory(module, image.memory);
  image.candidates = rewritten->info.go_table_candidates;
  image.data_end = rewritten->info.data.back().end;
  image.functions = module.defined_functions();
  const auto place = GoTables::locate(image.memory, image.candidates, image.data_end);
  SF_CHECK(place.has_value());   // control: untouched, the tables are found
  image.place = *place;
  return image;
}

void read_everywhere(const Image& image, const GoTables& tables) {
  for (std::uint64_t i = 0; i < image.functions; i += 97) {
    for (const std::uint64_t block : {0U, 1U, 7U, 0xffffU}) {
      const std::uint64_t pc = (engine::kGoFirstFunction + i) << 16 | block;
      tables.frames(pc);
      tables.frame_size(pc);
    }
    tables.frame_sizes((engine::kGoFirstFunction + i) << 16);
  }
  for (std::uint64_t slot = 0; slot < image.memory.size(); slot += image.memory.size() / 13) {
    tables.return_function(slot);
    tables.callers(slot, 32);
  }
  constexpr std::uint64_t kLast = UINT64_MAX;
  for (const std::uint64_t wild : {kLast, kLast - 7, kLast / 2 + 1, image.memory.size() - 1}) {
    tables.frames(wild);
    tables.frame_sizes(wild);
    tables.return_function(wild);
    tables.callers(wild, 32);
  }
}

}  // namespace

void go_tables(Bytes input) {
  static Image image = make_image();
  // Also as they are: what looks for tables in data segments.
  std::vector<std::uint64_t> candidates;
  engine::find_go_tables(input, 1 << 20, candidates);
  struct Patch {
    std::uint64_t at;
    std::byte before;
  };
  std::vector<Patch> done;
  for (std::size_t i = 0; i + 4 <= input.size(); i += 4) {
    const std::uint64_t offset =
        input[i] | std::uint64_t{input[i + 1]} << 8 | (input[i + 2] & 0x7fULL) << 16;
    const std::uint64_t base = (input[i + 2] & 0x80) == 0 ? image.place.header : 0;
    const std::uint64_t at = (base + offset) % image.memory.size();
    done.push_back({at, image.memory[at]});
    image.memory[at] = std::byte{input[i + 3]};
  }
  const auto place = GoTables::locate(image.memory, image.candidates, image.data_end);
  for (const auto& where : {place.value_or(image.place), image.place}) {
    const auto tables = GoTables::open(image.memory, where);
    if (tables) read_everywhere(image, *tables);
  }
  while (!done.empty()) {
    image.memory[done.back().at] = done.back().before;
    done.pop_back();
  }
}

}  // namespace sf::fuzz
