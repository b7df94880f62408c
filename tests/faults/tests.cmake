# What must hold when disks, descriptors and processes fail; `ctest -L faults`. Runs the program
# itself on tiny models, and below the calls of a shim where there is LD_PRELOAD.
add_executable(faults_test
  faults/child.cpp
  faults/errors_test.cpp
  faults/kill_test.cpp
  faults/oracle.cpp
  faults/processes_test.cpp
  faults/scenario.cpp
)
target_include_directories(faults_test PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(faults_test PRIVATE confab::sessions confab::engine confab_options
  GTest::gmock GTest::gtest_main)
target_compile_definitions(faults_test PRIVATE CONFAB_BINARY_DIR="${PROJECT_BINARY_DIR}")
target_compile_definitions(faults_test PRIVATE $<$<BOOL:${CONFAB_SANITIZE}>:CONFAB_SANITIZED>)
add_dependencies(faults_test confab)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CONFAB_SANITIZE)
  add_library(fault_shim MODULE faults/shim.cpp)
  target_include_directories(fault_shim PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(fault_shim PRIVATE confab_options ${CMAKE_DL_LIBS})
  target_compile_definitions(faults_test PRIVATE CONFAB_FAULT_SHIM="$<TARGET_FILE:fault_shim>")
  add_dependencies(faults_test fault_shim)
endif()
gtest_discover_tests(faults_test DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES PROPERTIES LABELS faults)
