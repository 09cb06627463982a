// Reading typed members of one JSON object, with errors that name the place.
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace sf::fault {

class Fields {
 public:
  // Fails when `json` is no object. `json` must outlive the result.
  static Result<Fields> of(const Json& json, std::string where);

  bool has(const std::string& key) const { return find(key) != nullptr; }
  const Json* find(const std::string& key) const { return json_->find(key); }
  std::string place(const std::string& key) const { return where_ + "." + key; }

  Result<std::string> string(const std::string& key) const;
  Result<std::string> optional_string(const std::string& key) const;   // "" when absent
  // At least `minimum`.
  Result<std::int64_t> integer(const std::string& key, std::int64_t minimum) const;
  Result<std::int64_t> optional_integer(const std::string& key, std::int64_t minimum,
                                        std::int64_t absent) const;
  Result<Fields> object(const std::string& key) const;

 private:
  Fields(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}
  const Json* json_;
  std::string where_;
};

}  // namespace sf::fault
