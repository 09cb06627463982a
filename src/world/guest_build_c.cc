// Each source becomes an object and the objects a program, each a cached step. C and C++ mix: every
// flag goes to every source except a -std= of the other language.
//
// The stack lies below the data (--stack-first), so that running over its end is a trap and not a
// silent change of variables, and has 1 MiB: the linker's own 64 KiB are less than common programs
// for Linux use.
#include "world/guest_build_c.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "base/host/file.h"
#include "base/strings.h"
#include "world/build_step.h"
#include "world/c_toolchain.h"
#include "world/guest_build.h"
#include "world/source_glob.h"

namespace sf::world {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string path;            // relative to the folder of the config, or absolute
  CLanguage language = CLanguage::kNone;
  bool of_sdk = false;
};

struct CBuilding {
  const CBuildRequest* request = nullptr;
  CToolchain clang;
  std::string sdk;             // empty: there is none
  std::string scratch;
  std::vector<Source> sources;
  std::string shown;           // in messages: "server.c common.c"
};

std::vector<Source> sources_of(const CBuildRequest& request, const std::string& sdk) {
  std::vector<Source> sources;
  const auto add = [&sources](std::string path, bool of_sdk) {
    if (path.starts_with('-')) path.insert(0, "./");   // a file, not a flag
    const bool known = std::any_of(sources.begin(), sources.end(),
                                   [&path](const Source& s) { return s.path == path; });
    if (!known) sources.push_back({path, language_of(path), of_sdk});
  };
  for (const std::string& source : request.sources) {
    const std::vector<std::string> files = is_glob(source)
                                               ? expand_glob(request.directory, source)
                                               : std::vector<std::string>{source};
    for (const std::string& file : files) {
      add(fs::path(file).lexically_normal().string(), false);
    }
  }
  if (sdk.empty()) return sources;
  for (const std::string& file : expand_glob(sdk, "*.c")) add(sdk + "/" + file, true);
  return sources;
}

bool is_optimization(std::string_view flag) { return flag.starts_with("-O"); }

// "-std=c++20" is for C++ and "-std=gnu11" for C; clang refuses the wrong one.
bool is_for_other_language(std::string_view flag, CLanguage language) {
  if (!flag.starts_with("-std=")) return false;
  const bool for_cxx = flag.find("++") != std::string_view::npos;
  return for_cxx != (language == CLanguage::kCxx);
}

