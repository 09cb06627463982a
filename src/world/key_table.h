// The table of keys: the one place that knows which keys seedfall.json may have.
//
// The checker, the JSON Schema and the reference page are driven by it. A key that a later version
// brings is here too, so that it is answered with "not built yet" instead of "unknown key".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sf::world {

// Where a key stands. kNode is an element of `nodes` and `workload`; kDisk is `disk` and
// `nodes[].disk`; kC is `nodes[].c`.
enum class Scope : std::uint8_t {
  kRoot, kNode, kC, kDisk, kNetwork, kCpu, kFaults, kBudget, kCheck, kAntithesis, kLimits,
};

enum class KeyType : std::uint8_t {
  kText,          // any string
  kTitle,         // a string that may be part of a file name
  kName,          // a host name
  kSource,        // a non-empty path or package
  kBool,
  kInteger,       // within [low, high]
  kRate,          // events per simulated second, 0..1000
  kOdds,          // 0..1
  kOddsOrBool,    // true is 1
  kDuration,      // low and high in nanoseconds
  kSignedDuration,
  kLatency,       // bounds for every duration in it
  kSize,          // low and high in bytes
  kChoice,        // one of `choices`
  kTexts,         // a list of strings
  kSources,       // a non-empty list of C and C++ files and patterns
  kFlags,         // a list of compiler flags
  kEnvironment,   // an object of strings
  kObject,        // the keys of `inner`
  kNodes,         // a non-empty list of kNode objects
  kWorkloads,     // one kNode object or a list of them
  kAny,           // not built, so not looked into
};

// A member of this name is a comment in every object, for tools whose JSON has no comments.
inline constexpr std::string_view kCommentKey = "//";

// Stages are the project's milestones; 1 is what works now.
inline constexpr int kStageBuilt = 1;
inline constexpr int kStageLater = 99;

struct Choice {
  std::string_view name;
  int stage = kStageBuilt;
};

struct Key {
  Scope scope;
  std::string_view name;
  KeyType type;
  int stage;
  std::string_view default_text;     // as it would stand in the file, without quotes; "" = none
  std::string_view documentation;    // one sentence
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::span<const Choice> choices = {};
  Scope inner = Scope::kRoot;        // of kObject
  bool built() const { return stage <= kStageBuilt; }
};

std::span<const Key> key_table();
const Key* find_key(Scope scope, std::string_view name);

// "nodes[].disk.fsync" for the reference page; the first place when a key has several.
std::string path_pattern(const Key& key);

// What to offer for an unknown key, or nothing: a near name of the same scope ("crash_per_sec"), or
// the same name elsewhere ("faults.crash_per_sec").
std::string suggest_key(Scope scope, std::string_view name);

}  // namespace sf::world
