// What `seedfall init` wants to know of a Go module: its programs, and where one of them listens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sf::world {

struct GoProgram {
  std::string import_path;   // "example.com/counter/server"
  std::string folder;        // absolute
};

// The packages `main` that `pattern` ("./...", "./server") stands for in `directory`, by import
// path. kCannotRun when there is no go, no module, or no such package.
Result<std::vector<GoProgram>> find_go_programs(const std::string& directory,
                                                const std::string& pattern);

struct ListenAddress {
  std::string address;       // "server:7000", ":7000"; empty: it is not known
  bool listens = false;      // sim.Listen is called somewhere
};

// Where a program listens, read from the sources of its own module: the address in a call of
// sim.Listen, else the only text in the program that looks like one. Guesswork, for a first draft.
Result<ListenAddress> find_listen_address(const GoProgram& program);

// The same for the text of one file; `others` collects the texts that look like an address.
ListenAddress listen_address_in(std::string_view source, std::vector<std::string>& others);

}  // namespace sf::world
