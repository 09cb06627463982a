#include "fault/branches.h"

#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/strings.h"
#include "fault/schedule.h"

namespace sf::fault {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return {};
  return value;
}

}  // namespace

std::string to_string(const ImageId& id) { return fmt::format("{}.{}", id.power_loss, id.image); }

std::string to_string(const SiteId& id) {
  return fmt::format("{} ({}, {})", id.operation, kind_word(id.kind),
                     kernel::phase_name(id.phase));
}

Result<ImageId> parse_image_id(const std::string& text, const std::string& where) {
  const std::size_t dot = text.find('.');
  if (dot != std::string::npos) {
    const auto power_loss = number(std::string_view(text).substr(0, dot));
    const auto image = number(std::string_view(text).substr(dot + 1));
    if (power_loss && image) return ImageId{*power_loss, *image};
  }
  return usage_error(where, fmt::format("{}: not the name of an image", excerpt(text, 40)),
                     "for example 2.3, the third image of the second power loss");
}

}  // namespace sf::fault
