// The main function of the engine's tests. It replaces gtest_main's, because compile_program starts
// the running program again as its compiler.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/compile.h"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "internal-compile") {
    const std::vector<std::string> arguments(argv + 2, argv + argc);
    return sf::engine::internal_compile(arguments);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