std::vector<std::string> common_arguments(const CBuilding& building) {
  return {building.clang.program, "--target=wasm32-wasi"};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Where its compiler runs. The SDK's objects so serve all configs.
const std::string& directory_of(const CBuilding& building, const Source& source) {
  return source.of_sdk ? building.sdk : building.request->directory;
}

std::vector<std::string> compile_arguments(const CBuilding& building, const Source& source) {
  std::vector<std::string> arguments = common_arguments(building);
  append(arguments, {"-c", "-O2", "-DSEEDFALL=1", "-Qunused-arguments", "-fno-color-diagnostics"});
  // No path of this machine gets into the program.
  append(arguments, {"-ffile-compilation-dir=.",
                     "-ffile-prefix-map=" + directory_of(building, source) + "/="});
  if (source.language == CLanguage::kCxx) arguments.emplace_back("-fno-exceptions");
  if (!building.sdk.empty()) {
    append(arguments, {"-isystem", building.sdk + "/include",
                       "-ffile-prefix-map=" + building.sdk + "/=seedfall/"});
  }
  // Before the flags: one that lacks its value must not take the source for a file to write.
  arguments.push_back(source.path);
  for (const std::string& flag : building.request->flags) {
    if (source.of_sdk || is_for_other_language(flag, source.language)) continue;
    arguments.push_back(flag);
  }
  return arguments;
}

// A scratch folder per step: they are few, and their files then need no names of their own.
Result<std::string> folder_for_step(const CBuilding& building, std::size_t number) {
  std::string folder = fmt::format("{}/{}", building.scratch, number);
  SF_TRY_VOID(host::make_directories(folder));
  return folder;
}

Result<StepResult> compile(const CBuilding& building, std::size_t number) {
  BuildStep step;
  step.arguments = compile_arguments(building, building.sources[number]);
  const std::string& directory = directory_of(building, building.sources[number]);
  step.directory = directory;
  step.identity = building.clang.identity;
  SF_TRY(step.scratch, folder_for_step(building, number));
  step.output_arguments = [](const std::string& file) {
    return std::vector<std::string>{"-MD", "-MT", "result", "-MF", file + ".d", "-o", file};
  };
  step.inputs = [&directory](const std::string&,
                             const std::string& file) -> Result<std::vector<std::string>> {
    SF_TRY(const std::string rule, host::read_file(file + ".d"));
    return inputs_of_make_rule(rule, directory);
  };
  return run_step(step);
}

// What the linker's --trace names: "a.o", "/usr/lib/wasm32-wasi/libc.a(errno.o)".
std::vector<std::string> traced_inputs(const std::string& output, const std::string& directory) {
  std::vector<std::string> inputs;
  for (std::string_view line : split(output, '\n')) {
    if (line.ends_with(')')) line = line.substr(0, line.rfind('('));
    const std::string path = (fs::path(directory) / line).lexically_normal().string();
    if (!line.empty() && host::exists(path) && !host::is_directory(path)) inputs.push_back(path);
  }
  return inputs;
}

Result<StepResult> link(const CBuilding& building, const std::vector<std::string>& objects) {
  BuildStep step;
  step.arguments = common_arguments(building);
  const bool any_cxx = std::any_of(
      building.sources.begin(), building.sources.end(),
      [](const Source& source) { return source.language == CLanguage::kCxx; });
  if (any_cxx) step.arguments.emplace_back("--driver-mode=g++");
  append(step.arguments, {"-Wl,-z,stack-size=1048576", "-Wl,--stack-first", "-Qunused-arguments"});
  append(step.arguments, objects);
  for (const std::string& flag : building.request->flags) {
    // Told to optimize, the driver runs wasm-opt if that happens to be installed; it must not
    // decide what a program is. (The option against it, --no-wasm-opt, ends clang 19 without a
    // word and without a program.)
    if (!flag.starts_with("-std=") && !is_optimization(flag)) step.arguments.push_back(flag);
  }
  step.directory = building.request->directory;
  step.identity = building.clang.identity;
  SF_TRY(step.scratch, folder_for_step(building, building.sources.size()));
  step.output_arguments = [](const std::string& file) {
    return std::vector<std::string>{"-Wl,--trace", "-o", file};
  };
  const std::string& directory = building.request->directory;
  step.inputs = [&directory](const std::string& output,
                             const std::string&) -> Result<std::vector<std::string>> {
    return traced_inputs(output, directory);
  };
  return run_step(step);
}

tl::unexpected<Error> does_not_build(const CBuilding& building, std::string output) {
  constexpr std::size_t kShown = 8 << 10;
  std::string hint = hint_for_c_failure(output, building.clang);
  if (hint.empty() && building.sdk.empty() && output.find("seedfall.h") != std::string::npos) {
    hint = "the C SDK shipped with seedfall was not found: set SEEDFALL_SDK_DIR to its sdk/go";
  }
  while (output.ends_with('\n')) output.pop_back();
  if (output.size() > kShown) output = output.substr(0, kShown) + "\n(more left out)";
  return cannot_run(building.request->place,
                    fmt::format("{} does not build for wasm32-wasi with {}:\n{}", building.shown,
                                building.clang.program, output),
                    std::move(hint));
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// The linker names objects in the cache; the user knows sources. The list of its inputs, which is
// for us, and the driver's closing line are left out.
std::string linker_words(const CBuilding& building, const std::vector<std::string>& objects,
                         std::string output) {
  std::string kept;
  for (const std::string_view line : split(output, '\n')) {
    const bool is_message = line.find(": ") != std::string_view::npos || line.starts_with(">>>");
    if (!is_message || line.find("linker command failed") != std::string_view::npos) continue;
    kept += std::string(line) + "\n";
  }
  if (kept.empty()) kept = std::move(output);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    replace_all(kept, objects[i], building.sources[i].path);
  }
  return kept;
}

// All sources are compiled before an error is reported, so that one build shows what is wrong in
// each of them.
Result<std::vector<std::string>> compile_all(const CBuilding& building) {
  std::vector<std::string> objects;
  std::string failures;
  for (std::size_t i = 0; i < building.sources.size(); ++i) {
    SF_TRY(const StepResult compiled, compile(building, i));
    if (!compiled.succeeded) failures += compiled.output;
    objects.push_back(compiled.path);
  }
  if (!failures.empty()) return does_not_build(building, std::move(failures));
  return objects;
}

}  // namespace

