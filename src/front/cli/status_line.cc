#include "front/cli/status_line.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include <fmt/format.h>

#include "base/host/terminal.h"
#include "front/cli/complain.h"

namespace sf::front {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainSeconds = 10;

}  // namespace

StatusLine::StatusLine() : terminal_(host::is_terminal(STDERR_FILENO)) {}
StatusLine::~StatusLine() { clear(); }

void StatusLine::show(const std::string& text) {
  const double now = watch_.seconds();
  if (now - last_ < (terminal_ ? kRedrawSeconds : kPlainSeconds)) return;
  const bool first = last_ < 0;
  last_ = now;
  if (!terminal_) {
    if (!first) complain("{}\n", text);   // short runs stay silent
    return;
  }
  const auto width = static_cast<std::size_t>(host::terminal_columns(STDERR_FILENO) - 1);
  complain("\r{}\x1b[K", text.substr(0, width));
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::note(const std::string& text) {
  clear();
  complain("{}\n", text);
}

void StatusLine::clear() {
  if (!shown_) return;
  complain("\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace sf::front
