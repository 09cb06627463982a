// Trace records and the sinks they go to. trace/ and check/ implement the sinks higher up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "kernel/ids.h"

namespace sf::kernel {

// Values are part of the trace format: append only (docs/formats/trace.md).
enum class RecordKind : std::uint16_t {
  kCall = 1,       // a host call returned to the guest; `call` says which
  kBoot = 2,
  kExit = 3,       // the program ended by itself; result = exit code
  kTrap = 4,
  kConsole = 5,    // a line on stdout (result 1) or stderr (result 2)
  kFault = 6,
  kNet = 7,        // a segment reached a host, or was dropped or held
  kProperty = 8,   // result: 1 the condition held, 0 it did not
  kRoom = 9,       // quiet window, setup complete
  kFinding = 10,
  kEnd = 11,       // always the last record
  kPreempt = 12,   // a goroutine was told to yield; result = ticks used by then
};

struct Record {
  SimTime time;
  NodeId node = kTheRoom;
  Incarnation incarnation = 0;
  RecordKind kind = RecordKind::kCall;
  std::uint32_t call = 0;          // number of the host call (abi/call_numbers.h); 0 for others
  std::int64_t result = 0;         // errno (Linux numbers) or what the kind says
  std::uint64_t payload = 0;       // hash of arguments and data
  // For people; only filled when the sink wants text. Not part of the hash chain: the trace level
  // must not change a run's hash.
  std::string what;
  std::string outcome;
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual bool wants_text() const = 0;
  // Records come in room-time order; `step` counts them from 1.
  virtual void record(std::uint64_t step, const Record& record) = 0;
};

// Values are part of the SDK's ABI (sdk/go/sim/abi.go).
enum class PropertyKind : std::uint32_t {
  kAssert = 1, kAlways = 2, kSometimes = 3, kReachable = 4, kUnreachable = 5,
};
std::string_view property_kind_name(PropertyKind kind);

struct PropertyHit {
  SimTime time;
  NodeId node = kTheRoom;
  PropertyKind kind = PropertyKind::kAssert;
  bool held = false;          // the condition; for reachable true, for unreachable false
  std::string identity;       // kind, and message or call site: equal for equal properties
  std::string message;
  std::string site;           // "server/store.go:88 (main.recover)"
};

class PropertySink {
 public:
  virtual ~PropertySink() = default;
  virtual void hit(const PropertyHit& hit) = 0;
};

}  // namespace sf::kernel
