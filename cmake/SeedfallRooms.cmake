# seedfall_room(NAME LINKS libs...): a static library from src/NAME/**.cc and, from its x_test.cc
# files, one GoogleTest program NAME_test whose cases ctest lists one by one.
function(seedfall_room name)
  cmake_parse_arguments(ROOM "" "" "LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  add_library(sf_${name} STATIC ${sources})
  target_include_directories(sf_${name} PUBLIC "${CMAKE_SOURCE_DIR}/src")
  target_link_libraries(sf_${name} PUBLIC ${ROOM_LINKS} sf_options)
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE sf_${name} GTest::gtest_main GTest::gmock rapidcheck)
    # The engine's library is 78 MB: tests that need it list themselves at test time, not at build time.
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 300 LABELS unit)
  endif()
endfunction()
