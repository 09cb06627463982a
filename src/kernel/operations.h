// Operations that take time: started by a call, completed by an event, asked about by whoever
// waits.
//
// The same object serves a suspended fiber, an EAGAIN that poll later reports ready, and (later) a
// thread of a native process. Owned by one process; its death cancels all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "kernel/errno.h"

namespace sf::kernel {

enum class OpId : std::uint64_t { kNone = 0 };

class Operations {
 public:
  OpId start() {
    const OpId id{++last_};
    pending_.emplace(id, std::nullopt);
    return id;
  }
  bool is_pending(OpId id) const {
    const auto found = pending_.find(id);
    return found != pending_.end() && !found->second;
  }
  // Requires a pending operation.
  void complete(OpId id, Errno result) { pending_.at(id) = result; }
  // The result once it is complete; the operation is then forgotten.
  std::optional<Errno> take(OpId id) {
    const auto found = pending_.find(id);
    if (found == pending_.end() || !found->second) return {};
    const Errno result = *found->second;
    pending_.erase(found);
    return result;
  }
  void cancel(OpId id) { pending_.erase(id); }

 private:
  std::uint64_t last_ = 0;
  std::map<OpId, std::optional<Errno>> pending_;
};

}  // namespace sf::kernel
