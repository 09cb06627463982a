// Whole messages over a pipe: a 64-bit length and that many bytes.
#pragma once

#include <optional>
#include <string>

namespace sf::host {

// False when the other end is gone. SIGPIPE must be ignored.
bool send_message(int fd, const std::string& text);
// Waits for a whole message; nothing when the other end went away before its end.
std::optional<std::string> receive_message(int fd);

// "killed by signal 6 (Aborted)", "ended with exit code 3": of a status that waitpid gave.
std::string describe_death(int wait_status);

}  // namespace sf::host
