// `seedfall schema`: the JSON Schema of seedfall.json.
#include <cstdio>

#include <fmt/format.h>

#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "world/config_schema.h"

namespace sf::front {

ExitCode command_schema(const std::vector<std::string>& arguments) {
  Flags flags("schema",
              "prints the JSON Schema (draft 2020-12) of seedfall.json, for editors and others",
              {"seedfall schema > seedfall.schema.json      and in seedfall.json: "
               "\"$schema\": \"./seedfall.schema.json\"",
               "seedfall schema | jq '.properties.faults.properties | keys'"});
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  fmt::print("{}\n", world::config_schema().dump_pretty());
  return ExitCode::kClean;
}

}  // namespace sf::front
