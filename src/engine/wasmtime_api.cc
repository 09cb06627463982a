#include "engine/wasmtime_api.h"

#include "base/strings.h"

namespace sf::engine {
namespace {

// Far above any message of Wasmtime's own; what it quotes of a module may be of any length.
constexpr std::size_t kMessageMax = 500;

// "a\n\nCaused by:\n    0: b\n    1: c" becomes "a: b: c".
std::string on_one_line(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (line.starts_with(' ')) line.remove_prefix(1);
    if (line.empty() || line == "Caused by:") continue;
    if (line.size() > 3 && line[0] >= '0' && line[0] <= '9' && line.substr(1, 2) == ": ") {
      line.remove_prefix(3);
    }
    if (!out.empty()) out += ": ";
    out += line;
  }
  return out;
}

}  // namespace

std::string take_message(wasmtime_error_t* error) {
  if (error == nullptr) return {};
  const ErrorHandle owner(error);
  ByteVector message;
  wasmtime_error_message(error, &message.vector);
  return excerpt(on_one_line(text_of(message.vector)), kMessageMax);
}

std::string message_of(const wasm_trap_t& trap) {
  ByteVector message;
  wasm_trap_message(&trap, &message.vector);
  std::string_view text = text_of(message.vector);
  if (text.ends_with('\0')) text.remove_suffix(1);
  return excerpt(on_one_line(text), kMessageMax);
}

}  // namespace sf::engine
