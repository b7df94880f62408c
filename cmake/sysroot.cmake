# Builds for CONFAB_TARGET (aarch64-linux-gnu, for example) with Debian's compiler for it, against the
# packages in CONFAB_SYSROOT (`./dev` fetches them), and runs programs for another processor in QEMU.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CONFAB_TARGET CONFAB_SYSROOT)
string(REGEX REPLACE "-.*" "" processor ${CONFAB_TARGET})
if(NOT processor STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${processor})
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${processor} -cpu max -L ${CONFAB_SYSROOT})
endif()
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER ${CONFAB_TARGET}-g++)
endif()
set(CMAKE_CXX_COMPILER_TARGET ${CONFAB_TARGET})  # for clang++, which compiles for all

set(CMAKE_SYSROOT ${CONFAB_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE ${CONFAB_TARGET})
# Debian's compilers look for headers and libraries of their own machine before those of a sysroot.
foreach(folder /c++/12 /${CONFAB_TARGET}/c++/12 /c++/12/backward /${CONFAB_TARGET} "")
  add_compile_options("SHELL:-isystem ${CMAKE_SYSROOT}/usr/include${folder}")
endforeach()
add_link_options(-B${CMAKE_SYSROOT}/usr/lib/${CONFAB_TARGET} -L${CMAKE_SYSROOT}/lib/${CONFAB_TARGET})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${CMAKE_SYSROOT}/usr/lib/${CONFAB_TARGET}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
