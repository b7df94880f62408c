// SPDX-License-Identifier: MIT
#include "app/save_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/error.h"
#include "app/paths.h"
#include "engine/error.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, std::string_view fault) {
  throw UserError(fmt::format("{}: {}", path, fault));
}

[[noreturn]] void fail(const std::string& path, int error) {
  fail(path, fmt::format("cannot be written: {}", std::strerror(error)));
}

void refuse_what_is_no_file(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) fail(path, EISDIR);
  if (!S_ISREG(mode))
    fail(path, fmt::format("is a {}; name a file", S_ISFIFO(mode)   ? "pipe"
                                                   : S_ISSOCK(mode) ? "socket"
                                                                    : "device"));
}

}  // namespace

bool would_replace(const std::string& path) {
  struct stat status {};
  return ::stat(expand_home(path).c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string output_file(const std::string& path, Existing existing,
                        std::span<const std::string> inputs) {
  if (path.empty()) throw UserError("a file needs a name");
  if (path == "-") fail(path, "is standard output; name a file");
  const std::string file = expand_home(path);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) {
    if (errno != ENOENT) fail(path, errno);
    if (::lstat(file.c_str(), &status) == 0)
      fail(path, "is a link to a file that does not exist; name that file");
    return file;
  }
  refuse_what_is_no_file(path, status.st_mode);
  for (const std::string& input : inputs) {
    struct stat other {};
    if (::stat(expand_home(input).c_str(), &other) == 0 && other.st_dev == status.st_dev &&
        other.st_ino == status.st_ino)
      fail(path, "is the input file; choose another name");
  }
  if (existing == Existing::keep)
    fail(path, "already exists; choose another name, or replace it with --force");
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) fail(path, error.value());
  return real.string();
}

void save_file(const std::string& path, std::string_view text, Existing existing) {
  const std::string file = output_file(path, existing);
  try {
    engine::AtomicFile whole(file, existing);
    whole.write(std::as_bytes(std::span(text)));
    whole.commit();
  } catch (const engine::ModelError& fault) {
    throw UserError(fault.what());
  }
}

}  // namespace confab::app
