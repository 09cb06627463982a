#include "world/config_check.h"

#include <fmt/format.h>

#include "base/strings.h"
#include "world/config_values.h"
#include "world/guest_build_c.h"
#include "world/key_table.h"

namespace sf::world {

std::string ConfigText::place(std::size_t offset, std::string_view path) const {
  return fmt::format("{}:{}: {}", name, line_and_column(text, offset), path);
}

namespace {

// Fills in the place of an error that does not know it.
template <class T>
Result<void> placed(const Result<T>& result, std::string where) {
  if (result) return {};
  Error error = result.error();
  error.where = std::move(where);
  return tl::make_unexpected(std::move(error));
}

Result<void> check_scalar(const Json& json, const Key& key, std::string where) {
  switch (key.type) {
    case KeyType::kText:
    case KeyType::kTitle:
    case KeyType::kName:
    case KeyType::kSource: return placed(text_value(json, key), std::move(where));
    case KeyType::kBool: return placed(bool_value(json, key), std::move(where));
    case KeyType::kInteger: return placed(integer_value(json, key), std::move(where));
    case KeyType::kRate: return placed(rate_value(json, key), std::move(where));
    case KeyType::kOdds:
    case KeyType::kOddsOrBool: return placed(odds_value(json, key), std::move(where));
    case KeyType::kDuration:
    case KeyType::kSignedDuration: return placed(duration_value(json, key), std::move(where));
    case KeyType::kLatency: return placed(latency_value(json, key), std::move(where));
    case KeyType::kSize: return placed(size_value(json, key), std::move(where));
    case KeyType::kChoice: return placed(choice_value(json, key), std::move(where));
    case KeyType::kTexts: return placed(texts_value(json, key), std::move(where));
    case KeyType::kEnvironment: return placed(environment_value(json, key), std::move(where));
    default: return {};
  }
}

// A key of a later version that asks for what happens anyway: false, 0 events, odds of 0, "off".
// Configs written for the tool we follow spell such defaults out, and nothing is lost by them.
bool asks_for_nothing(const Json& json, const Key& key) {
  switch (key.type) {
    case KeyType::kBool: return json.is(Json::Kind::kBool) && !json.boolean();
    case KeyType::kRate:
    case KeyType::kOdds:
      return (json.is(Json::Kind::kInteger) || json.is(Json::Kind::kNumber)) && json.number() == 0;
    case KeyType::kChoice: return choice_value(json, key).has_value();
    default: return false;
  }
}

class Checker {
 public:
  explicit Checker(const ConfigText& text) : text_(text) {}

  Result<void> object(const Json& json, Scope scope, const std::string& path) const {
    if (!json.is(Json::Kind::kObject)) return at(json, path, wrong_form("an object", json));
    for (const auto& [name, value] : json.members()) {
      SF_TRY_VOID(member(name, value, scope, path));
    }
    if (scope == Scope::kNode) SF_TRY_VOID(node_as_a_whole(json, path));
    if (scope == Scope::kC && json.find("sources") == nullptr) {
      return usage_error(text_.place(json.offset(), path), "sources is missing",
                         R"(for example "sources": ["server.c"])");
    }
    return {};
  }

 private:
  Result<void> member(const std::string& name, const Json& value, Scope scope,
                      const std::string& parent) const {
    if (name == kCommentKey) return {};
    const std::string path = fmt::format("{}.{}", parent, excerpt(name, 60));
    const Key* key = find_key(scope, name);
    if (key == nullptr) {
      const std::string near = suggest_key(scope, name);
      return usage_error(text_.place(value.key_offset(), path), "unknown key",
                         near.empty() ? "" : fmt::format("did you mean {}?", near));
    }
    if (key->built()) return built_member(value, *key, path);
    if (asks_for_nothing(value, *key)) return {};
    Error error = not_built(name).value();
    error.where = text_.place(value.key_offset(), path);
    return tl::make_unexpected(std::move(error));
  }

