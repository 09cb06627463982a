# seedfall_room(NAME LINKS libs...): a static library from src/NAME/**.cc and, from its x_test.cc
# files, one GoogleTest program NAME_test whose cases ctest lists one by one. A room that has only
# headers so far becomes an interface library.
function(seedfall_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(sf_${name} STATIC ${sources})
    target_precompile_headers(sf_${name} PRIVATE "${CMAKE_SOURCE_DIR}/src/base/precompiled.h")
    set(visibility PUBLIC)
  else()
    add_library(sf_${name} INTERFACE)
    set(visibility INTERFACE)
  endif()
  target_include_directories(sf_${name} ${visibility} "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(sf_${name} ${visibility} ${ROOM_LINKS} sf_options)
  if(tests)
    add_executable(${name}_test ${tests})
    target_precompile_headers(${name}_test PRIVATE
      "${CMAKE_SOURCE_DIR}/src/base/precompiled.h" <gtest/gtest.h>)
    # A test file may use names as it likes; only the program itself is built in batches.
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD OFF)
    target_compile_definitions(${name}_test PRIVATE SEEDFALL_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name}_test PRIVATE
      sf_${name} GTest::gtest_main GTest::gmock rapidcheck)
    # ctest asks the program for its cases when it runs them, not when it is built: a build then
    # runs nothing that it has built.
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 900 LABELS unit)
  endif()
endfunction()
