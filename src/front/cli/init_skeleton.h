// The texts of the files that `seedfall init` writes.
#pragma once

#include <string>

namespace sf::front {

struct Skeleton {
  std::string world;            // name of the world
  std::string node;             // name of the node, which is its host name
  std::string package;          // of the node, relative to the config
  std::string workload_package; // likewise
  std::string address;          // where the node listens, "server:7000"; empty: not known
};

// Turns any text into a name for nodes and worlds: "My Server" -> "My-Server"; else `otherwise`.
std::string as_name(const std::string& text, const std::string& otherwise);

std::string skeleton_config(const Skeleton& skeleton);
std::string skeleton_workload(const Skeleton& skeleton);

}  // namespace sf::front
