// SPDX-License-Identifier: MIT
#include "app/save_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>

#include "app/error.h"
#include "app/paths.h"
#include "engine/platform/sync_file.h"
#include "sessions/fd.h"
#include "sessions/publish.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kPermissions = 0777;

[[noreturn]] void fail(const std::string& path, int error) {
  throw UserError(fmt::format("{}: cannot be written: {}", path, std::strerror(error)));
}

[[noreturn]] void fail_taken(const std::string& path) {
  throw UserError(fmt::format("{}: already exists; choose another name", path));
}

// What has the name, links followed; nullopt: nothing.
std::optional<mode_t> mode_of(const std::string& file) noexcept {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return status.st_mode;
}

// A file under another name, gone again unless it is given its own.
class Unnamed {
 public:
  explicit Unnamed(const fs::path& folder)
      : path_(sessions::temporary_path(folder.empty() ? "." : folder)),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)),
        fault_(fd_ ? 0 : errno) {}
  ~Unnamed() {
    if (fd_) ::unlink(path_.c_str());
  }
  Unnamed(const Unnamed&) = delete;
  Unnamed& operator=(const Unnamed&) = delete;

  // All return 0 or errno.
  int write(std::string_view text, std::optional<mode_t> mode) const noexcept {
    if (fault_ != 0) return fault_;
    if (mode && ::fchmod(fd_.get(), *mode & kPermissions) != 0) return errno;
    const int error = sessions::write_fully(fd_.get(), text);
    if (error != 0) return error;
    return engine::platform::sync_file(fd_.get()) == 0 || errno == EINVAL ? 0 : errno;
  }
  int give_name(const std::string& file, Existing existing) const noexcept {
    if (existing == Existing::replace)
      return ::rename(path_.c_str(), file.c_str()) == 0 ? 0 : errno;
    // Unlike rename(), link() leaves what another program has made meanwhile.
    if (::link(path_.c_str(), file.c_str()) == 0) return 0;
    const bool no_links = errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK;
    if (!no_links) return errno;
    if (mode_of(file)) return EEXIST;
    return ::rename(path_.c_str(), file.c_str()) == 0 ? 0 : errno;
  }

 private:
  fs::path path_;
  sessions::Fd fd_;
  int fault_;  // of making it
};

void write_into(const std::string& path, const std::string& file, std::string_view text) {
  const sessions::Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd) fail(path, errno);
  if (const int error = sessions::write_fully(fd.get(), text); error != 0) fail(path, error);
}

}  // namespace

bool would_replace(const std::string& path) {
  const auto mode = mode_of(expand_home(path));
  return mode && S_ISREG(*mode);
}

void save_file(const std::string& path, std::string_view text, Existing existing) {
  if (path.empty()) throw UserError("a file needs a name");
  std::string file = expand_home(path);
  const std::optional<mode_t> mode = mode_of(file);
  if (mode && S_ISDIR(*mode)) fail(path, EISDIR);
  if (mode && !S_ISREG(*mode)) return write_into(path, file, text);
  if (mode && existing == Existing::keep) fail_taken(path);
  std::error_code error;
  if (mode) file = fs::canonical(file, error).string();  // what a link leads to
  if (error) fail(path, error.value());
  const Unnamed unnamed(fs::path(file).parent_path());
  int fault = unnamed.write(text, mode);
  if (fault == 0) fault = unnamed.give_name(file, existing);
  if (fault == EEXIST) fail_taken(path);
  if (fault != 0) fail(path, fault);
}

}  // namespace confab::app
