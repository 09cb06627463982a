# Target `wasmtime`: the C API in the flavour that SEEDFALL_ENGINE names.
#
# scripts/engine builds or unpacks the library into a cache folder outside the source tree and
# leaves include/, lib/ and a file `version` there.
if(NOT SEEDFALL_ENGINE_DIR)
  # A change of what names the folder must configure anew.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    "${CMAKE_SOURCE_DIR}/scripts/engine" "${CMAKE_SOURCE_DIR}/engine-lib/Cargo.toml"
    "${CMAKE_SOURCE_DIR}/engine-lib/Cargo.lock")
  execute_process(COMMAND "${CMAKE_SOURCE_DIR}/scripts/engine" ${SEEDFALL_ENGINE} --where
                  OUTPUT_VARIABLE SEEDFALL_ENGINE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
if(NOT EXISTS "${SEEDFALL_ENGINE_DIR}/include/wasmtime.h")
  message(FATAL_ERROR "no engine library in ${SEEDFALL_ENGINE_DIR}: "
                      "run scripts/engine ${SEEDFALL_ENGINE} first")
endif()
file(READ "${SEEDFALL_ENGINE_DIR}/version" SEEDFALL_ENGINE_VERSION)
string(STRIP "${SEEDFALL_ENGINE_VERSION}" SEEDFALL_ENGINE_VERSION)
if(SEEDFALL_ENGINE STREQUAL "wheel")
  add_library(wasmtime SHARED IMPORTED)
  set_target_properties(wasmtime PROPERTIES
    IMPORTED_LOCATION "${SEEDFALL_ENGINE_DIR}/lib/libwasmtime.so" IMPORTED_NO_SONAME TRUE)
else()
  add_library(wasmtime STATIC IMPORTED)
  set_target_properties(wasmtime PROPERTIES
    IMPORTED_LOCATION "${SEEDFALL_ENGINE_DIR}/lib/libseedfall_wasmtime.a"
    INTERFACE_LINK_LIBRARIES "pthread;dl;m")
endif()
set_target_properties(wasmtime PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES "${SEEDFALL_ENGINE_DIR}/include"
  INTERFACE_COMPILE_DEFINITIONS "SEEDFALL_ENGINE_VERSION=\"${SEEDFALL_ENGINE_VERSION}\"")
