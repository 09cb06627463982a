// The flags of `seedfall run`, and its form `run -sites`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"

namespace sf::front {

struct RunFlags {
  std::string config = kDefaultConfig;
  std::optional<std::string> seeds;   // nothing: not given
  std::uint64_t workers = 0;
  std::uint64_t fan_out = 1;
  bool sites = false;
  bool check = false;
  bool keep_going = false;
  bool json = false;
};

// As many workers as asked for, else one per processor.
unsigned worker_count(std::uint64_t asked);

Result<ExitCode> run_sites(const RunFlags& flags);

}  // namespace sf::front
