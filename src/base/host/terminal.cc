#include "base/host/terminal.h"

#include <atomic>
#include <csignal>
#include <sys/ioctl.h>
#include <unistd.h>

namespace sf::host {
namespace {

std::atomic<int> g_interrupts{0};

void on_interrupt(int signal_number) {
  if (g_interrupts.fetch_add(1) > 0) {
    std::signal(signal_number, SIG_DFL);
    std::raise(signal_number);
  }
}

}  // namespace

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

int terminal_columns(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;   // no SA_RESTART: poll() shall return
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() { return g_interrupts.load() > 0; }

}  // namespace sf::host
