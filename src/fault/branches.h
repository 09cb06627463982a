// Where a run may be forked to learn how it would have ended otherwise, and what the forks are
// called. Who forks (search/branches.h) is unknown here: an oracle asks, and the answer tells it in
// which of the two processes it is.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "kernel/fault_oracle.h"

namespace sf::fault {

// One disk image of a run: image `image` of power loss `power_loss`, both from 1. Image 1 is the
// one that the seed itself draws. Written "2.3".
struct ImageId {
  std::uint32_t power_loss = 0;
  std::uint32_t image = 0;
  auto operator<=>(const ImageId&) const = default;
};
std::string to_string(const ImageId& id);
Result<ImageId> parse_image_id(const std::string& text, const std::string& where);

// One crash of a run that has no other fault: at the n-th disk operation of its services, from 1.
struct SiteId {
  std::uint64_t operation = 0;
  kernel::FaultKind kind = kernel::FaultKind::kPower;
  kernel::Phase phase = kernel::Phase::kBefore;
  auto operator<=>(const SiteId&) const = default;
};
std::string to_string(const SiteId& id);   // "12 (power, before)"

class Branches {
 public:
  virtual ~Branches() = default;
  // True in the branch that goes on with this image or crash; false, once that branch has ended, in
  // the process that goes on as it was.
  virtual bool branch(const ImageId& image) = 0;
  virtual bool branch(const SiteId& site) = 0;
  // Told in a branch what its crash left. Branches with equal keys go on alike; so this does not
  // return when another one had the key.
  virtual void crashed(std::uint64_t key) = 0;
};

}  // namespace sf::fault
