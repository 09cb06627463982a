#include "base/check.h"
#include "engine/engine_impl.h"
#include "engine/module_info.h"
#include "engine/rewrite.h"
#include "engine/wasmtime_api.h"
#include "tests/fuzz/targets.h"

namespace sf::fuzz {
namespace {

bool is_valid(const void* bytes, std::size_t size) {
  static const engine::EngineHandle engine = engine::make_wasmtime_engine(
      engine::EngineOptions{}, engine::Optimization::kNone, engine::CompilerThreads::kNone);
  return engine::take_message(wasmtime_module_validate(
                                  engine.get(), static_cast<const std::uint8_t*>(bytes), size))
      .empty();
}

}  // namespace

void rewrite(Bytes input) {
  for (const bool tick : {true, false}) {
    const auto rewritten = engine::rewrite_module(input, {.tick = tick});
    if (!rewritten) {
      SF_CHECK(!rewritten.error().message.empty());
      continue;
    }
    const auto kept = engine::ModuleInfo::parse(rewritten->info.serialize());
    SF_CHECK(kept.has_value() && *kept == rewritten->info);
    if (!is_valid(input.data(), input.size())) continue;
    SF_CHECK(is_valid(rewritten->wasm.data(), rewritten->wasm.size()));
  }
}

void module_info(Bytes input) {
  const auto info = engine::ModuleInfo::parse(
      {reinterpret_cast<const char*>(input.data()), input.size()});
  if (!info) return;
  const auto again = engine::ModuleInfo::parse(info->serialize());
  SF_CHECK(again.has_value() && *again == *info);
}

}  // namespace sf::fuzz
