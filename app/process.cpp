// SPDX-License-Identifier: MIT
#include "app/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "app/error.h"
#include "ui/terminal/signals.h"

extern char** environ;

namespace confab::app {
namespace {

constexpr int kSignalled = 128;
constexpr std::chrono::milliseconds kLook{10};  // at a program that is waited for, so often

// How a program is started, freed with the object.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

pid_t spawn(std::vector<std::string> words, const SpawnSettings& settings) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  const int fault = posix_spawnp(&process, pointers[0], &settings.files, &settings.attributes,
                                 pointers.data(), environ);
  if (fault != 0)
    throw UserError(fmt::format("{}: cannot be started: {}", words[0], std::strerror(fault)));
  return process;
}

int end_of(int status) {
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

// What the terminal sends to all that run in its foreground is the other program's, as system(3)
// has it: this one would stop, or end, behind its back.
class IgnoreKeys {
 public:
  IgnoreKeys() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    for (std::size_t i = 0; i < kKeys.size(); ++i) sigaction(kKeys[i], &ignore, &former_[i]);
  }
  ~IgnoreKeys() {
    for (std::size_t i = 0; i < kKeys.size(); ++i) sigaction(kKeys[i], &former_[i], nullptr);
  }
  IgnoreKeys(const IgnoreKeys&) = delete;
  IgnoreKeys& operator=(const IgnoreKeys&) = delete;

 private:
  static constexpr std::array kKeys = {SIGINT, SIGQUIT, SIGTSTP};
  std::array<struct sigaction, kKeys.size()> former_{};
};

}  // namespace

Process::Process(const std::vector<std::string>& words, int input) {
  SpawnSettings settings;
  posix_spawn_file_actions_adddup2(&settings.files, input, STDIN_FILENO);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&settings.files, fd, "/dev/null", O_WRONLY, 0);
  process_ = spawn(words, settings);
}

Process::~Process() {
  if (process_ < 0) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Process::wait(std::chrono::milliseconds limit) {
  for (auto left = limit;; left -= kLook) {
    int status = 0;
    const pid_t ended = waitpid(process_, &status, WNOHANG);
    if (ended == process_) {
      process_ = -1;
      return end_of(status);
    }
    if (left <= kLook) return std::nullopt;
    poll(nullptr, 0, static_cast<int>(kLook.count()));
  }
}

int run_in_foreground(const std::vector<std::string>& words) {
  const IgnoreKeys ignore;
  const pid_t process = spawn(words, SpawnSettings());
  for (;;) {
    int status = 0;
    if (waitpid(process, &status, WUNTRACED) < 0) {
      if (errno == EINTR) continue;
      return 0;  // it has ended; who started us wants no news of children (SIGCHLD is ignored)
    }
    if (!WIFSTOPPED(status)) return end_of(status);
    // The shell has both back in its foreground, or in none.
    ui::Signals::stop_process();
    kill(process, SIGCONT);
  }
}

}  // namespace confab::app
