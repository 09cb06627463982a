// The fuzz targets: each takes any bytes and must neither crash nor break what it states.
//
// libFuzzer drives them in the preset `fuzz` (entry.cc, scripts/fuzz); in every other preset
// corpus_test.cc runs them over the kept corpus.
#pragma once

#include <cstdint>
#include <span>

namespace sf::fuzz {

using Bytes = std::span<const std::uint8_t>;

// A wasm module through the rewriting pass: a valid module stays valid, and what is kept about it
// survives being written and read.
void rewrite(Bytes input);
// Calls of the host by a guest, arguments and memory drawn from the input: the run ends with a
// named outcome, and a second run of the same input is the same run.
void imports(Bytes input);
// A text as seedfall.json: refused with a place, or decoded, and always the same way.
void config(Bytes input);
// A text as a capsule, and as one fault of it: what is read, written and read again is equal.
void capsule(Bytes input);
void schedule(Bytes input);
// Bytes as a trace file: refused, or every record can be shown.
void trace(Bytes input);
// What the engine's cache keeps beside machine code.
void module_info(Bytes input);
// Patches to the memory of a real Go program, whose tables are then read everywhere.
void go_tables(Bytes input);

}  // namespace sf::fuzz
