#include "world/go_programs.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"
#include "world/guest_build_layout.h"

namespace sf::world {
namespace {

constexpr std::string_view kCall = "sim.Listen(";
// Lines of ours in the output of go, which mixes in warnings.
constexpr std::string_view kProgramMark = "seedfall-package";

const std::vector<std::pair<std::string, std::string>> kWasip1 = {{"GOOS", "wasip1"},
                                                                  {"GOARCH", "wasm"}};

// The fields of the marked lines.
std::vector<std::vector<std::string>> marked_lines(const std::string& output) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split(output, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.front() != kProgramMark) continue;
    rows.emplace_back(fields.begin() + 1, fields.end());
  }
  return rows;
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// "server:7000" or ":7000".
bool looks_like_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const std::string_view host = text.substr(0, colon), port = text.substr(colon + 1);
  return port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos &&
         std::all_of(host.begin(), host.end(), is_name_char);
}

// Takes a string in double quotes off the front; nothing when there is none.
std::optional<std::string_view> take_literal(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos || text[begin] != '"') return std::nullopt;
  const std::size_t end = text.find('"', begin + 1);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view literal = text.substr(begin + 1, end - begin - 1);
  text.remove_prefix(end + 1);
  return literal;
}

// The address of a call whose arguments begin at `text`: `"tcp", "server:7000")`.
std::string address_argument(std::string_view text) {
  if (!take_literal(text)) return "";
  const std::size_t comma = text.find_first_not_of(" \t\n");
  if (comma == std::string_view::npos || text[comma] != ',') return "";
  text.remove_prefix(comma + 1);
  const auto address = take_literal(text);
  return address && looks_like_address(*address) ? std::string(*address) : "";
}

// The text without line comments. Good enough for guesses: "//" in a string ends its line, too.
std::string without_comments(std::string_view source) {
  std::string out;
  for (const std::string_view line : split(source, '\n')) {
    out += line.substr(0, line.find("//"));
    out += '\n';
  }
  return out;
}

}  // namespace

Result<std::vector<GoProgram>> find_go_programs(const std::string& directory,
                                                const std::string& pattern) {
  SF_TRY_VOID(find_go_place(directory, ".", ""));
  const std::string format =
      fmt::format("-f={}\t{{{{.Name}}}}\t{{{{.ImportPath}}}}\t{{{{.Dir}}}}", kProgramMark);
  SF_TRY(const std::string output,
         run_go({"list", "-e", "-find", "-tags=seedfall", format, pattern}, directory, kWasip1));
  std::vector<GoProgram> programs;
  for (const auto& fields : marked_lines(output)) {
    if (fields.size() == 3 && fields[0] == "main") programs.push_back({fields[1], fields[2]});
  }
  std::sort(programs.begin(), programs.end(), [](const GoProgram& a, const GoProgram& b) {
    return a.import_path < b.import_path;
  });
  return programs;
}

ListenAddress listen_address_in(std::string_view source, std::vector<std::string>& others) {
  const std::string text = without_comments(source);
  ListenAddress found;
  std::string_view left = text;
  for (std::size_t at = left.find(kCall); at != std::string::npos; at = left.find(kCall)) {
    left.remove_prefix(at + kCall.size());
    found.listens = true;
    const std::string address = address_argument(left);
    if (found.address.empty()) found.address = address;
  }
  const std::vector<std::string_view> parts = split(text, '"');
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    if (looks_like_address(parts[i])) others.emplace_back(parts[i]);
  }
  return found;
}

Result<ListenAddress> find_listen_address(const GoProgram& program) {
  const std::string format = fmt::format(
      "-f={{{{if not .Standard}}}}{{{{with .Module}}}}{{{{if .Main}}}}{}\t{{{{$.Dir}}}}"
      "{{{{range $.GoFiles}}}}\t{{{{.}}}}{{{{end}}}}{{{{end}}}}{{{{end}}}}{{{{end}}}}",
      kProgramMark);
  SF_TRY(const std::string output, run_go({"list", "-e", "-deps", "-tags=seedfall", format, "."},
                                          program.folder, kWasip1));
  ListenAddress found;
  std::vector<std::string> others;
  for (const auto& fields : marked_lines(output)) {
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const auto source = host::read_file(fields[0] + "/" + fields[i]);
      if (!source) continue;
      const ListenAddress here = listen_address_in(*source, others);
      found.listens = found.listens || here.listens;
      if (found.address.empty()) found.address = here.address;
    }
  }
  std::sort(others.begin(), others.end());
  others.erase(std::unique(others.begin(), others.end()), others.end());
  if (found.listens && found.address.empty() && others.size() == 1) found.address = others.front();
  return found;
}

}  // namespace sf::world
