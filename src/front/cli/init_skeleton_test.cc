#include "front/cli/init_skeleton.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/config.h"

namespace sf::front {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using testing::Not;

// Goal: whatever a folder is called, the name is one that the config takes.
TEST(AsName, IsAlwaysANameOfANode) {
  const std::string endless(200, 'a');
  for (const std::string& text :
       {"server"s, "My Server"s, "v2"s, "2"s, ""s, ".."s, "-x"s, "localhost"s, "été"s, "a/b"s,
        "1.2.3.4"s, endless}) {
    Skeleton skeleton{.world = as_name(text, "world"), .node = as_name(text, "node"),
                      .package = ".", .workload_package = "./simtest"};
    const auto config = world::decode_config(skeleton_config(skeleton), "t.json");
    EXPECT_TRUE(config) << text << ": " << (config ? "" : config.error().text());
  }
  EXPECT_EQ(as_name("My Server", "x"), "My-Server");
  EXPECT_EQ(as_name("v2", "x"), "v2");
  EXPECT_EQ(as_name("10.0.0.7", "x"), "x");
}

TEST(Skeleton, ConnectsOnlyWhereTheNodeListens) {
  Skeleton skeleton{.world = "w", .node = "store", .package = "./store",
                    .workload_package = "./tests/sim"};
  const std::string waiting = skeleton_workload(skeleton);
  EXPECT_THAT(waiting, HasSubstr("// Command sim drives store in the simulator"));
  EXPECT_THAT(waiting, Not(HasSubstr("DialContext")));
  skeleton.address = "store:7000";
  const std::string dialing = skeleton_workload(skeleton);
  EXPECT_THAT(dialing, HasSubstr("const address = \"store:7000\"\n"));
  EXPECT_THAT(dialing, Not(HasSubstr("@")));
}

}  // namespace
}  // namespace sf::front
