#include "trace/sinks.h"

#include <algorithm>

namespace sf::trace {
namespace {

bool same(const kernel::Record& a, const kernel::Record& b) {
  return a.time == b.time && a.node == b.node && a.incarnation == b.incarnation &&
         a.kind == b.kind && a.call == b.call && a.result == b.result && a.payload == b.payload;
}

}  // namespace

std::optional<std::size_t> first_difference(const std::vector<kernel::Record>& a,
                                            const std::vector<kernel::Record>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!same(a[i], b[i])) return i;
  }
  if (a.size() != b.size()) return common;
  return {};
}

}  // namespace sf::trace
