#include "world/go_imports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::world {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ImportGraph kGraph = {.root = "main",
                            .imports = {{"main", {"a", "b"}},
                                        {"a", {"c"}},
                                        {"b", {"d", "main"}},
                                        {"c", {"d"}},
                                        {"d", {}},
                                        {"e", {"d"}}}};

TEST(ShortestChain, LeadsFromTheProgramToThePackage) {
  EXPECT_THAT(shortest_chain(kGraph, "d"), ElementsAre("main", "b", "d"));
  EXPECT_THAT(shortest_chain(kGraph, "main"), ElementsAre("main"));
}

TEST(ShortestChain, IsEmptyWhenNothingLeadsThere) {
  EXPECT_THAT(shortest_chain(kGraph, "e"), IsEmpty());
  EXPECT_THAT(shortest_chain({}, "x"), IsEmpty());
}

}  // namespace
}  // namespace sf::world
