// SPDX-License-Identifier: MIT
#include "ui/input/history_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "ui/error.h"

namespace confab::ui {
namespace {

constexpr int kOwnerOnly = 0600;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw TerminalError(path + ": cannot " + what + " the input history: " + std::strerror(errno));
}

class File {
 public:
  File(const std::string& path, int flags)
      : path_(path), fd_(open(path.c_str(), flags, kOwnerOnly)) {
    if (fd_ < 0) fail(path_, "open");
  }
  ~File() { close(fd_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Keeps other programs from trimming or extending the file until it is closed, if the file system
  // supports locks. Returns false if another program has replaced the file since it was opened.
  bool lock() const {
    while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
    }
    struct stat ours {
    }, named{};
    return fstat(fd_, &ours) == 0 && stat(path_.c_str(), &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail(path_, "write");
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

 private:
  const std::string& path_;
  int fd_;
};

std::string escape(std::string_view entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\n') {
      line += "\\n";
    } else if (c == '\\') {
      line += "\\\\";
    } else if (c != '\0') {
      line += c;
    }
  }
  return line + '\n';
}

std::string unescape(std::string_view line) {
  std::string entry;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool pair = line[i] == '\\' && i + 1 < line.size();
    if (pair) ++i;
    entry += pair && line[i] == 'n' ? '\n' : line[i];
  }
  return entry;
}

void replace(const std::string& path, const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += escape(entry);
  const std::string fresh = path + "." + std::to_string(getpid());
  File(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC).write(text);
  if (std::rename(fresh.c_str(), path.c_str()) != 0) fail(path, "replace");
}

std::vector<std::string> read_all(const std::string& path) {
  std::vector<std::string> entries;
  errno = 0;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) entries.push_back(unescape(line));
  if (!file.eof()) fail(path, "read");
  return entries;
}

void keep_last(std::vector<std::string>& entries) {
  if (entries.size() > kMaxHistoryEntries)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(kMaxHistoryEntries));
}

// Cuts the file to its last entries and returns them. Entries that other programs add meanwhile
// wait for the lock and go into the new file.
std::vector<std::string> trim(const std::string& path) {
  const File file(path, O_RDONLY | O_CLOEXEC);
  const bool mine = file.lock();
  std::vector<std::string> entries = read_all(path);
  keep_last(entries);
  if (mine) replace(path, entries);
  return entries;
}

}  // namespace

std::vector<std::string> load_history(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 && errno == ENOENT) return {};
  std::vector<std::string> entries = read_all(path);
  if (entries.size() > 2 * kMaxHistoryEntries) entries = trim(path);
  keep_last(entries);
  return entries;
}

void append_history(const std::string& path, std::string_view entry) {
  constexpr int kMaxTries = 100;
  for (int tries = 1;; ++tries) {
    const File file(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
    if (!file.lock() && tries < kMaxTries) continue;
    return file.write(escape(entry));
  }
}

}  // namespace confab::ui
