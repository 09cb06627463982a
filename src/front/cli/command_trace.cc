// `seedfall trace FILE`: shows a trace that `replay -trace FILE` wrote.
#include <cstdio>

#include "base/host/file.h"
#include "front/cli/cli.h"
#include "front/cli/flags.h"
#include "front/cli/trace_view.h"
#include "trace/file.h"

namespace sf::front {
namespace {

Result<void> show(const std::string& path, const ViewFlags& flags) {
  SF_TRY(const std::string bytes, host::read_file(path));
  SF_TRY(const trace::FileContent content, trace::read_trace(bytes, path));
  SF_TRY(const TraceView view, TraceView::of(flags, content.node_names));
  for (std::size_t i = 0; i < content.records.size(); ++i) view.show(i + 1, content.records[i]);
  return {};
}

}  // namespace

ExitCode command_trace(const std::vector<std::string>& arguments) {
  std::string path;
  ViewFlags view;
  Flags flags("trace", "shows a trace file that `seedfall replay -trace FILE` wrote",
              {"seedfall trace run.trace -kind fault,boot",
               "seedfall trace run.trace -node server -from 0.4s -to 0.9s"});
  flags.positional("FILE", path, "the trace file");
  view.add_to(flags);
  if (const auto parsed = flags.parse(arguments); !parsed) return report_error(parsed.error());
  if (flags.help_asked()) return ExitCode::kClean;
  if (path.empty()) {
    return report_error(Error{ErrorCode::kUsage, "", "trace: no file given",
                              "for example seedfall trace run.trace"});
  }
  const auto shown = show(path, view);
  return shown ? ExitCode::kClean : report_error(shown.error());
}

}  // namespace sf::front
