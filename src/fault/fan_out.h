// Crash fan-out: at a power loss, which other disk images could it have left?
//
// Wraps the oracle of a run. At each power loss it lists distinct images, the run's own first, and
// either branches off one run per image (for a sweep) or goes on with a named one (for replay and
// shrink). The list depends on the run up to there alone, not on how many images are asked for, so
// a name means the same image whatever -fanout was. Branches do not fan out again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/odds.h"
#include "fault/branches.h"
#include "fault/forwarding.h"
#include "kernel/choices.h"

namespace sf::fault {

struct FanOutOptions {
  std::uint32_t images = 1;             // per power loss, the run's own among them
  Branches* branches = nullptr;         // null: nothing is branched off
  std::optional<ImageId> only;          // go on with this one
  Odds torn_writes;                     // never: images with a cut operation are left out
};

class FanOut final : public ForwardingOracle {
 public:
  FanOut(kernel::FaultOracle& inner, const FanOutOptions& options)
      : ForwardingOracle(inner), options_(options) {}

  kernel::disk::Survivors survivors(kernel::FaultHandle fault, const kernel::disk::Volume& volume,
                                    kernel::disk::InFlight in_flight) override;

  // Whether the run came to `only`; else how many images that power loss has, 0 if there was none.
  bool reached() const { return reached_; }
  std::uint32_t images_there() const { return images_there_; }

 private:
  FanOutOptions options_;
  std::uint32_t power_losses_ = 0;
  bool settled_ = false;                // a branch, or `only` is chosen: nothing more to do
  bool reached_ = false;
  std::uint32_t images_there_ = 0;
};

// Survivor sets that lead to pairwise different images, `own` first, at most `count` in all. All
// that exist when there are few, in an order drawn from `choices`; else samples. The first n of a
// longer list are the list of n.
struct ImageDraw {
  kernel::disk::InFlight in_flight;
  Odds torn_writes;
  std::uint32_t power_loss = 1;         // keys the draws
};
std::vector<kernel::disk::Survivors> distinct_images(const kernel::disk::Volume& volume,
                                                     const kernel::disk::Survivors& own,
                                                     const ImageDraw& draw,
                                                     const kernel::Choices& choices,
                                                     std::uint32_t count);

}  // namespace sf::fault
