// What a schema can say it says; bounds of durations and sizes stay with the decoder, since JSON
// Schema cannot compare strings as numbers.
#include "world/config_schema.h"

#include "world/key_table.h"

namespace sf::world {
namespace {

constexpr const char* kDurationPattern =
    "^(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h))+$";
constexpr const char* kSignedDurationPattern =
    "^-?(0|([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00B5s|\u03BCs|ms|s|m|h))+$";
constexpr const char* kSizePattern = "^[0-9]+(\\.[0-9]*)?([kK]B|[KMGT]iB|[MGT]B|B)?$";
constexpr const char* kNamePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$";

Json type(const char* name) { return Json::object().set("type", name); }

Json text(const char* pattern) { return type("string").set("pattern", pattern); }

Json number(double low, double high) {
  return type("number").set("minimum", low).set("maximum", high);
}

Json reference(Scope scope) {
  return Json::object().set("$ref", scope == Scope::kNode ? "#/$defs/node" : "#/$defs/disk");
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

Json value_schema(const Key& key) {
  switch (key.type) {
    case KeyType::kText:
    case KeyType::kTitle: return type("string");
    case KeyType::kLatency: return type("string");
    case KeyType::kSource: return type("string").set("minLength", 1);
    case KeyType::kName: return text(kNamePattern);
    case KeyType::kBool: return type("boolean");
    case KeyType::kInteger: return type("integer").set("minimum", key.low).set("maximum", key.high);
    case KeyType::kRate: return number(0, 1000);
    case KeyType::kOdds: return number(0, 1);
    case KeyType::kOddsOrBool: return any_of(number(0, 1), type("boolean"));
    case KeyType::kDuration: return text(kDurationPattern);
    case KeyType::kSignedDuration: return text(kSignedDurationPattern);
    case KeyType::kSize: return any_of(text(kSizePattern), type("integer").set("minimum", 0));
    case KeyType::kChoice: return choices_schema(key);
    case KeyType::kTexts: return list_of(type("string"));
    case KeyType::kEnvironment: return type("object").set("additionalProperties", type("string"));
    case KeyType::kObject:
      return key.inner == Scope::kDisk ? reference(Scope::kDisk) : object_schema(key.inner);
    case KeyType::kNodes: return list_of(reference(Scope::kNode)).set("minItems", 1);
    case KeyType::kWorkloads:
      return any_of(reference(Scope::kNode), list_of(reference(Scope::kNode)).set("minItems", 1));
    case KeyType::kAny: return Json::object();
  }
  return Json::object();
}

Json object_schema(Scope scope) {
  Json properties = Json::object();
  for (const Key& key : key_table()) {
    if (key.scope != scope || !key.built()) continue;
    Json schema = value_schema(key);
    schema.set("description", key.documentation);
    if (!key.default_text.empty()) {
      schema.set("$comment", "default: " + std::string(key.default_text));
    }
    properties.set(std::string(key.name), std::move(schema));
  }
  return type("object")
      .set("properties", std::move(properties))
      .set("additionalProperties", false);
}

}  // namespace

Json config_schema() {
  Json node = object_schema(Scope::kNode);
  node.set("required", Json::array().push("name"));
  const auto requires_key = [](const char* key) {
    return Json::object().set("required", Json::array().push(key));
  };
  node.set("oneOf", Json::array().push(requires_key("pkg")).push(requires_key("wasm")));
  Json root = Json::object();
  root.set("$schema", "https://json-schema.org/draft/2020-12/schema");
  root.set("title", "seedfall.json");
  const Json body = object_schema(Scope::kRoot);
  for (const auto& [name, value] : body.members()) root.set(name, value);
  root.set("required", Json::array().push("nodes"));
  root.set("$defs",
           Json::object().set("node", std::move(node)).set("disk", object_schema(Scope::kDisk)));
  return root;
}

}  // namespace sf::world