Result<BuiltGuest> build_c_guest(const CBuildRequest& request) {
  CBuilding building;
  building.request = &request;
  SF_TRY(building.clang, find_c_toolchain(request.place));
  const std::string sdk =
      request.sdk_directory.empty() ? find_c_sdk_directory() : request.sdk_directory;
  if (!sdk.empty()) {
    SF_TRY(building.sdk, host::absolute_path(sdk));
  }
  building.sources = sources_of(request, building.sdk);
  building.shown = excerpt(join(request.sources, " "), 200);
  SF_TRY(const Scratch scratch, Scratch::make());
  building.scratch = scratch.path();
  SF_TRY(const std::vector<std::string> objects, compile_all(building));
  SF_TRY(const StepResult linked, link(building, objects));
  if (!linked.succeeded) {
    return does_not_build(building, linker_words(building, objects, linked.output));
  }
  SF_TRY(const std::string wasm, host::read_file(linked.path));
  return keep_guest(wasm);
}

std::string find_c_sdk_directory() {
  const std::string go = find_sdk_directory();
  if (go.empty()) return "";
  const std::string folder = (fs::path(go) / ".." / "c").string();
  return host::exists(folder + "/include/seedfall.h") ? folder : "";
}

CLanguage language_of(std::string_view source) {
  const auto dot = source.rfind('.');
  if (dot == std::string_view::npos) return CLanguage::kNone;
  const std::string_view ending = source.substr(dot);
  if (ending == ".c") return CLanguage::kC;
  for (const std::string_view cxx : {".cc", ".cpp", ".cxx", ".C"}) {
    if (ending == cxx) return CLanguage::kCxx;
  }
  return CLanguage::kNone;
}

bool wants_next(std::string_view flag) {
  constexpr std::string_view kFlags[] = {
      "-D", "-U", "-I", "-L", "-l", "-T", "-u", "-z", "-F", "-A", "-include", "-imacros",
      "-include-pch", "-isystem", "-iquote", "-idirafter", "-iprefix", "-iwithprefix",
      "-iwithprefixbefore", "-isysroot", "-Xclang", "-Xlinker", "-Xpreprocessor", "-Xassembler",
      "-mllvm", "-Xarch_host", "-arch", "--param", "-resource-dir", "--sysroot",
      "-working-directory"};
  return std::find(std::begin(kFlags), std::end(kFlags), flag) != std::end(kFlags);
}

std::string why_not_flag(std::string_view flag) {
  struct Refusal {
    std::string_view flag;
    bool is_prefix;
    std::string_view why;
  };
  constexpr std::string_view kStops = "stops before there is a program";
  constexpr std::string_view kOutput = "names an output, which seedfall chooses";
  constexpr std::string_view kTarget = "chooses another target than wasm32-wasi";
  constexpr std::string_view kExceptions = "asks for C++ exceptions, which wasm32-wasi lacks";
  constexpr std::string_view kThreads = "asks for threads, which wasm32-wasi lacks";
  constexpr std::string_view kKind = "makes something else than a program";
  constexpr std::string_view kLanguage = "changes the language, which a source's ending tells";
  constexpr Refusal kRefused[] = {
      {"-o", true, kOutput}, {"--output", true, kOutput}, {"-M", true, kOutput},
      {"-c", false, kStops}, {"-S", false, kStops}, {"-E", false, kStops},
      {"-fsyntax-only", false, kStops}, {"-###", false, kStops}, {"--version", false, kStops},
      {"-help", false, kStops}, {"--help", true, kStops},
      {"-save-temps", true, kOutput}, {"--save-temps", true, kOutput},
      {"-serialize-diagnostics", true, kOutput}, {"--serialize-diagnostics", true, kOutput},
      {"-target", true, kTarget}, {"--target", true, kTarget}, {"-m64", false, kTarget},
      {"-fexceptions", false, kExceptions}, {"-fcxx-exceptions", false, kExceptions},
      {"-fwasm-exceptions", false, kExceptions},
      {"-pthread", false, kThreads}, {"-shared", false, kKind}, {"-r", false, kKind},
      {"-mexec-model=reactor", false, kKind}, {"-x", true, kLanguage},
      {"--driver-mode", true, kLanguage}, {"@", true, "reads flags from a file: list them here"},
  };
  if (flag.empty()) return "is empty";
  for (const Refusal& refusal : kRefused) {
    if (refusal.is_prefix ? flag.starts_with(refusal.flag) : flag == refusal.flag) {
      return std::string(refusal.why);
    }
  }
  if (!flag.starts_with('-') && language_of(flag) != CLanguage::kNone) {
    return "is a source: list it in sources";
  }
  return "";
}

}  // namespace sf::world
