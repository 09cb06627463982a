#include "engine/test_support.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/hash.h"
#include "base/host/file.h"
#include "base/host/subprocess.h"
#include "engine/engine_impl.h"

namespace sf::engine::testing {
namespace {

std::uint8_t value_type(char c) {
  switch (c) {
    case 'i': return wasm::kI32;
    case 'I': return wasm::kI64;
    case 'f': return wasm::kF32;
    case 'F': return wasm::kF64;
    case 'v': return wasm::kV128;
    default: return wasm::kFuncRef;
  }
}

void write_types(WasmWriter& out, std::string_view types) {
  out.u(types.size());
  for (const char c : types) out.byte(value_type(c));
}

void write_list(WasmWriter& out, std::uint8_t id, const std::vector<std::string>& items) {
  if (items.empty()) return;
  WasmWriter body;
  body.u(items.size());
  for (const std::string& item : items) body.raw(item);
  out.section(id, body);
}

}  // namespace

std::uint32_t ModuleBuilder::type(std::string_view parameters, std::string_view results) {
  WasmWriter out;
  out.byte(wasm::kFunctionType);
  write_types(out, parameters);
  write_types(out, results);
  for (std::size_t i = 0; i < types_.size(); ++i) {
    if (types_[i] == out.bytes()) return static_cast<std::uint32_t>(i);
  }
  types_.push_back(out.take());
  return static_cast<std::uint32_t>(types_.size() - 1);
}

std::uint32_t ModuleBuilder::import(std::string_view module, std::string_view name,
                                    std::string_view parameters, std::string_view results) {
  SF_CHECK(functions_.empty());
  WasmWriter out;
  out.name(module).name(name).byte(wasm::kExternFunction).u(type(parameters, results));
  imports_.push_back(out.take());
  return static_cast<std::uint32_t>(imports_.size() - 1);
}

std::uint32_t ModuleBuilder::function(std::string_view parameters, std::string_view results,
                                      std::string_view locals, const WasmWriter& code) {
  WasmWriter body;
  body.u(locals.size());
  for (const char c : locals) body.u(1).byte(value_type(c));
  body.raw(code.bytes()).byte(wasm::kEnd);
  bodies_.push_back(WasmWriter().sized(body).take());
  functions_.push_back(type(parameters, results));
  return static_cast<std::uint32_t>(imports_.size() + functions_.size() - 1);
}

void ModuleBuilder::export_function(std::string_view name, std::uint32_t function) {
  exports_.push_back(WasmWriter().name(name).byte(wasm::kExternFunction).u(function).take());
}

void ModuleBuilder::export_memory() {
  exports_.push_back(WasmWriter().name("memory").byte(wasm::kExternMemory).u(0).take());
}

std::string ModuleBuilder::build() const {
  WasmWriter out;
  out.raw(std::string_view("\0asm\1\0\0\0", 8));
  write_list(out, wasm::kType, types_);
  write_list(out, wasm::kImport, imports_);
  const auto write_raw = [&](std::uint8_t from, std::uint8_t to) {
    for (const auto& [id, bytes] : raw_) {
      if (id >= from && id < to) out.section(id, WasmWriter().raw(bytes));
    }
  };
  write_raw(wasm::kImport, wasm::kFunction);
  std::vector<std::string> functions;
  for (const std::uint32_t t : functions_) functions.push_back(WasmWriter().u(t).take());
  write_list(out, wasm::kFunction, functions);
  if (!table_.empty()) {
    write_list(out, wasm::kTable,
               {WasmWriter().byte(wasm::kFuncRef).byte(0).u(table_.size()).take()});
  }
  if (memory_pages_ >= 0) {
    write_list(out, wasm::kMemory, {WasmWriter().byte(0).u(memory_pages_).take()});
  }
  write_raw(wasm::kFunction, wasm::kExport);
  write_list(out, wasm::kExport, exports_);
  if (start_ >= 0) out.section(wasm::kStart, WasmWriter().u(start_));
  if (!table_.empty()) {
    WasmWriter segment;
    segment.u(0).byte(wasm::kI32Const).s(0).byte(wasm::kEnd).u(table_.size());
    for (const std::uint32_t f : table_) segment.u(f);
    write_list(out, wasm::kElement, {segment.take()});
  }
  write_raw(wasm::kExport, wasm::kSectionCount);
  write_list(out, wasm::kCode, bodies_);
  std::vector<std::string> segments;
  for (const auto& [address, bytes] : data_) {
    if (address < 0) {
      segments.push_back(WasmWriter().u(1).name(bytes).take());
      continue;
    }
    segments.push_back(WasmWriter().u(0).byte(wasm::kI32Const).s(static_cast<std::int32_t>(address))
                           .byte(wasm::kEnd).name(bytes).take());
  }
  write_list(out, wasm::kData, segments);
  if (!names_.empty()) {
    WasmWriter names;
    names.u(names_.size());
    for (const auto& [function, name] : names_) names.u(function).name(name);
    WasmWriter section;
    section.name("name").byte(1).sized(names);
    out.section(wasm::kCustom, section);
  }
  return out.take();
}

WasmWriter& op(WasmWriter& out, std::initializer_list<int> bytes) {
  for (const int b : bytes) out.byte(static_cast<std::uint8_t>(b));
  return out;
}
WasmWriter& call(WasmWriter& out, std::uint32_t function) {
  return out.byte(wasm::kCall).u(function);
}
WasmWriter& i32(WasmWriter& out, std::int32_t value) { return out.byte(wasm::kI32Const).s(value); }
WasmWriter& i64(WasmWriter& out, std::int64_t value) { return out.byte(wasm::kI64Const).s(value); }

void counting_loop(WasmWriter& out, std::uint32_t local, std::int32_t times,
                   const std::function<void(WasmWriter&)>& body) {
  i32(out, times).byte(0x21).u(local);  // local.set
  out.byte(wasm::kLoop).byte(wasm::kEmptyBlock);
  if (body) body(out);
  out.byte(wasm::kLocalGet).u(local);
  i32(out, 1).byte(0x6b).byte(0x22).u(local);  // sub, local.tee
  out.byte(wasm::kBrIf).u(0).byte(wasm::kEnd);
}

CallOutcome TestWorld::tick(std::uint64_t g, std::uint32_t sp, Slot* new_budget) {
  ++ticks_asked;
  last_g = g;
  last_sp = sp;
  *new_budget = std::uint64_t{1} << 40;
  return on_tick ? on_tick(new_budget) : CallOutcome::kReturn;
}

namespace {

using World = TestWorld;
World& world_of(HostEnvironment& environment) { return static_cast<World&>(environment); }

template <class T>
void put(World& world, std::uint64_t at, T value) {
  const auto memory = world.instance->memory();
  SF_CHECK(at + sizeof value <= memory.size());
  std::memcpy(memory.data() + at, &value, sizeof value);
}
template <class T>
T get(World& world, std::uint64_t at) {
  const auto memory = world.instance->memory();
  T value;
  SF_CHECK(at + sizeof value <= memory.size());
  std::memcpy(&value, memory.data() + at, sizeof value);
  return value;
}

CallOutcome ok(HostEnvironment&, const Slot*, Slot* result) {
  *result = 0;
  return CallOutcome::kReturn;
}
CallOutcome bad_descriptor(HostEnvironment&, const Slot*, Slot* result) {
  *result = 8;
  return CallOutcome::kReturn;
}
CallOutcome test_log(HostEnvironment& e, const Slot* a, Slot*) {
  world_of(e).log.push_back(std::to_string(static_cast<std::int32_t>(a[0])));
  if (world_of(e).on_log) world_of(e).on_log();
  return CallOutcome::kReturn;
}
CallOutcome test_wait(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  w.log.push_back("wait " + std::to_string(a[0]));
  return w.on_wait ? w.on_wait(result) : CallOutcome::kWait;
}
CallOutcome test_end(HostEnvironment& e, const Slot*, Slot*) {
  world_of(e).log.push_back("end");
  return CallOutcome::kEnd;
}
CallOutcome test_add(HostEnvironment&, const Slot* a, Slot* result) {
  *result = a[0] + a[1];
  return CallOutcome::kReturn;
}
CallOutcome args_sizes(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  std::uint32_t bytes = 0;
  for (const auto& s : w.arguments) bytes += static_cast<std::uint32_t>(s.size() + 1);
  put<std::uint32_t>(w, a[0], static_cast<std::uint32_t>(w.arguments.size()));
  put<std::uint32_t>(w, a[1], bytes);
  return ok(e, a, result);
}
CallOutcome args_get(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  auto at = static_cast<std::uint32_t>(a[1]);
  std::uint64_t slot = a[0];
  for (const auto& s : w.arguments) {
    put<std::uint32_t>(w, slot, at);
    slot += 4;
    for (const char c : s) put<char>(w, at++, c);
    put<char>(w, at++, '\0');
  }
  return ok(e, a, result);
}
CallOutcome environ_sizes(HostEnvironment& e, const Slot* a, Slot* result) {
  put<std::uint32_t>(world_of(e), a[0], 0);
  put<std::uint32_t>(world_of(e), a[1], 0);
  return ok(e, a, result);
}
CallOutcome clock_time(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  w.clock += 50;
  put<std::uint64_t>(w, a[2], w.clock);
  return ok(e, a, result);
}
CallOutcome random_get(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  for (std::uint64_t i = 0; i < a[1]; ++i) {
    w.random = mix64(w.random + 1);
    put<std::uint8_t>(w, a[0] + i, static_cast<std::uint8_t>(w.random));
  }
  return ok(e, a, result);
}
CallOutcome fd_write(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);
  std::uint32_t total = 0;
  for (std::uint64_t i = 0; i < a[2]; ++i) {
    const auto at = get<std::uint32_t>(w, a[1] + 8 * i);
    const auto n = get<std::uint32_t>(w, a[1] + 8 * i + 4);
    w.output.append(reinterpret_cast<const char*>(w.instance->memory().data()) + at, n);
    total += n;
  }
  put<std::uint32_t>(w, a[3], total);
  if (w.on_write) w.on_write();
  return ok(e, a, result);
}
CallOutcome fdstat(HostEnvironment& e, const Slot* a, Slot* result) {
  if (a[0] > 2) return bad_descriptor(e, a, result);
  for (int i = 0; i < 3; ++i) put<std::uint64_t>(world_of(e), a[1] + 8 * i, i == 0 ? 2 : ~0ULL);
  return ok(e, a, result);
}
CallOutcome poll_oneoff(HostEnvironment& e, const Slot* a, Slot* result) {
  World& w = world_of(e);  // every clock fires at once
  std::uint32_t events = 0;
  for (std::uint64_t i = 0; i < a[2]; ++i) {
    if (get<std::uint8_t>(w, a[0] + 48 * i + 8) != 0) continue;
    w.clock += get<std::uint64_t>(w, a[0] + 48 * i + 24);
    for (int k = 0; k < 4; ++k) put<std::uint64_t>(w, a[1] + 32 * events + 8 * k, 0);
    put<std::uint64_t>(w, a[1] + 32 * events, get<std::uint64_t>(w, a[0] + 48 * i));
    ++events;
  }
  put<std::uint32_t>(w, a[3], events);
  return ok(e, a, result);
}
CallOutcome proc_exit(HostEnvironment& e, const Slot* a, Slot*) {
  world_of(e).exit_code = static_cast<int>(a[0]);
  return CallOutcome::kEnd;
}

constexpr std::string_view kWasi = "wasi_snapshot_preview1";

}  // namespace

