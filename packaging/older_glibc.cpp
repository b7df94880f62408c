// SPDX-License-Identifier: MIT
// What the static C++ library of Debian 12 uses of its own glibc (2.36), for programs that are
// linked with an older one: see cmake/portable.cmake.
#include <features.h>

#if !__GLIBC_PREREQ(2, 36)

#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

extern "C" {

// Since 2.32: true while there is one thread, so that reference counts need no atomic instructions.
extern char __libc_single_threaded;  // NOLINT: its name
char __libc_single_threaded = 0;

// Since 2.36; std::random_device calls it.
std::uint32_t arc4random() {
  std::uint32_t number = 0;
  if (getentropy(&number, sizeof number) != 0) std::abort();  // as glibc's does
  return number;
}

}  // extern "C"

#endif
