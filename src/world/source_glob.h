// File name patterns in configs: "server/*.c", "src/**/*.cc".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sf::world {

// Whether a source is a pattern: it holds * or ?.
bool is_glob(std::string_view source);

// The files that a pattern matches, sorted, as paths of the pattern's own form ("server/a.c" for
// "server/*.c"). `*` and `?` match within one name and no leading dot; a name that is `**` stands
// for any number of folders, none included. Symlinks to folders are followed only where the pattern
// names them. `directory` is absolute; patterns may be, too.
std::vector<std::string> expand_glob(const std::string& directory, const std::string& pattern);

// One name against one pattern without slashes.
bool name_matches(std::string_view name, std::string_view pattern);

}  // namespace sf::world
