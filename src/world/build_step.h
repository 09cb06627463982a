// Compiler and linker runs whose results are kept by content, for tools without a cache of their
// own.
//
// A run is known by its command line. Beside its result lies the list of the files that it read
// with their hashes; while all of them are the same, the result is used again. Several processes
// may run steps at once.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sf::world {

struct BuildStep {
  std::vector<std::string> arguments;   // without what names the output
  std::string directory;                // absolute: where the tool runs
  std::string identity;                 // of the tool: version text
  std::string scratch;                  // a folder for this step's temporary files
  // The arguments that make the tool write its result to `file`, and perhaps a list of inputs.
  std::function<std::vector<std::string>(const std::string& file)> output_arguments;
  // The files that the run read, given its standard output and `file`.
  std::function<Result<std::vector<std::string>>(const std::string& output,
                                                 const std::string& file)> inputs;
};

struct StepResult {
  std::string path;          // of the result, in the cache; named by its content
  bool succeeded = false;    // else `output` says why
  std::string output;
};

// Fails only when the tool cannot be started or the cache cannot be used.
Result<StepResult> run_step(const BuildStep& step);

// The inputs in the make rule that compilers write for -MD; paths are made absolute.
std::vector<std::string> inputs_of_make_rule(std::string_view rule, const std::string& directory);

}  // namespace sf::world
