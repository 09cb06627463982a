// The scheme is that of ccache's "depend mode". It has that mode's one gap: a header that is added
// where it hides one that was found in a later folder goes unnoticed, since nothing says that its
// absence was relied upon.
#include "world/build_step.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/hash.h"
#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "base/strings.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFormat = "seedfall build step 1";   // of the list of inputs

std::string hash_of(std::string_view text) { return hash128(as_bytes(text)).hex(); }

std::string key_of(const BuildStep& step) {
  std::string text = fmt::format("{}\n{}\n{}\n", kFormat, step.identity, step.directory);
  for (const std::string& argument : step.arguments) text += argument + '\0';
  return hash_of(text);
}

struct CachePlace {
  std::string folder;
  std::string list;      // "<key>.inputs": lines of hash and path, the last with the result's hash
  std::string result(std::string_view hash) const { return fmt::format("{}/{}.out", folder, hash); }
};

Result<CachePlace> place_of(const BuildStep& step) {
  SF_TRY(const std::string cache, host::cache_directory());
  const std::string folder = cache + "/steps";
  SF_TRY_VOID(host::make_directories(folder));
  return CachePlace{.folder = folder, .list = fmt::format("{}/{}.inputs", folder, key_of(step))};
}

// The kept result, or "" when there is none or an input has changed.
std::string kept_result(const CachePlace& place) {
  const auto list = host::read_file(place.list);
  if (!list) return "";
  std::vector<std::string_view> lines = split(*list, '\n');
  if (lines.size() < 3 || lines.front() != kFormat || !lines.back().empty()) return "";
  lines.pop_back();
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    const auto space = lines[i].find(' ');
    if (space == std::string_view::npos) return "";
    const auto content = host::read_file(std::string(lines[i].substr(space + 1)));
    if (!content || hash_of(*content) != lines[i].substr(0, space)) return "";
  }
  std::string result = place.result(lines.back());
  return host::exists(result) ? result : "";
}

// Whether a file was written after the tool had begun, so that nobody knows which of its contents
// the tool has read.
bool is_newer(const std::string& input, const std::string& begun) {
  std::error_code error;
  const auto written = fs::last_write_time(input, error);
  const auto start = fs::last_write_time(begun, error);
  return !error && written > start;
}

// The list is written only if it is known to be true.
Result<std::string> keep(const CachePlace& place, std::vector<std::string> inputs,
                         const std::string& file, const std::string& begun) {
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  std::string list = fmt::format("{}\n", kFormat);
  for (const std::string& input : inputs) {
    SF_TRY(const std::string content, host::read_file(input));
    list += fmt::format("{} {}\n", hash_of(content), input);
  }
  SF_TRY(const std::string content, host::read_file(file));
  const std::string hash = hash_of(content);
  SF_TRY_VOID(host::write_file(place.result(hash), content));
  const bool changed = std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return is_newer(input, begun);
  });
  if (!changed) SF_TRY_VOID(host::write_file(place.list, fmt::format("{}{}\n", list, hash)));
  return place.result(hash);
}

// Variables by which a user's shell would change what is built, and the one that fixes __DATE__.
const std::vector<std::pair<std::string, std::string>> kToolEnvironment = {
    {"LC_ALL", "C"},         {"SOURCE_DATE_EPOCH", "0"}, {"CPATH", ""},
    {"C_INCLUDE_PATH", ""},  {"CPLUS_INCLUDE_PATH", ""}, {"LIBRARY_PATH", ""},
    {"CCC_OVERRIDE_OPTIONS", "#"}};   // no changes, and without a word about them

}  // namespace

Result<StepResult> run_step(const BuildStep& step) {
  SF_TRY(const CachePlace place, place_of(step));
  StepResult result;
  result.path = kept_result(place);
  result.succeeded = !result.path.empty();
  if (result.succeeded) return result;
  const std::string file = step.scratch + "/result";
  const std::string begun = step.scratch + "/begun";
  SF_TRY_VOID(host::write_file(begun, ""));
  host::Command command;
  command.arguments = step.arguments;
  const std::vector<std::string> more = step.output_arguments(file);
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  command.directory = step.directory;
  command.environment = kToolEnvironment;
  SF_TRY(host::Completed done, host::run_command(command));
  result.output = std::move(done.output);
  if (done.exit_code != 0) return result;
  SF_TRY(std::vector<std::string> inputs, step.inputs(result.output, file));
  SF_TRY(result.path, keep(place, std::move(inputs), file, begun));
  result.succeeded = true;
  return result;
}

std::vector<std::string> inputs_of_make_rule(std::string_view rule, const std::string& directory) {
  std::vector<std::string> inputs;
  const auto colon = rule.find(": ");
  if (colon == std::string_view::npos) return inputs;
  rule.remove_prefix(colon + 2);
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) inputs.push_back((fs::path(directory) / word).lexically_normal().string());
    word.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && (next == '\n' || next == ' ' || next == '#' || next == '\\')) {
      if (next != '\n') word += next;
      ++i;
      if (next == '\n') end_word();
    } else if (c == '$' && next == '$') {
      word += c;
      ++i;
    } else if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return inputs;
}

}  // namespace sf::world
