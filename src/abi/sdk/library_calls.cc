#include "abi/sdk/library_calls.h"

#include "abi/wasm_guest.h"
#include "kernel/file_calls.h"

namespace sf::abi::sdk {

Answer sync_start(Frame& frame) {
  SF_CALL_TRY(const auto file, frame.process().fds().get(frame.u32(0)));
  if (frame.wants_text()) {
    frame.what("fsync " + file->path);
    frame.outcome("begins");
  }
  SF_CALL_CHECK(frame.put(frame.u32(1), std::int32_t{0}));   // EFAULT before anything has begun
  if (frame.guest().parked().full()) return Answer::done(Errno::kNoMem);
  SF_CALL_TRY(const kernel::OpId operation,
              kernel::files::start_sync(frame.process(), file, {}));
  const std::uint32_t number = frame.guest().parked().add(operation, file->path);
  SF_CALL_CHECK(frame.put(frame.u32(1), number));
  return Answer::done();
}

Answer sync_result(Frame& frame) {
  ParkedOperations& parked = frame.guest().parked();
  const ParkedOperations::Entry* entry = parked.find(frame.u32(0));
  if (entry == nullptr) return Answer::done(Errno::kBadF);
  if (frame.wants_text()) frame.what("fsync " + entry->path);
  const auto result = frame.process().operations().take(entry->id);
  if (!result) return Answer::done(Errno::kAgain);
  parked.remove(frame.u32(0));
  return Answer::done(*result);
}

Answer signal_start(Frame& frame) {
  if (frame.wants_text()) frame.what("wait for signals");
  SF_CALL_CHECK(frame.put(frame.u32(0), std::int32_t{0}));
  ParkedOperations& parked = frame.guest().parked();
  if (parked.full() && !parked.has_one_for_signals()) return Answer::done(Errno::kNoMem);
  return Answer::done(frame.put(frame.u32(0), parked.for_signals(frame.process().operations())));
}

}  // namespace sf::abi::sdk
