// Thin owners for the objects of Wasmtime's C API; the only place that deletes them.
//
// Facts of the API that cost us time stand in docs/design/engine.md.
#pragma once

#include <wasm.h>
#include <wasmtime.h>

#include <memory>
#include <string>
#include <string_view>

namespace sf::engine {

template <auto Delete>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Delete(object);
  }
};

using EngineHandle = std::unique_ptr<wasm_engine_t, Deleter<wasm_engine_delete>>;
using ModuleHandle = std::unique_ptr<wasmtime_module_t, Deleter<wasmtime_module_delete>>;
using LinkerHandle = std::unique_ptr<wasmtime_linker_t, Deleter<wasmtime_linker_delete>>;
using InstancePreHandle =
    std::unique_ptr<wasmtime_instance_pre_t, Deleter<wasmtime_instance_pre_delete>>;
using StoreHandle = std::unique_ptr<wasmtime_store_t, Deleter<wasmtime_store_delete>>;
using FutureHandle =
    std::unique_ptr<wasmtime_call_future_t, Deleter<wasmtime_call_future_delete>>;
using TrapHandle = std::unique_ptr<wasm_trap_t, Deleter<wasm_trap_delete>>;
using ErrorHandle = std::unique_ptr<wasmtime_error_t, Deleter<wasmtime_error_delete>>;

// A vector that the API filled and we own, of bytes, import types or frames.
template <class Vector, auto Delete>
struct OwnedVector {
  Vector vector{};
  OwnedVector() = default;
  ~OwnedVector() { Delete(&vector); }
  OwnedVector(const OwnedVector&) = delete;
  OwnedVector& operator=(const OwnedVector&) = delete;
};
using ByteVector = OwnedVector<wasm_byte_vec_t, wasm_byte_vec_delete>;
using ImportVector = OwnedVector<wasm_importtype_vec_t, wasm_importtype_vec_delete>;
using FrameVector = OwnedVector<wasm_frame_vec_t, wasm_frame_vec_delete>;

inline std::string_view text_of(const wasm_byte_vec_t& bytes) { return {bytes.data, bytes.size}; }

// Takes the error over; empty for none. Wasmtime spreads a chain of causes over lines: they are
// joined to one. Printable and bounded, whatever the module's names hold.
std::string take_message(wasmtime_error_t* error);
std::string message_of(const wasm_trap_t& trap);

}  // namespace sf::engine
