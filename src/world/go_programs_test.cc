#include "world/go_programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sf::world {
namespace {

using testing::ElementsAre;

struct Found {
  std::string address;
  bool listens = false;
  std::vector<std::string> others;
};

Found in(std::string_view source) {
  Found found;
  const ListenAddress address = listen_address_in(source, found.others);
  found.address = address.address;
  found.listens = address.listens;
  return found;
}

TEST(ListenAddress, IsTheSecondArgument) {
  EXPECT_EQ(in(R"(ln, err := sim.Listen("tcp", "server:7000"))").address, "server:7000");
  EXPECT_EQ(in("sim.Listen(\n\t\"tcp4\",\n\t\":80\",\n)").address, ":80");
}

TEST(ListenAddress, OfTheFirstCallThatHasOne) {
  EXPECT_EQ(in(R"(sim.Listen("tcp", a); sim.Listen("tcp", ":1"); sim.Listen("tcp", ":2"))").address,
            ":1");
}

TEST(ListenAddress, IsNotKnownWhenItIsNoLiteral) {
  const Found found = in(R"(addr := "server:7000"; sim.Listen("tcp", addr))");
  EXPECT_TRUE(found.listens);
  EXPECT_EQ(found.address, "");
  EXPECT_THAT(found.others, ElementsAre("server:7000"));
}

TEST(ListenAddress, IsNoOtherText) {
  EXPECT_EQ(in(R"(sim.Listen("tcp", "a b:1"))").address, "");
  EXPECT_EQ(in(R"(sim.Listen("tcp", "server:port"))").address, "");
  EXPECT_EQ(in(R"(sim.Listen("tcp", "server:"))").address, "");
  EXPECT_EQ(in(R"(sim.Listen("tcp")").address, "");
  EXPECT_EQ(in(R"(sim.Listen("tcp", "server:1)").address, "");
  EXPECT_THAT(in(R"("15:04:05", "a:1b", ":", "http://x:80")").others, ElementsAre());
}

TEST(ListenAddress, OfACommentIsNone) {
  EXPECT_FALSE(in("// sim.Listen(\"tcp\", \":1\")\n").listens);
  EXPECT_FALSE(in(R"(net.Listen("tcp", ":1"))").listens);
}

}  // namespace
}  // namespace sf::world
