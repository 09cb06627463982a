#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "fault/schedule.h"
#include "search/capsule.h"
#include "tests/fuzz/targets.h"
#include "trace/file.h"
#include "trace/text.h"
#include "world/config.h"

namespace sf::fuzz {
namespace {

std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

}  // namespace

void config(Bytes input) {
  const auto config = world::decode_config(text_of(input), "fuzz.json");
  const auto again = world::decode_config(text_of(input), "fuzz.json");
  SF_CHECK(config.has_value() == again.has_value());
  if (config) {
    SF_CHECK(!config->nodes.empty());
    SF_CHECK(*config == *again);
    return;
  }
  SF_CHECK(config.error().where.starts_with("fuzz.json"));
  SF_CHECK(!config.error().message.empty());
  SF_CHECK(config.error().text() == again.error().text());
}

void capsule(Bytes input) {
  const auto json = parse_json(text_of(input), "fuzz.json");
  if (!json) return;
  const auto capsule = search::capsule_from_json(*json, "fuzz.json");
  if (!capsule) {
    SF_CHECK(!capsule.error().message.empty());
    return;
  }
  const std::string written = search::to_json(*capsule).dump();
  const auto read = parse_json(written, "written");
  SF_CHECK(read.has_value());
  const auto again = search::capsule_from_json(*read, "written");
  SF_CHECK(again.has_value());
  SF_CHECK(search::to_json(*again).dump() == written);
}

void schedule(Bytes input) {
  const auto json = parse_json(text_of(input), "fuzz.json");
  if (!json) return;
  const auto fault = fault::fault_from_json(*json, "fuzz.json");
  if (!fault) {
    SF_CHECK(!fault.error().message.empty());
    return;
  }
  SF_CHECK(!fault::describe(*fault).empty());
  const std::string written = fault::to_json(*fault).dump();
  const auto read = parse_json(written, "written");
  SF_CHECK(read.has_value());
  const auto again = fault::fault_from_json(*read, "written");
  SF_CHECK(again.has_value());
  SF_CHECK(fault::to_json(*again).dump() == written);
}

void trace(Bytes input) {
  const auto content = trace::read_trace(text_of(input), "fuzz.trace");
  if (!content) {
    SF_CHECK(!content.error().message.empty());
    return;
  }
  trace::FileWriter writer(content->node_names, 1ULL << 30);
  std::uint64_t step = 0;
  for (const kernel::Record& record : content->records) {
    SF_CHECK(!trace::format_record(record, content->node_names).empty());
    writer.add(++step, record);
  }
  const auto again = trace::read_trace(writer.bytes(), "written");
  SF_CHECK(again.has_value());
  SF_CHECK(again->records.size() == content->records.size());
}

}  // namespace sf::fuzz
