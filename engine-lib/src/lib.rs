//! Re-exports Wasmtime's C API so that a static library contains its symbols.
pub use wasmtime_c_api::*;
