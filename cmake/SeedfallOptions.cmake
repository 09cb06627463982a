# Compiler settings shared by every target of ours, as one interface library.
include(GoogleTest)
add_library(sf_options INTERFACE)
target_compile_options(sf_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wno-missing-field-initializers
  # Floating point may not be contracted differently by different compilers.
  -ffp-contract=off
  # gcc 12 sees overlapping copies in std::string's operator+ that are not there (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>
  # libstdc++ 12's stable_sort uses a function that it has deprecated itself.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  # Lets ccache see what a precompiled header brought in (gcc only; clang needs no such flag).
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  # Source paths in messages must not depend on where the clone lies, nor on whether ccache made
  # them relative to the build folder (build/PRESET).
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=../../=")
option(SEEDFALL_WERROR "warnings are errors" OFF)
if(SEEDFALL_WERROR)
  target_compile_options(sf_options INTERFACE -Werror)
endif()
option(SEEDFALL_ASAN "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(SEEDFALL_ASAN)
  target_compile_options(sf_options INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_options(sf_options INTERFACE -fsanitize=address,undefined)
endif()
option(SEEDFALL_FUZZ "fuzz targets with libFuzzer (clang)" OFF)
if(SEEDFALL_FUZZ)
  target_compile_options(sf_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_compile_definitions(sf_options INTERFACE
  SEEDFALL_VERSION="${PROJECT_VERSION}"
  $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
find_program(CCACHE ccache)
if(CCACHE)
  # The sloppiness that ccache's manual asks for with precompiled headers.
  set(ccache_launcher "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
endif()
find_program(MOLD mold)
if(MOLD)
  target_link_options(sf_options INTERFACE -fuse-ld=mold)
endif()
target_link_options(sf_options INTERFACE -Wl,--gc-sections)
