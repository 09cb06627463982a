// Words on stderr. A stderr that is full or closed must not change what a command does, so nothing
// comes of a failure to write there (fmt::print would throw).
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace sf::front {

template <class... Arguments>
void complain(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace sf::front
