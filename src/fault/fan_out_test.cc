// Distinct images of one power loss: all are possible, no two are equal, and names are stable.
#include "fault/fan_out.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/hash.h"

namespace sf::fault {
namespace {

using kernel::Choices;
using kernel::disk::InFlight;
using kernel::disk::Survivors;
using kernel::disk::Volume;
using kernel::disk::VolumeOptions;

// A file with as many appended records, none synced.
std::unique_ptr<Volume> volume_with(int records, std::size_t size) {
  auto volume = std::make_unique<Volume>(VolumeOptions{});
  const auto ino = volume->create_file(volume->root(), "log", SimTime::zero());
  for (int i = 0; i < records; ++i) {
    const std::string data(size, static_cast<char>('a' + i));
    EXPECT_TRUE(volume->write(*ino, static_cast<std::uint64_t>(i) * size, as_bytes(data),
                              SimTime::zero()));
  }
  return volume;
}

std::string image_of(const Volume& volume, const Survivors& set) {
  const auto copy = volume.clone();
  copy->power_loss(InFlight{}, set);
  return copy->image_hash().hex();
}

std::set<std::string> all_images(const Volume& volume) {
  std::set<std::string> images;
  volume.for_each_survivors(InFlight{}, [&](const Survivors& set) {
    images.insert(image_of(volume, set));
    return true;
  });
  return images;
}

Survivors own_of(const Volume& volume) {
  return volume.draw_survivors(InFlight{}, kernel::Dice(5), kernel::disk::Tearing::kWhole);
}

std::vector<Survivors> images(const Volume& volume, std::uint32_t count,
                              Odds torn = Odds::always()) {
  return distinct_images(volume, own_of(volume), ImageDraw{InFlight{}, torn, 1}, Choices(1), count);
}

// Against the slow twin: with few sets, the images are exactly those that exist.
TEST(FanOut, ListsEveryImageOnceWhenThereAreFew) {
  const auto volume = volume_with(3, 5);
  const auto sets = images(*volume, 1000);
  std::set<std::string> found;
  for (const Survivors& set : sets) EXPECT_TRUE(found.insert(image_of(*volume, set)).second);
  EXPECT_EQ(found, all_images(*volume));
  EXPECT_EQ(image_of(*volume, sets[0]), image_of(*volume, own_of(*volume)));
}

// Negative control of the deduplication: more sets than images.
TEST(FanOut, SetsThatLeaveTheSameImageCountOnce) {
  auto volume = std::make_unique<Volume>(VolumeOptions{});
  const auto ino = volume->create_file(volume->root(), "log", SimTime::zero());
  const std::string data(8, 'x');
  ASSERT_TRUE(volume->write(*ino, 0, as_bytes(data), SimTime::zero()));
  auto cursor = volume->open_cursor(*ino);
  ASSERT_EQ(volume->sync(*ino, kernel::disk::SyncKind::kFull, cursor), kernel::Errno::kOk);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(volume->write(*ino, 0, as_bytes(data), SimTime::zero()));
  }
  std::size_t sets = 0;
  volume->for_each_survivors(InFlight{}, [&](const Survivors&) { return ++sets > 0; });
  EXPECT_GT(sets, 4u);
  EXPECT_EQ(images(*volume, 1000).size(), 1u);
}

TEST(FanOut, SamplesWhenThereAreMany) {
  const auto volume = volume_with(20, 100);    // about 2,000 sets
  const auto sets = images(*volume, 30);
  ASSERT_EQ(sets.size(), 30u);
  const auto possible = all_images(*volume);
  std::set<std::string> found;
  for (const Survivors& set : sets) {
    const std::string image = image_of(*volume, set);
    EXPECT_TRUE(found.insert(image).second);
    EXPECT_TRUE(possible.contains(image));
  }
}

// "2.3" must mean the same image whatever -fanout was.
TEST(FanOut, AShorterListIsTheBeginningOfALongerOne) {
  for (const auto& volume : {volume_with(3, 5), volume_with(20, 100)}) {
    const auto longer = images(*volume, 12);
    for (std::uint32_t count = 1; count <= 12; ++count) {
      const auto shorter = images(*volume, count);
      ASSERT_EQ(shorter.size(), count);
      EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
    }
  }
}

TEST(FanOut, WithoutTornWritesNoImageIsTorn) {
  for (const auto& volume : {volume_with(3, 5), volume_with(20, 100)}) {
    bool any_torn = false;
    for (const Survivors& set : images(*volume, 40)) {
      any_torn = any_torn || volume->clone()->power_loss(InFlight{}, set).torn;
    }
    EXPECT_TRUE(any_torn);
    for (const Survivors& set : images(*volume, 40, Odds::never())) {
      EXPECT_FALSE(volume->clone()->power_loss(InFlight{}, set).torn);
    }
  }
}

TEST(FanOut, NothingPendingLeavesOneImage) {
  const Volume volume(VolumeOptions{});
  EXPECT_EQ(images(volume, 16).size(), 1u);
}

TEST(ImageId, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_image_id("2.3", "-image").value(), (ImageId{2, 3}));
  EXPECT_EQ(to_string(ImageId{12, 1}), "12.1");
  for (const char* wrong : {"", "2", "2.", ".3", "0.1", "1.0", "1.-1", "1.2.3", "a.b", " 1.2",
                            "99999999999.1"}) {
    const auto parsed = parse_image_id(wrong, "-image");
    ASSERT_FALSE(parsed) << wrong;
    EXPECT_NE(parsed.error().text().find("for example 2.3"), std::string::npos);
  }
}

}  // namespace
}  // namespace sf::fault
