// What the measuring programs share. They print "name value" lines on stdout; bench/run reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "world/world.h"

namespace sf::bench {

// User and system time of this process, exact to the nanosecond.
double cpu_milliseconds();
// Real time since some moment.
double wall_milliseconds();
// Memory that is resident now.
double resident_megabytes();
// The part of it that lies in huge pages.
double huge_megabytes();

// The main function of a measuring program: serves the hidden command that compiles guests, prints
// errors, and turns them into exit codes. `body` gets the arguments after the program's name.
int main_of(int argc, char** argv, std::string_view usage,
            Result<void> (*body)(const std::vector<std::string>& arguments));

// A world from the text of a config. Its programs must be named by absolute paths.
Result<std::unique_ptr<world::World>> world_of(const std::string& config,
                                               const engine::EngineOptions& engine = {});

template <class T>
void print(std::string_view name, const T& value) {
  fmt::print("{} {}\n", name, value);
}

}  // namespace sf::bench
