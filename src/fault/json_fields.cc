#include "fault/json_fields.h"

#include <fmt/format.h>

namespace sf::fault {

Result<Fields> Fields::of(const Json& json, std::string where) {
  if (!json.is(Json::Kind::kObject)) {
    return usage_error(std::move(where), "expected an object, found " +
                                             std::string(Json::kind_name(json.kind())));
  }
  return Fields(json, std::move(where));
}

Result<std::string> Fields::string(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) return usage_error(where_, "missing key " + key);
  if (!value->is(Json::Kind::kString)) {
    return usage_error(place(key), "expected a string, found " +
                                       std::string(Json::kind_name(value->kind())));
  }
  return value->string();
}

Result<std::string> Fields::optional_string(const std::string& key) const {
  if (!has(key)) return std::string();
  return string(key);
}

Result<std::int64_t> Fields::integer(const std::string& key, std::int64_t minimum) const {
  const Json* value = find(key);
  if (value == nullptr) return usage_error(where_, "missing key " + key);
  if (!value->is(Json::Kind::kInteger)) {
    return usage_error(place(key), "expected a whole number, found " +
                                       std::string(Json::kind_name(value->kind())));
  }
  if (value->integer() < minimum) {
    return usage_error(place(key), fmt::format("expected at least {}", minimum));
  }
  return value->integer();
}

Result<std::int64_t> Fields::optional_integer(const std::string& key, std::int64_t minimum,
                                              std::int64_t absent) const {
  if (!has(key)) return absent;
  return integer(key, minimum);
}

Result<Fields> Fields::object(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) return usage_error(where_, "missing key " + key);
  return of(*value, place(key));
}

}  // namespace sf::fault