  Result<void> built_member(const Json& value, const Key& key, const std::string& path) const {
    switch (key.type) {
      case KeyType::kObject: return object(value, key.inner, path);
      case KeyType::kSources:
      case KeyType::kFlags: return c_texts(value, key, path);
      case KeyType::kNodes: return nodes(value, path);
      case KeyType::kWorkloads:
        if (value.is(Json::Kind::kObject)) return object(value, Scope::kNode, path);
        return nodes(value, path);
      default: break;
    }
    if (key.scope == Scope::kDisk && key.name == "sector") SF_TRY_VOID(sector(value, path));
    return check_scalar(value, key, text_.place(value.offset(), path));
  }

  Result<void> nodes(const Json& value, const std::string& path) const {
    if (!value.is(Json::Kind::kArray)) {
      return at(value, path, wrong_form("a list of objects", value));
    }
    if (value.items().empty()) {
      return usage_error(text_.place(value.offset(), path), "is empty",
                         R"(for example [{"name": "server", "pkg": "./server"}])");
    }
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      SF_TRY_VOID(object(value.items()[i], Scope::kNode, fmt::format("{}[{}]", path, i)));
    }
    return {};
  }

  // The program must be given once, and so must the name.
  Result<void> node_as_a_whole(const Json& json, const std::string& path) const {
    const auto missing = [&](std::string what, std::string hint) {
      return usage_error(text_.place(json.offset(), path), std::move(what), std::move(hint));
    };
    if (json.find("name") == nullptr) {
      return missing("name is missing", R"(for example "name": "server")");
    }
    std::vector<std::string_view> given;   // in the order of the file
    for (const auto& [name, value] : json.members()) {
      if (name == "pkg" || name == "wasm" || name == "c") given.push_back(name);
    }
    if (given.empty()) {
      return missing("no program: pkg is missing",
                     R"(for example "pkg": "./server"; or give c or wasm)");
    }
    if (given.size() == 1) return {};
    return usage_error(
        text_.place(json.find(given[1])->key_offset(), fmt::format("{}.{}", path, given[1])),
        fmt::format("a node runs one program, but {} and {} are both given", given[0], given[1]),
        "keep one");
  }

  // The sources and flags of a C program: each is looked at for itself.
  Result<void> c_texts(const Json& value, const Key& key, const std::string& path) const {
    SF_TRY_VOID(placed(texts_value(value, key), text_.place(value.offset(), path)));
    if (key.type == KeyType::kSources && value.items().empty()) {
      return usage_error(text_.place(value.offset(), path), "is empty",
                         R"(for example ["server.c"])");
    }
    for (std::size_t i = 0; i < value.items().size(); ++i) {
      const Json& item = value.items()[i];
      const std::string& text = item.string();
      const auto refused = [&](std::string what, std::string hint) {
        return usage_error(text_.place(item.offset(), fmt::format("{}[{}]", path, i)),
                           fmt::format("{} {}", excerpt(text, 200), what), std::move(hint));
      };
      if (key.type == KeyType::kFlags) {
        if (const std::string why = why_not_flag(text); !why.empty()) return refused(why, "");
        const bool last = i + 1 == value.items().size();
        if (last && wants_next(text)) return refused("needs a value after it", "");
      } else if (language_of(text) == CLanguage::kNone) {
        return refused("is no C or C++ source",
                       "they end in .c, or in .cc, .cpp, .cxx or .C; headers are found by -I in "
                       "flags");
      }
    }
    return {};
  }

  Result<void> sector(const Json& value, const std::string& path) const {
    if (!value.is(Json::Kind::kInteger)) return {};  // answered like any other integer
    if (value.unsigned_integer() == 512 || value.unsigned_integer() == 4096) return {};
    return at(value, path, wrong_form("512 or 4096", value));
  }

  Result<void> at(const Json& json, const std::string& path, tl::unexpected<Error> error) const {
    error.value().where = text_.place(json.offset(), path);
    return error;
  }

  const ConfigText& text_;
};

}  // namespace

Result<void> check_keys(const Json& root, const ConfigText& text) {
  return Checker(text).object(root, Scope::kRoot, "$");
}

Result<void> check_config(const Json& root, const ConfigText& text) {
  SF_TRY_VOID(check_keys(root, text));
  if (root.find("nodes") != nullptr) return {};
  return usage_error(text.place(root.offset(), "$"), "nodes is missing",
                     R"(for example "nodes": [{"name": "server", "pkg": "./server"}])");
}

}  // namespace sf::world
