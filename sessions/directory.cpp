// SPDX-License-Identifier: MIT
#include "sessions/directory.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "sessions/error.h"

namespace confab::sessions {

namespace {

// A directory may be deleted while its subdirectories are being created; it is then created again,
// at most this many times.
constexpr int kAttempts = 1000;

// Returns 0, or the errno of the first directory that could not be created, stored in `failed`.
int try_to_make(const std::filesystem::path& directory, std::filesystem::path& failed) {
  failed.clear();
  for (const auto& part : directory) {
    failed /= part;
    // Another process may be creating the same directory: only the outcome counts.
    const int error = ::mkdir(failed.c_str(), 0700) == 0 ? 0 : errno;
    struct stat status {};
    if (::stat(failed.c_str(), &status) != 0) return error != 0 && error != EEXIST ? error : errno;
    if (!S_ISDIR(status.st_mode)) return ENOTDIR;
  }
  return 0;
}

}  // namespace

void make_private_directories(const std::filesystem::path& directory) {
  std::filesystem::path failed;
  int error = ENOENT;
  for (int attempt = 0; attempt < kAttempts && error == ENOENT; ++attempt)
    error = try_to_make(directory, failed);
  if (error == ENOTDIR)
    throw StoreError(fmt::format("{}: is a file, expected a directory", failed.string()));
  if (error != 0)
    throw StoreError(
        fmt::format("{}: cannot create the directory: {}", failed.string(), std::strerror(error)));
}

}  // namespace confab::sessions
