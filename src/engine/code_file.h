// The file of compiled code: Wasmtime's machine code, then what we know about the module, then a
// fixed trailer with lengths and a checksum.
//
// One file, so that it can be replaced in one step. Wasmtime maps it and reads the front; the rest
// does not disturb it. Its loader trusts what it reads, so the checksum is looked at first.
//
//   offset 0            machine code (an ELF image), `code_size` bytes
//   code_size           ModuleInfo, `info_size` bytes
//   end - 48            "SFCODE01", code_size u64, info_size u64, unused u64, XXH3-128 of all
//                       before the trailer (high, low)
// Integers are little-endian.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/module_info.h"

namespace sf::engine {

Result<void> write_code_file(const std::string& path, std::string_view code,
                             const ModuleInfo& info);

// Checks length, magic and checksum, and returns the description. Errors start with `path`.
Result<ModuleInfo> read_code_file(const std::string& path);

}  // namespace sf::engine
