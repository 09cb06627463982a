// What a schema can say it says. Three things stay with the decoder: the bounds of durations and
// sizes (JSON Schema cannot compare strings as numbers), whether a number is written as an integer
// (1.0 is one for JSON Schema), and what concerns several values at once.
//
// The patterns are those of ECMA 262, as JSON Schema wants them; they accept what parse_duration,
// parse_size and config_values.cc accept, and tests/cli/schema_test.py compares the two.
#include "world/config_schema.h"

#include <string>

#include "base/check.h"
#include "world/key_table.h"

namespace sf::world {
namespace {

// A duration, as parse_duration in base/strings.h reads it.
const std::string kDurationForm =
    "(0|(([0-9]+\\.?[0-9]*|\\.[0-9]+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h))+)";
const std::string kSigma = "([0-9]+\\.?[0-9]*|\\.[0-9]+)(e[+-]?[0-9]+)?";
const std::string kCap = "( +cap +" + kDurationForm + ")?";
const std::string kLatencyPattern = "^ *(" + kDurationForm + "(\\.\\." + kDurationForm +
                                    ")?|exp +" + kDurationForm + kCap + "|lognormal +" +
                                    kDurationForm + " +" + kSigma + kCap + ") *$";
constexpr const char* kSizePattern =
    "^([0-9]+\\.?[0-9]*|\\.[0-9]+)([kK]B|[KMGT]iB|[MGT]B|B)?$";
constexpr const char* kNamePattern =
    "^(?![0-9.]+$)(?![Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt]$)[A-Za-z0-9][A-Za-z0-9._-]{0,62}$";
// Part of a file name; see check_title in config_values.cc.
constexpr const char* kTitlePattern =
    "^[^./\\\\\\u0000-\\u001f\\u007f][^/\\\\\\u0000-\\u001f\\u007f]{0,99}$";
constexpr const char* kTextPattern = "^[^\\u0000]*$";
constexpr const char* kSourcePattern = "^[^\\u0000-][^\\u0000]*$";
constexpr const char* kCSourcePattern = "^[^\\u0000]*\\.(c|cc|cpp|cxx|C)$";
constexpr const char* kVariablePattern = "^[^\\u0000=]+$";

Json type(const char* name) { return Json::object().set("type", name); }

Json text(const std::string& pattern) { return type("string").set("pattern", pattern); }

Json number(int low, int high) {
  return type("number").set("minimum", low).set("maximum", high);
}

Json constant(Json value) { return Json::object().set("const", std::move(value)); }

Json reference(Scope scope) {
  const char* name = scope == Scope::kNode ? "node" : scope == Scope::kC ? "c" : "disk";
  return Json::object().set("$ref", std::string("#/$defs/") + name);
}

Json any_of(Json first, Json second) {
  return Json::object().set("anyOf", Json::array().push(std::move(first)).push(std::move(second)));
}

Json list_of(Json item) { return type("array").set("items", std::move(item)); }

Json object_schema(Scope scope);

Json choices_schema(const Key& key) {
  Json names = Json::array();
  for (const Choice& choice : key.choices) {
    if (choice.stage <= kStageBuilt) names.push(choice.name);
  }
  return Json::object().set("enum", std::move(names));
}

Json integer_schema(const Key& key) {
  if (key.scope == Scope::kDisk && key.name == "sector") {
    return Json::object().set("enum", Json::array().push(key.low).push(key.high));
  }
  return type("integer").set("minimum", key.low).set("maximum", key.high);
}

Json value_schema(const Key& key) {
  switch (key.type) {
    case KeyType::kText: return text(kTextPattern);
    case KeyType::kTitle: return text(kTitlePattern);
    case KeyType::kLatency: return text(kLatencyPattern);
    case KeyType::kSource: return text(kSourcePattern);
    case KeyType::kName: return text(kNamePattern);
    case KeyType::kBool: return type("boolean");
    case KeyType::kInteger: return integer_schema(key);
    case KeyType::kRate: return number(0, 1000);
    case KeyType::kOdds: return number(0, 1);
    case KeyType::kOddsOrBool: return any_of(number(0, 1), type("boolean"));
    case KeyType::kDuration: return text("^" + kDurationForm + "$");
    case KeyType::kSignedDuration: return text("^-?" + kDurationForm + "$");
    case KeyType::kSize: return any_of(text(kSizePattern), type("integer").set("minimum", 0));
    case KeyType::kChoice: return choices_schema(key);
    case KeyType::kTexts:
    case KeyType::kFlags: return list_of(text(kTextPattern));
    case KeyType::kSources: return list_of(text(kCSourcePattern)).set("minItems", 1);
    case KeyType::kEnvironment:
      return type("object")
          .set("propertyNames", Json::object().set("pattern", kVariablePattern))
          .set("additionalProperties", text(kTextPattern));
    case KeyType::kObject:
      if (key.inner == Scope::kDisk || key.inner == Scope::kC) return reference(key.inner);
      return object_schema(key.inner);
    case KeyType::kNodes: return list_of(reference(Scope::kNode)).set("minItems", 1);
    case KeyType::kWorkloads:
      return any_of(reference(Scope::kNode), list_of(reference(Scope::kNode)).set("minItems", 1));
    case KeyType::kAny: return Json::object();
  }
  return Json::object();
}

// What the decoder accepts of a key that is not built (asks_for_nothing in config_check.cc); null
// when nothing.
Json value_schema_of_later(const Key& key) {
  switch (key.type) {
    case KeyType::kBool: return constant(false);
    case KeyType::kRate:
    case KeyType::kOdds: return constant(0);
    case KeyType::kChoice: return choices_schema(key);
    default: return {};
  }
}

// The default as it would stand in the file: texts are those of the table, in quotes.
Json default_of(const Key& key) {
  switch (key.type) {
    case KeyType::kBool:
    case KeyType::kInteger:
    case KeyType::kRate:
    case KeyType::kOdds:
    case KeyType::kOddsOrBool:
    case KeyType::kTexts:
    case KeyType::kEnvironment: {
      auto value = parse_json(key.default_text, key.name);
      SF_CHECK(value.has_value());
      return *std::move(value);
    }
    default: return {key.default_text};
  }
}

Json object_schema(Scope scope) {
  Json properties = Json::object();
  properties.set("//", Json::object().set("description", "A comment; not read."));
  for (const Key& key : key_table()) {
    if (key.scope != scope) continue;
    Json schema = key.built() ? value_schema(key) : value_schema_of_later(key);
    if (schema.is(Json::Kind::kNull)) continue;
    const std::string_view later = key.built() ? "" : "Not built yet, so it can only be off. ";
    schema.set("description", std::string(later) + std::string(key.documentation));
    if (key.built() && !key.default_text.empty()) schema.set("default", default_of(key));
    properties.set(std::string(key.name), std::move(schema));
  }
  Json schema = type("object")
      .set("properties", std::move(properties))
      .set("additionalProperties", false);
  if (scope == Scope::kC) schema.set("required", Json::array().push("sources"));
  return schema;
}

// A node runs exactly one program.
Json one_program() {
  Json ways = Json::array();
  for (const char* name : {"pkg", "wasm", "c", "rust", "native"}) {
    const Key* key = find_key(Scope::kNode, name);
    SF_CHECK(key != nullptr);
    if (key->built()) ways.push(Json::object().set("required", Json::array().push(name)));
  }
  return ways;
}

}  // namespace

Json config_schema() {
  Json node = object_schema(Scope::kNode);
  node.set("required", Json::array().push("name"));
  node.set("oneOf", one_program());
  Json root = Json::object();
  root.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  root.set("title", "seedfall.json");
  root.set("description", "A world of seedfall " SEEDFALL_VERSION
                          ". seedfall itself also checks the bounds of durations and sizes, and "
                          "what concerns several keys.");
  const Json body = object_schema(Scope::kRoot);
  for (const auto& [name, value] : body.members()) root.set(name, value);
  root.set("required", Json::array().push("nodes"));
  root.set("$defs",
           Json::object()
               .set("node", std::move(node))
               .set("c", object_schema(Scope::kC))
               .set("disk", object_schema(Scope::kDisk)));
  return root;
}

}  // namespace sf::world
