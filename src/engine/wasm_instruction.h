// Walking over single instructions of WebAssembly code.
#pragma once

#include "engine/wasm_reader.h"

namespace sf::engine {

// Moves past the immediates of an instruction whose opcode byte was just read. Throws WasmError for
// opcodes that do not exist and, by the name of the feature, for those that seedfall does not run:
// threads, exceptions, garbage collection, relaxed SIMD, several memories.
void skip_immediates(WasmReader& reader, std::uint8_t opcode);

}  // namespace sf::engine