std::span<const HostFunction> test_functions() {
  static const HostFunction kFunctions[] = {
      {"test", "log", "i", "", false, test_log},
      {"test", "wait", "i", "i", true, test_wait},
      {"test", "end", "", "", false, test_end},
      {"test", "add", "iI", "I", false, test_add},
      {"test", "liar", "i", "i", false, test_wait},
      {kWasi, "args_sizes_get", "ii", "i", false, args_sizes},
      {kWasi, "args_get", "ii", "i", false, args_get},
      {kWasi, "environ_sizes_get", "ii", "i", false, environ_sizes},
      {kWasi, "environ_get", "ii", "i", false, ok},
      {kWasi, "clock_time_get", "iIi", "i", false, clock_time},
      {kWasi, "random_get", "ii", "i", false, random_get},
      {kWasi, "fd_write", "iiii", "i", false, fd_write},
      {kWasi, "fd_read", "iiii", "i", false, bad_descriptor},
      {kWasi, "fd_close", "i", "i", false, ok},
      {kWasi, "fd_fdstat_get", "ii", "i", false, fdstat},
      {kWasi, "fd_fdstat_set_flags", "ii", "i", false, ok},
      {kWasi, "fd_prestat_get", "ii", "i", false, bad_descriptor},
      {kWasi, "fd_prestat_dir_name", "iii", "i", false, bad_descriptor},
      {kWasi, "sched_yield", "", "i", false, ok},
      {kWasi, "poll_oneoff", "iiii", "i", true, poll_oneoff},
      {kWasi, "proc_exit", "i", "", false, proc_exit},
      {kWasi, "path_open", "iiiiiIIii", "i", false, bad_descriptor},
      {kWasi, "path_filestat_get", "iiiii", "i", false, bad_descriptor},
      {kWasi, "path_create_directory", "iii", "i", false, bad_descriptor},
      {kWasi, "path_unlink_file", "iii", "i", false, bad_descriptor},
      {kWasi, "path_remove_directory", "iii", "i", false, bad_descriptor},
      {kWasi, "path_filestat_set_times", "iiiiIIi", "i", false, bad_descriptor},
      {kWasi, "path_readlink", "iiiiii", "i", false, bad_descriptor},
      {kWasi, "fd_filestat_get", "ii", "i", false, bad_descriptor},
      {kWasi, "fd_filestat_set_size", "iI", "i", false, bad_descriptor},
      {kWasi, "fd_seek", "iIii", "i", false, bad_descriptor},
      {kWasi, "fd_pread", "iiiIi", "i", false, bad_descriptor},
      {kWasi, "fd_pwrite", "iiiIi", "i", false, bad_descriptor},
      {kWasi, "fd_readdir", "iiiIi", "i", false, bad_descriptor},
      {kWasi, "fd_sync", "i", "i", false, ok},
  };
  return kFunctions;
}

