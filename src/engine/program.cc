// Loading compiled code and resolving its imports.
//
// Imports are checked against our own description of the module (module_info.h), so that errors
// can name both sides in our words; Wasmtime then sees only definitions that fit. Go imports some
// functions twice under one name: one definition serves both. Host functions may share a name and
// differ in their types; a module imports one of them.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/strings.h"
#include "engine/code_file.h"
#include "engine/engine.h"
#include "engine/engine_impl.h"
#include "engine/rewrite.h"

namespace sf::engine {
namespace {

// A name of the module's, for a message: it may hold anything and be of any length.
std::string shown(std::string_view name) { return excerpt(name, 100); }

std::string shown(const ImportedItem& item) { return shown(item.module) + "." + shown(item.name); }

// "(i32, i64) -> i32" for "iI" and "i"; at most as many types as a message may show.
std::string signature(std::string_view parameters, std::string_view results) {
  const auto list = [](std::string_view types) {
    constexpr std::size_t kShown = 20;
    std::string out;
    for (const char c : types.substr(0, kShown)) {
      if (!out.empty()) out += ", ";
      out += c == 'i' ? "i32" : c == 'I' ? "i64" : c == 'f' ? "f32" : c == 'F' ? "f64"
           : c == 'v' ? "v128" : "reference";
    }
    if (types.size() > kShown) out += ", …";
    return out;
  };
  return "(" + list(parameters) + ") -> " + (results.empty() ? "nothing" : list(results));
}

bool has_type(const HostFunction& function, const ImportedItem& item) {
  return function.parameters == item.parameters && function.result == item.result;
}

// A name may stand for several functions of different types: the one that fits, else the first.
const HostFunction* find_function(std::span<const HostFunction> functions,
                                  const ImportedItem& item) {
  const HostFunction* found = nullptr;
  for (const HostFunction& f : functions) {
    if (f.module != item.module || f.name != item.name) continue;
    if (has_type(f, item)) return &f;
    if (found == nullptr) found = &f;
  }
  return found;
}

tl::unexpected<Error> not_offered(const std::string& path, const ImportedItem& item,
                                  std::span<const HostFunction> functions) {
  std::vector<std::string_view> names;
  for (const HostFunction& f : functions) {
    if (f.module == item.module) names.push_back(f.name);
  }
  std::string hint;
  if (item.module == "wasi_unstable") {
    hint = "that is the draft before WASI preview 1: build for wasi_snapshot_preview1";
  } else if (names.empty()) {
    hint = fmt::format("nothing is offered in module {}", shown(item.module));
  } else if (const auto near = nearest(item.name, names)) {
    hint = "the nearest name is " + *near;
  }
  return cannot_run(path, fmt::format("imports {}, which seedfall does not offer", shown(item)),
                    std::move(hint));
}

Result<const HostFunction*> resolve(const std::string& path, const ImportedItem& item,
                                    std::span<const HostFunction> functions) {
  if (item.kind != ImportKind::kFunction) {
    return cannot_run(path, fmt::format("imports {}, {}; seedfall offers functions only",
                                        shown(item), import_kind_name(item.kind)));
  }
  const HostFunction* function = find_function(functions, item);
  if (function == nullptr) return not_offered(path, item, functions);
  if (!has_type(*function, item)) {
    return cannot_run(path, fmt::format("imports {} as {}, but it is {}", shown(item),
                                        signature(item.parameters, item.result),
                                        signature(function->parameters, function->result)));
  }
  return function;
}

std::unique_ptr<BoundFunction> bind(const HostFunction& function) {
  auto bound = std::make_unique<BoundFunction>();
  bound->function = &function;
  bound->parameters = function.parameters.size();
  bound->has_result = !function.result.empty();
  for (std::size_t i = 0; i < bound->parameters; ++i) {
    const char type = function.parameters[i];
    if (type == 'i' || type == 'f') bound->narrow |= 1U << i;
  }
  return bound;
}

wasm_valkind_t kind_of(char type) {
  switch (type) {
    case 'i': return WASM_I32;
    case 'I': return WASM_I64;
    case 'f': return WASM_F32;
    default: return WASM_F64;
  }
}

using FunctionTypeHandle = std::unique_ptr<wasm_functype_t, Deleter<wasm_functype_delete>>;

FunctionTypeHandle function_type(std::string_view parameters, std::string_view results) {
  const auto types = [](std::string_view list) {
    wasm_valtype_vec_t vector;
    wasm_valtype_vec_new_uninitialized(&vector, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      vector.data[i] = wasm_valtype_new(kind_of(list[i]));
    }
    return vector;
  };
  wasm_valtype_vec_t in = types(parameters);
  wasm_valtype_vec_t out = types(results);
  return FunctionTypeHandle(wasm_functype_new(&in, &out));  // takes both
}

void define(wasmtime_linker_t* linker, BoundFunction& bound) {
  const HostFunction& f = *bound.function;
  const FunctionTypeHandle type = function_type(f.parameters, f.result);
  wasmtime_error_t* error =
      f.may_wait
          ? wasmtime_linker_define_async_func(linker, f.module.data(), f.module.size(),
                                              f.name.data(), f.name.size(), type.get(),
                                              call_host_may_wait, &bound, nullptr)
          : wasmtime_linker_define_func_unchecked(linker, f.module.data(), f.module.size(),
                                                  f.name.data(), f.name.size(), type.get(),
                                                  call_host, &bound, nullptr);
  const std::string message = take_message(error);
  SF_CHECK_MSG(message.empty(), message);
}

void define_tick(wasmtime_linker_t* linker) {
  const FunctionTypeHandle type = function_type("Ii", "I");
  const std::string message = take_message(wasmtime_linker_define_async_func(
      linker, kTickModule.data(), kTickModule.size(), kTickName.data(), kTickName.size(),
      type.get(), call_tick, nullptr, nullptr));
  SF_CHECK_MSG(message.empty(), message);
}

void check_functions(std::span<const HostFunction> functions) {
  for (const HostFunction& f : functions) {
    SF_CHECK(f.code != nullptr && f.parameters.size() <= kParametersMax && f.result.size() <= 1);
    SF_CHECK(!(f.module == kTickModule && f.name == kTickName));
  }
}

Result<void> bind_imports(Program::Impl& program, std::span<const HostFunction> functions) {
  program.linker.reset(wasmtime_linker_new(program.engine->impl().handle.get()));
  std::map<std::pair<std::string_view, std::string_view>, const HostFunction*> defined;
  for (const ImportedItem& item : program.info.imports) {
    SF_TRY(const HostFunction* function, resolve(program.code_path, item, functions));
    const auto [known, is_new] =
        defined.try_emplace({function->module, function->name}, function);
    if (known->second != function) {
      return cannot_run(program.code_path, fmt::format("imports {} in two forms", shown(item)));
    }
    if (!is_new) continue;
    program.bound.push_back(bind(*function));
    define(program.linker.get(), *program.bound.back());
  }
  define_tick(program.linker.get());
  return {};
}

}  // namespace

std::optional<GoTables> Program::Impl::go_tables(std::span<const std::byte> memory) const {
  if (!go_place && info.is_go && !info.data.empty()) {
    go_place = GoTables::locate(memory, info.go_table_candidates, info.data.back().end);
  }
  return go_place ? GoTables::open(memory, *go_place) : std::nullopt;
}

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::load(const Engine& engine, const std::string& code_path,
                                               std::span<const HostFunction> functions) {
  check_functions(functions);
  auto impl = std::make_unique<Impl>();
  impl->engine = &engine;
  impl->code_path = code_path;
  SF_TRY(impl->info, read_code_file(code_path));
  wasmtime_module_t* module = nullptr;
  const std::string error = take_message(wasmtime_module_deserialize_file(
      engine.impl().handle.get(), code_path.c_str(), &module));
  if (!error.empty()) return cannot_run(code_path, "cannot load compiled code: " + error);
  impl->module.reset(module);
  SF_TRY_VOID(bind_imports(*impl, functions));
  wasmtime_instance_pre_t* pre = nullptr;
  const std::string link_error =
      take_message(wasmtime_linker_instantiate_pre(impl->linker.get(), module, &pre));
  SF_CHECK_MSG(link_error.empty(), link_error);
  impl->pre.reset(pre);
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

bool Program::in_data_segment(std::uint64_t address, std::uint64_t size) const {
  const std::vector<DataRange>& data = impl_->info.data;
  const auto after = std::upper_bound(
      data.begin(), data.end(), address,
      [](std::uint64_t value, const DataRange& range) { return value < range.begin; });
  if (after == data.begin()) return false;
  const DataRange& range = *std::prev(after);
  return address < range.end && size <= range.end - address;
}

bool Program::imports(std::string_view module, std::string_view name) const {
  return std::any_of(impl_->info.imports.begin(), impl_->info.imports.end(),
                     [&](const ImportedItem& item) {
                       return item.module == module && item.name == name;
                     });
}

}  // namespace sf::engine
