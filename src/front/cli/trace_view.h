// Showing trace records: filters and forms shared by `replay` and `trace`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "front/cli/flags.h"
#include "kernel/record.h"

namespace sf::front {

// What the user asked for, as written.
struct ViewFlags {
  std::string node;
  std::string kinds;
  std::string from;
  std::string to;
  bool json = false;

  void add_to(Flags& flags);
};

// Which records are shown; a run itself is always whole.
class TraceView {
 public:
  static Result<TraceView> of(const ViewFlags& flags, std::vector<std::string> node_names);

  // Prints the record on stdout, if it is to be shown.
  void show(std::uint64_t step, const kernel::Record& record) const;

 private:
  TraceView() = default;
  bool shows(const kernel::Record& record) const;

  std::vector<std::string> names_;
  std::string node_;                  // empty: all
  std::vector<std::string> kinds_;    // empty: all
  SimTime from_;
  SimTime to_ = SimTime::never();
  bool json_ = false;
};

}  // namespace sf::front