std::string scratch_directory() {
  // Forked children that end by exit() must leave the parent's folder alone.
  struct Folder {
    std::string path = *host::make_temporary_directory("seedfall-engine-test");
    pid_t owner = getpid();
    ~Folder() {
      if (getpid() == owner) static_cast<void>(host::remove_tree(path));
    }
  };
  static const Folder folder;
  return folder.path;
}

std::string compile_bytes(const std::string& wasm, const CompileOptions& options) {
  static int counter = 0;
  const std::string stem = fmt::format("{}/m{}-{}", scratch_directory(), getpid(), counter++);
  EXPECT_TRUE(host::write_file(stem + ".wasm", wasm));
  const pid_t child = fork();
  if (child == 0) _exit(compile_in_this_process(stem + ".wasm", stem + ".cwasm", options));
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << "compiling " << stem << ".wasm";
  return stem + ".cwasm";
}

Engine& engine() {
  static const std::unique_ptr<Engine> instance = *Engine::create({});
  return *instance;
}

std::unique_ptr<Guest> start(const std::string& code_path, std::uint64_t memory_bytes_max,
                           const EngineOptions& options) {
  static std::vector<std::unique_ptr<Engine>> engines;
  Engine* used = &engine();
  if (options.huge_pages || options.wasm_stack_bytes != EngineOptions{}.wasm_stack_bytes) {
    engines.push_back(*Engine::create(options));
    used = engines.back().get();
  }
  auto run = std::make_unique<Guest>();
  auto program = Program::load(*used, code_path, test_functions());
  if (!program) {
    ADD_FAILURE() << program.error().text();
    return nullptr;
  }
  run->program = *std::move(program);
  auto instance = Instance::create(*run->program, run->world, memory_bytes_max);
  if (!instance) {
    ADD_FAILURE() << instance.error().text();
    return nullptr;
  }
  run->instance = *std::move(instance);
  run->world.instance = run->instance.get();
  run->instance->set_budget(std::int64_t{1} << 40);
  return run;
}

