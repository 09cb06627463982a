#include "base/host/replace_process.h"

#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "base/check.h"

namespace sf::host {

Error replace_process(const std::vector<std::string>& arguments,
                      const std::vector<std::pair<std::string, std::string>>& environment) {
  SF_CHECK(!arguments.empty());
  for (const auto& [name, value] : environment) {
    if (::setenv(name.c_str(), value.c_str(), 1) != 0) {
      return {ErrorCode::kCannotRun, name, std::generic_category().message(errno), ""};
    }
  }
  std::vector<char*> list;
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  ::execvp(list.front(), list.data());
  const bool missing = errno == ENOENT;
  return {ErrorCode::kCannotRun, arguments.front(),
          missing ? "no such program in PATH" : std::generic_category().message(errno),
          missing ? "install Go, from its home page go.dev/dl" : ""};
}

}  // namespace sf::host
