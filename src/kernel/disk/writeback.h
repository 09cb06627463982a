// Writeback that fails, page cache that is dropped, bits that rot: the types of that part of a
// Volume. The contract of a failed writeback is Linux's (fault-models.md 2.7; docs/design/disk.md):
//
//   - the pages that failed turn clean. The cache keeps the new bytes, the disk the old ones (zeros
//     where it had none), and no retry writes them again: such a page is *lost*. Nobody sees it
//     until the cache is dropped (evict) or power fails; a kill keeps the wrong cache;
//   - a later write anywhere in a lost page makes all of it dirty again, which heals it;
//   - the error is reported once to each open file description of the inode, by its next sync. An
//     error that nobody has seen goes to the next one who opens the file;
//   - a sync that reports an error made nothing certain: the rest of the file (its other pages and
//     its size) stays pending and becomes durable with the next sync that succeeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/errno.h"

namespace sf::kernel::disk {

// One open file description's place in its inode's sequence of errors (Linux lib/errseq.c), sampled
// when it is opened.
struct ErrorCursor {
  std::uint64_t seen = 0;
  bool operator==(const ErrorCursor&) const = default;
};

// Whether a page fails once, or in every writeback from now on (until the file is gone; a reboot
// does not repair the sector).
enum class BadPage : std::uint8_t { kOnce, kSticky };

struct WritebackFault {
  BadPage persistence = BadPage::kOnce;
  // Page numbers; those without data to write do not fail now (sticky ones will). Empty: every page
  // with pending data of the inode.
  std::vector<std::uint64_t> pages = {};
  Errno error = Errno::kIo;            // or kNoSpc, kDQuot: late allocation
};

struct WritebackEffect {
  std::uint32_t pages_lost = 0;        // 0: nothing was waiting to be written, so nothing failed
  // "pages 3, 4 of /data/log turned clean; the disk keeps the old bytes"
  std::string description;
};

struct EvictEffect {
  std::uint32_t pages = 0;             // dropped: all that hold no pending data
  std::uint32_t revealed = 0;          // lost ones among them, which now show the disk's bytes
  std::string description;
};

struct RotEffect {
  std::string description;             // "3 bits of sector 2 of page 1 of /data/log flipped"
};

}  // namespace sf::kernel::disk
