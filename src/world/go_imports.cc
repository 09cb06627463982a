#include "world/go_imports.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "base/strings.h"
#include "world/guest_build_layout.h"

namespace sf::world {
namespace {

// Lines of ours in the output of go, which mixes in warnings.
constexpr std::string_view kImportMark = "seedfall-imports";

}  // namespace

Result<ImportGraph> read_imports(const std::string& directory, const std::string& package) {
  SF_TRY(const GoPlace place, find_go_place(directory, package, ""));
  const std::string format = fmt::format(
      "-f={}\t{{{{.ImportPath}}}}\t{{{{with .Module}}}}{{{{if .Main}}}}own{{{{end}}}}{{{{end}}}}"
      "{{{{range .Imports}}}}\t{{{{.}}}}{{{{end}}}}",
      kImportMark);
  SF_TRY(const std::string output,
         run_go({"list", "-e", "-deps", "-tags=seedfall,timetzdata", format, place.package},
                place.working_directory, {{"GOOS", "wasip1"}, {"GOARCH", "wasm"},
                                          {"CGO_ENABLED", "0"}}));
  ImportGraph graph;
  for (const std::string_view line : split(output, '\n')) {
    const std::vector<std::string_view> fields = split(line, '\t');
    if (fields.size() < 3 || fields[0] != kImportMark) continue;
    graph.root = std::string(fields[1]);   // the program itself comes last
    if (fields[2] == "own") graph.own.insert(graph.root);
    graph.imports[graph.root] = {fields.begin() + 3, fields.end()};
  }
  return graph;
}

std::vector<std::string> shortest_chain(const ImportGraph& graph, const std::string& target) {
  std::map<std::string, std::string> importer = {{graph.root, ""}};
  std::deque<std::string> open = {graph.root};
  while (!open.empty() && !importer.contains(target)) {
    const std::string package = open.front();
    open.pop_front();
    const auto imports = graph.imports.find(package);
    if (imports == graph.imports.end()) continue;
    for (const std::string& next : imports->second) {
      if (importer.emplace(next, package).second) open.push_back(next);
    }
  }
  std::vector<std::string> chain;
  if (!importer.contains(target)) return chain;
  for (std::string at = target; !at.empty(); at = importer.at(at)) chain.push_back(at);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace sf::world
