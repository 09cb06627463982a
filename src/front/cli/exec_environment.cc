#include "front/cli/exec_environment.h"

#include <fmt/format.h>

#include "base/host/streams.h"
#include "base/strings.h"

namespace sf::front {

Result<Environment> exec_environment(const std::vector<std::string>& given) {
  Environment environment;
  for (const std::string& entry : given) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (name.empty()) {
      return usage_error("", fmt::format("-env {}: no name", excerpt(entry, 40)),
                         "for example -env LEVEL=debug, or -env HOME for the value it has here");
    }
    if (equals != std::string::npos) {
      environment.emplace_back(name, entry.substr(equals + 1));
    } else if (const auto value = host::environment_variable(name)) {
      environment.emplace_back(name, *value);
    }
  }
  return environment;
}

}  // namespace sf::front
