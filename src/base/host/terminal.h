// What the program needs to know of the terminal, and the keyboard's interrupt.
#pragma once

namespace sf::host {

bool is_terminal(int fd);
int terminal_columns(int fd);          // 80 when unknown

// From the first call on, SIGINT and SIGTERM set a flag instead of ending the program; the second
// one ends it at once.
void catch_interrupts();
bool interrupted();

}  // namespace sf::host