#ifndef SEEDFALL_SOURCE_DIR
#define SEEDFALL_SOURCE_DIR "."
#endif

// CMake hands over the source folder; without it the current folder and its parents are tried.
std::string guest_folder() {
  std::string base = SEEDFALL_SOURCE_DIR;
  for (int up = 0; up < 6; ++up, base += "/..") {
    const std::string path = base + "/tests/guests/engine/stacks";
    if (host::exists(path + "/main.go")) return *host::absolute_path(path);
  }
  return {};
}

std::string go_guest() {
  const std::string source = guest_folder();
  if (source.empty()) {
    ADD_FAILURE() << "tests/guests/engine was not found above " SEEDFALL_SOURCE_DIR;
    return {};
  }
  const std::string cache = *host::cache_directory();
  const std::string key = hash128(as_bytes(*host::read_file(source + "/main.go"))).hex();
  const std::string path = fmt::format("{}/test-guests/stacks-{}.wasm", cache, key);
  if (!host::exists(path)) {
    EXPECT_TRUE(host::make_directories(cache + "/test-guests"));
    host::Command command;
    const std::string temporary = fmt::format("{}.{}", path, getpid());
    command.arguments = {"go", "build", "-trimpath", "-buildvcs=false", "-o", temporary, "."};
    command.directory = source;
    command.environment = {{"GOOS", "wasip1"}, {"GOARCH", "wasm"}};
    const auto done = host::run_command(command);
    if (!done || done->exit_code != 0) {
      ADD_FAILURE() << "go build: " << (done ? done->output : done.error().text());
      return {};
    }
    std::rename(temporary.c_str(), path.c_str());
  }
  return path;
}

int marked_line(std::string_view mark) {
  const std::string text = *host::read_file(guest_folder() + "/main.go");
  const std::size_t at = text.find(fmt::format("// line: {}\n", mark));
  if (at == std::string::npos) return -1;
  int line = 1;
  for (std::size_t i = 0; i < at; ++i) line += text[i] == '\n';
  return line;
}

}  // namespace sf::engine::testing
