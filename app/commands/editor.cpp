// SPDX-License-Identifier: MIT
#include "app/commands/editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/error.h"
#include "app/process.h"

namespace confab::app {
namespace {

std::filesystem::path temporary_folder() {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) throw UserError(fmt::format("TMPDIR: not a folder: {}", error.message()));
  return folder;
}

// A folder whose files never reach a disk, unless the machine swaps.
std::filesystem::path folder_in_memory() {
#ifdef __linux__
  const char* run = std::getenv("XDG_RUNTIME_DIR");
  for (const char* folder : {run, "/dev/shm"}) {
    struct statfs found {};
    const bool is_there = folder != nullptr && *folder != '\0' && ::statfs(folder, &found) == 0;
    if (is_there && found.f_type == TMPFS_MAGIC && ::access(folder, W_OK | X_OK) == 0)
      return folder;
  }
#endif
  throw UserError(
      "this chat is incognito, and there is no folder in memory for the editor's file (neither "
      "XDG_RUNTIME_DIR nor /dev/shm)");
}

// The temporary file. Its name makes editors treat it as Markdown.
class Draft {
 public:
  Draft(std::string_view text, DraftPlace place) {
    constexpr std::string_view kSuffix = ".md";
    const std::filesystem::path folder =
        place == DraftPlace::memory ? folder_in_memory() : temporary_folder();
    path_ = (folder / "confab-XXXXXX").string() + std::string(kSuffix);
    // mode 0600
    const int fd = mkostemps(path_.data(), static_cast<int>(kSuffix.size()), O_CLOEXEC);
    if (fd < 0) fail("cannot be created");
    const bool written = write_all(fd, text);
    const int fault = errno;
    if (close(fd) != 0 || !written) {
      unlink(path_.c_str());
      errno = fault;
      fail("cannot be written");
    }
  }
  ~Draft() { unlink(path_.c_str()); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& path() const { return path_; }

  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    if (!in) fail("cannot be read");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) fail("cannot be read");
    return text;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw UserError(fmt::format("{}: {}: {}", path_, what, std::strerror(errno)));
  }

  static bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(fd, text.data(), text.size());
      if (n < 0 && errno != EINTR) return false;
      text.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
    }
    return true;
  }

  std::string path_;
};

}  // namespace

std::string editor_command() {
  for (const char* variable : {"VISUAL", "EDITOR"}) {
    const char* command = std::getenv(variable);
    if (command != nullptr && *command != '\0') return command;
  }
  return "vi";
}

std::string edit_text(std::string_view text, DraftPlace place) {
  // sh returns 127 if a command does not exist, and 128 plus the signal's number if a signal ended
  // it.
  constexpr int kNotFound = 127, kSignalled = 128;
  const std::string command = editor_command();
  const Draft draft(text, place);
  const int code = run_in_foreground({"/bin/sh", "-c", command + " \"$@\"", command, draft.path()});
  if (code == kNotFound)
    throw UserError(
        fmt::format("{}: cannot be started; set VISUAL or EDITOR to your editor", command));
  if (code > kSignalled)
    throw UserError(
        fmt::format("{}: ended by signal {}; the text is unchanged", command, code - kSignalled));
  if (code != 0)
    throw UserError(fmt::format("{}: exited with status {}; the text is unchanged", command, code));
  std::string edited = draft.read();
  if (edited.find('\0') != std::string::npos)
    throw UserError(fmt::format("{}: the saved file is not text (it has a NUL byte)", command));
  if (edited.ends_with('\n') && !text.ends_with('\n')) edited.pop_back();
  return edited;
}

}  // namespace confab::app
