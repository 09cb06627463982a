// libFuzzer's entry: one program per target, named by SEEDFALL_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/compile.h"
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  // The child that compiles a guest, see engine/compile.h.
  const std::vector<std::string> arguments(*argv + 1, *argv + *argc);
  if (!arguments.empty() && arguments.front() == "internal-compile") {
    std::exit(sf::engine::internal_compile(std::span(arguments).subspan(1)));
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sf::fuzz::SEEDFALL_FUZZ_TARGET({data, size});
  return 0;
}
