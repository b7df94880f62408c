// SPDX-License-Identifier: MIT
#include "app/commands/clipboard.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "app/error.h"
#include "app/process.h"

namespace confab::app {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPatience{500};

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

// Puts the text into an unnamed file, so that a program that does not read cannot block us.
std::unique_ptr<std::FILE, CloseFile> file_of(std::string_view text) {
  std::unique_ptr<std::FILE, CloseFile> file(std::tmpfile());
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
      std::fflush(file.get()) != 0)
    return nullptr;
  std::rewind(file.get());
  return file;
}

}  // namespace

std::vector<std::string> clipboard_command() {
  // Over SSH, nobody looks at the machine's own display. A display forwarded by SSH has a host
  // name.
  const char* const display = std::getenv("DISPLAY");
  const bool is_remote = is_set("SSH_CONNECTION") || is_set("SSH_TTY");
  if (is_remote && (display == nullptr || *display == '\0' || *display == ':')) return {};
  if (!is_remote && is_set("WAYLAND_DISPLAY") && in_path("wl-copy")) return {"wl-copy"};
  if (is_set("DISPLAY") && in_path("xclip")) return {"xclip", "-selection", "clipboard"};
  if (is_set("DISPLAY") && in_path("xsel")) return {"xsel", "--clipboard", "--input"};
#ifdef __APPLE__
  if (in_path("pbcopy")) return {"pbcopy"};
#endif
  return {};
}

std::string copy_to_clipboard(std::string_view text) {
  const std::vector<std::string> command = clipboard_command();
  if (command.empty()) return {};
  const auto file = file_of(text);
  if (!file) return {};
  try {
    const bool taken = Process(command, {fileno(file.get())}).wait(kPatience) == 0;
    return taken ? command.front() : std::string();
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace confab::app
