// SPDX-License-Identifier: MIT
#include "sessions/directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "sessions/error.h"

namespace confab::sessions {

void make_private_directories(const std::filesystem::path& directory) {
  std::filesystem::path made;
  for (const auto& part : directory) {
    made /= part;
    // Others may be making the same directory: only the outcome counts.
    const int error = ::mkdir(made.c_str(), 0700) == 0 ? 0 : errno;
    struct stat status {};
    if (::stat(made.c_str(), &status) != 0) {
      throw StoreError(fmt::format("{}: cannot create the directory: {}", made.string(),
                                   std::strerror(error != 0 ? error : errno)));
    }
    if (!S_ISDIR(status.st_mode)) {
      throw StoreError(fmt::format("{}: is a file, expected a directory", made.string()));
    }
  }
}

}  // namespace confab::sessions
