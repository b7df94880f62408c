# What must hold when disks, descriptors and processes fail; `ctest -L faults`. Runs the program
# itself on tiny models, and below the calls of a shim where there is LD_PRELOAD.
add_executable(faults_test
  app/program.cpp
  faults/blocks_test.cpp
  faults/child.cpp
  faults/device_test.cpp
  faults/errors_test.cpp
  faults/kill_test.cpp
  faults/oracle.cpp
  faults/processes_test.cpp
  faults/programs_test.cpp
  faults/scenario.cpp
)
target_include_directories(faults_test PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(faults_test PRIVATE confab::sessions confab::engine confab_options nlohmann_json::nlohmann_json
  GTest::gmock GTest::gtest_main util)
target_compile_definitions(faults_test PRIVATE
  CONFAB_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CONFAB_BINARY_DIR="${PROJECT_BINARY_DIR}")
if(CONFAB_SANITIZE)
  target_compile_definitions(faults_test PRIVATE CONFAB_SANITIZED)
endif()
add_dependencies(faults_test confab)
if(CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CONFAB_SANITIZE)
  add_library(fault_shim MODULE faults/shim.cpp)
  target_include_directories(fault_shim PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(fault_shim PRIVATE confab_options ${CMAKE_DL_LIBS})
  target_compile_definitions(faults_test PRIVATE CONFAB_FAULT_SHIM="$<TARGET_FILE:fault_shim>")
  add_dependencies(faults_test fault_shim)
endif()
# Stands in front of Vulkan's loader.
find_library(VULKAN_LOADER libvulkan.so.1)
if(CONFAB_VULKAN AND VULKAN_LOADER AND CMAKE_SYSTEM_NAME STREQUAL Linux AND NOT CONFAB_SANITIZE)
  add_library(vulkan_shim SHARED faults/vulkan_shim.cpp)
  set_target_properties(vulkan_shim PROPERTIES OUTPUT_NAME vulkan SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/vulkan_shim)
  target_include_directories(vulkan_shim SYSTEM PRIVATE ${VULKAN_HEADERS})
  target_include_directories(vulkan_shim PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(faults_test SYSTEM PRIVATE ${VULKAN_HEADERS})
  target_compile_definitions(vulkan_shim PRIVATE CONFAB_REAL_VULKAN="${VULKAN_LOADER}"
    VK_NO_PROTOTYPES)
  target_link_libraries(vulkan_shim PRIVATE confab_options ${CMAKE_DL_LIBS})
  target_compile_definitions(faults_test PRIVATE
    CONFAB_VULKAN_SHIM="${CMAKE_CURRENT_BINARY_DIR}/vulkan_shim")
  add_dependencies(faults_test vulkan_shim)
endif()
# In memory where there is such a place: that a kill leaves what was written is the kernel's promise
# on every file system, and syncing a disk thousands of times would take minutes.
set(faults_environment)
if(EXISTS /dev/shm)
  set(faults_environment ENVIRONMENT TMPDIR=/dev/shm)
endif()
gtest_discover_tests(faults_test DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
  PROPERTIES LABELS faults ${faults_environment})
