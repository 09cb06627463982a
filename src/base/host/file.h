// Files of the host: the only way the program reads and writes its own files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::host {

Result<std::string> read_file(const std::string& path, std::uint64_t limit_bytes = 1ULL << 30);

// Writes to a temporary file beside it and renames, so readers never see half a file.
Result<void> write_file(const std::string& path, std::string_view content);

Result<void> make_directories(const std::string& path);
bool exists(const std::string& path);
bool is_directory(const std::string& path);
std::vector<std::string> list_directory(const std::string& path);  // sorted names, without . and ..
Result<std::string> absolute_path(const std::string& path);          // resolves symlinks
void remove_file(const std::string& path);                           // absent is fine
Result<void> make_symlink(const std::string& target, const std::string& path);
Result<void> remove_tree(const std::string& path);
// A fresh folder below the system's temporary folder; the caller removes it.
Result<std::string> make_temporary_directory(std::string_view prefix);

// Where compiled guests and engine code are kept between runs: $SEEDFALL_CACHE, else
// $XDG_CACHE_HOME/seedfall, else ~/.cache/seedfall. Created if missing.
Result<std::string> cache_directory();

// The path of the running program.
std::string program_path();

}  // namespace sf::host
