// SPDX-License-Identifier: MIT
#include "app/commands/clipboard.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

extern char** environ;

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 50;  // of 10 ms each

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    const fs::path file = fs::path(rest.substr(0, end)) / program;
    if (end > 0 && access(file.c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

// The text as a file without a name: a program that does not read cannot make us wait.
std::unique_ptr<std::FILE, CloseFile> file_of(std::string_view text) {
  std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    return nullptr;
  std::rewind(file.get());
  return file;
}

// The process, or -1.
pid_t start(const std::vector<std::string>& command, int input) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  if (posix_spawn_file_actions_init(&files) != 0) return -1;
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int fault = posix_spawnp(&process, words[0], &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return fault == 0 ? process : -1;
}

bool wait_for(pid_t process) {
  for (int i = 0; i < kTries; ++i) {
    int status = 0;
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended != 0) return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    poll(nullptr, 0, 10);
  }
  return false;
}

}  // namespace

std::vector<std::string> clipboard_command() {
  if (is_set("WAYLAND_DISPLAY") && in_path("wl-copy")) return {"wl-copy"};
  if (is_set("DISPLAY") && in_path("xclip")) return {"xclip", "-selection", "clipboard"};
  if (is_set("DISPLAY") && in_path("xsel")) return {"xsel", "--clipboard", "--input"};
#ifdef __APPLE__
  if (in_path("pbcopy")) return {"pbcopy"};
#endif
  return {};
}

bool copy_to_clipboard(std::string_view text) {
  const std::vector<std::string> command = clipboard_command();
  if (command.empty()) return false;
  const auto file = file_of(text);
  if (!file) return false;
  const pid_t process = start(command, fileno(file.get()));
  return process > 0 && wait_for(process);
}

}  // namespace confab::app
