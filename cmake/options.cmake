# Flags that every target of ours is built with; linked PRIVATE, so that they reach no one else.
add_library(confab_options INTERFACE)
target_compile_options(confab_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wold-style-cast
  -Wnon-virtual-dtor -Woverloaded-virtual
  # Of files compiled together, a local name may be another file's.
  $<$<NOT:$<BOOL:${CONFAB_UNITY}>>:-Wshadow>
  # g++ 12 sees both in its own std::string (GCC bugs 105329 and 105562); clang checks as well.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<BOOL:${CONFAB_WERROR}>:-Werror>
  # `c < 0` means a byte beyond ASCII on 64-bit Arm too, where char is unsigned otherwise.
  -fsigned-char
  # a*b+c stays what it says: kernels ask for a fused multiply-add by name, so that every
  # instruction set's results can be compared.
  -ffp-contract=off)

# libc++ before version 20 has std::jthread only among what it calls experimental.
include(CheckCXXSourceCompiles)
set(uses_jthread "#include <thread>\nint main() { std::jthread([](std::stop_token) {}); }")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # its headers are asked, nothing is linked
check_cxx_source_compiles("${uses_jthread}" CONFAB_HAVE_JTHREAD)
if(NOT CONFAB_HAVE_JTHREAD)
  set(CMAKE_REQUIRED_DEFINITIONS -D_LIBCPP_ENABLE_EXPERIMENTAL)
  check_cxx_source_compiles("${uses_jthread}" CONFAB_HAVE_EXPERIMENTAL_JTHREAD)
  if(NOT CONFAB_HAVE_EXPERIMENTAL_JTHREAD)
    message(FATAL_ERROR "This C++ library has no std::jthread: confab needs g++ 12, clang 14 with its "
      "libstdc++, Xcode 16, or clang 18 with libc++.")
  endif()
  add_compile_definitions(_LIBCPP_ENABLE_EXPERIMENTAL)
endif()
unset(CMAKE_REQUIRED_DEFINITIONS)
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)

if(CONFAB_SANITIZE)
  add_compile_options(-fsanitize=${CONFAB_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CONFAB_SANITIZE})
endif()

# Fuzz targets want everything they stand on instrumented.
if(CONFAB_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Every header of a folder of ours can be included alone: cmake --build BUILD --target
# all_verify_interface_header_sets compiles each.
function(confab_headers target)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS *.h)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
endfunction()

# What people build is compiled some files at a time: reading headers and instantiating templates anew
# for each file takes most of the time otherwise. cmake/together.py says which files go together.
# Whoever works on confab compiles file by file (presets dev, asan, tsan): a change costs one file.
function(confab_unity target)
  find_package(Python3 COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    message(STATUS "Without Python every file is compiled alone, which takes three times as long.")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set(paths)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    list(APPEND paths ${source})
  endforeach()
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/cmake/together.py
    ${PROJECT_SOURCE_DIR} ${target} ${paths} OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  foreach(line ${lines})
    string(REGEX MATCH "^([^ ]+) (.+)$" ignored ${line})
    set_source_files_properties(${CMAKE_MATCH_2} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_1})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # The groups are those of the files as they are.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/cmake/together.py ${paths})
  # A class of an included file counts as one of a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# The headers that nearly every file of ours includes are read once for a target: a fifth of the time
# of a file of the program goes into reading them, a third of one of tests. They change nothing in
# what a file has to include itself.
set(CMAKE_PCH_WARN_INVALID OFF)  # a compiler that cannot use them reads the headers themselves
function(confab_precompile target)
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <cstddef> <cstdint> <cstring>
    <filesystem> <functional> <map> <memory> <optional> <span> <string> <string_view> <utility> <vector>
    <fmt/format.h> ${ARGN})
  # g++ 12 forgets that these are the system's, and sees both in its own std::string.
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
endfunction()

# How a library of ours is compiled.
function(confab_compile target)
  if(CONFAB_UNITY)
    confab_unity(${target})
  else()
    confab_precompile(${target})
  endif()
endfunction()
