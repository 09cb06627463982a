// A crash state is cheap to make and dear to reach: the prefix of the run is the same for all
// images of a power loss. ALICE (Pillai et al., OSDI 2014) and CrashMonkey (Mohan et al., OSDI
// 2018) replay one recorded prefix into many crash states; here the running world is forked.
//
// Two survivor sets may give the same image (a lost write of equal bytes, a dropped time stamp).
// So each candidate is applied to a copy of the volume, and only images with a new hash count.
#include "fault/fan_out.h"

#include <set>
#include <utility>

#include "base/check.h"
#include "kernel/room.h"

namespace sf::fault {

using kernel::Choices;
using kernel::Dice;
using kernel::Entity;
using kernel::Purpose;
using kernel::disk::InFlight;
using kernel::disk::Survivors;
using kernel::disk::Tearing;
using kernel::disk::Volume;

namespace {

constexpr std::uint64_t kEntityTag = 0x66616e6f7574;
constexpr std::size_t kEnumerateMax = 64;    // with more sets than these, samples are drawn
// So many samples in a row without a new image: there is hardly another one.
constexpr std::uint32_t kDrySamples = 64;

class ImageSet {
 public:
  ImageSet(const Volume& volume, const ImageDraw& draw, std::uint32_t count)
      : volume_(volume), draw_(draw), count_(count) {}

  bool full() const { return sets_.size() >= count_; }

  // True when the set gives an image that was not there.
  bool add(const Survivors& set, bool is_own = false) {
    const auto copy = volume_.clone();
    const auto effect = copy->power_loss(draw_.in_flight, set);
    if (!is_own && effect.torn && draw_.torn_writes.is_never()) return false;
    const Hash128 image = copy->image_hash();
    if (!seen_.insert({image.high, image.low}).second) return false;
    sets_.push_back(set);
    return true;
  }

  std::vector<Survivors> take() { return std::move(sets_); }

 private:
  const Volume& volume_;
  const ImageDraw& draw_;
  std::uint32_t count_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
  std::vector<Survivors> sets_;
};

// All sets when they are few, else nothing.
std::optional<std::vector<Survivors>> enumerate(const Volume& volume, InFlight in_flight) {
  std::vector<Survivors> sets;
  bool few = true;
  volume.for_each_survivors(in_flight, [&](const Survivors& set) {
    few = sets.size() < kEnumerateMax;
    if (few) sets.push_back(set);
    return few;
  });
  if (!few) return std::nullopt;
  return sets;
}

void shuffle(std::vector<Survivors>& sets, Dice dice) {
  for (std::size_t left = sets.size(); left > 1; --left) {
    std::swap(sets[left - 1], sets[dice.below(left)]);
  }
}

}  // namespace

std::vector<Survivors> distinct_images(const Volume& volume, const Survivors& own,
                                       const ImageDraw& draw, const Choices& choices,
                                       std::uint32_t count) {
  SF_CHECK(count > 0);
  const auto dice = [&](std::uint64_t index) {
    return choices.dice(Purpose::kSurvivors, Entity::of(draw.power_loss, kEntityTag), index);
  };
  ImageSet images(volume, draw, count);
  images.add(own, true);
  if (auto all = enumerate(volume, draw.in_flight)) {
    shuffle(*all, dice(0));
    for (std::size_t i = 0; i < all->size() && !images.full(); ++i) images.add((*all)[i]);
    return images.take();
  }
  std::uint32_t dry = 0;
  for (std::uint64_t i = 1; dry < kDrySamples && !images.full(); ++i) {
    Dice sample = dice(i);
    const Tearing torn = sample.hit(draw.torn_writes) ? Tearing::kTorn : Tearing::kWhole;
    const bool added = images.add(volume.draw_survivors(draw.in_flight, Dice(sample.next()), torn));
    dry = added ? 0 : dry + 1;
  }
  return images.take();
}

Survivors FanOut::survivors(kernel::FaultHandle fault, const Volume& volume, InFlight in_flight) {
  Survivors own = inner_.survivors(fault, volume, in_flight);
  if (settled_) return own;
  ++power_losses_;
  if (options_.only && options_.only->power_loss != power_losses_) return own;
  const std::uint32_t count = options_.only ? options_.only->image : options_.images;
  const std::vector<Survivors> sets =
      distinct_images(volume, own, ImageDraw{in_flight, options_.torn_writes, power_losses_},
                      room_->choices(), count);
  if (options_.only) {
    settled_ = true;
    images_there_ = static_cast<std::uint32_t>(sets.size());
    reached_ = sets.size() == count;
    return reached_ ? sets.back() : own;
  }
  if (options_.branches == nullptr) return own;
  for (std::uint32_t i = 1; i < sets.size(); ++i) {
    if (!options_.branches->branch(ImageId{power_losses_, i + 1})) continue;
    settled_ = true;
    return sets[i];
  }
  return own;
}

}  // namespace sf::fault
