// SPDX-License-Identifier: MIT
#include "tests/faults/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <stdexcept>

#include "tests/temp_dir.h"

namespace confab::faults {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{60};  // longer than any lock is waited for

Words environment_of(const Command& what, const std::string& log) {
  Words variables{"HOME=" + what.home.string(), "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=dumb"};
  for (const char* kept : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "CONFAB_ISA"})
    if (const char* value = std::getenv(kept)) variables.push_back(std::string(kept) + "=" + value);
  if (what.fault.name.empty()) return variables;
#ifdef CONFAB_FAULT_SHIM
  variables.push_back("LD_PRELOAD=" CONFAB_FAULT_SHIM);
#endif
  variables.push_back("CONFAB_FAULT_DIR=" + std::filesystem::canonical(what.home).string());
  variables.push_back("CONFAB_FAULT=" + what.fault.name);
  variables.push_back("CONFAB_FAULT_AT=" + std::to_string(what.fault.at));
  variables.push_back("CONFAB_FAULT_SLOW_US=" + std::to_string(what.fault.slow_us));
  if (what.fault.forever) variables.emplace_back("CONFAB_FAULT_FOREVER=1");
  if (!log.empty()) variables.push_back("CONFAB_FAULT_LOG=" + log);
  return variables;
}

std::vector<char*> pointers_to(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
  return fds;
}

pid_t start(const Command& what, const std::string& log, int in, int out) {
  Words words{CONFAB_BINARY_DIR "/app/confab"};
  words.insert(words.end(), what.words.begin(), what.words.end());
  Words variables = environment_of(what, log);
  const auto argv = pointers_to(words), envp = pointers_to(variables);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

// Until the program closes its output. It is killed when that takes too long; true: it had to be.
bool gather(const Command& what, pid_t pid, int fd, Outcome& outcome) {
  const std::chrono::microseconds limit = what.kill_after.value_or(kPatience);
  auto deadline = Clock::now() + (what.patience_starts_with_output ? kPatience : limit);
  bool killed = false;
  for (;;) {
    const auto left = killed ? kPatience : deadline - Clock::now();
    if (left.count() <= 0) {
      outcome.killed_at = Clock::now();
      ::kill(pid, SIGKILL);
      killed = true;
      continue;
    }
    pollfd wait{fd, POLLIN, 0};
    const timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
    if (::ppoll(&wait, 1, &time, nullptr) <= 0) continue;
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0) return killed;
    if (what.patience_starts_with_output && outcome.output.empty()) deadline = Clock::now() + limit;
    outcome.output.append(buffer.data(), static_cast<std::size_t>(n));
    outcome.arrivals.emplace_back(Clock::now(), outcome.output.size());
  }
}

void shorten_home(const std::string& home, std::string& text) {
  for (std::size_t at = 0; (at = text.find(home, at)) != std::string::npos;)
    text.replace(at, home.size(), "~");
}

Outcome run_logged(const Command& what, const std::string& log) {
  const auto in = make_pipe(), out = make_pipe();
  // All of it fits into the pipe: nobody has to feed it.
  if (::write(in[1], what.input.data(), what.input.size()) !=
      static_cast<ssize_t>(what.input.size()))
    throw std::runtime_error("pipe: write");
  ::close(in[1]);
  const pid_t pid = start(what, log, in[0], out[1]);
  ::close(in[0]);
  ::close(out[1]);
  Outcome outcome;
  const bool killed = gather(what, pid, out[0], outcome);
  ::close(out[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  constexpr int kCutOff = 6;  // by -n: an answer that is as long as it may be
  if (outcome.status == kCutOff) outcome.status = 0;
  if (killed && !what.kill_after) outcome.status = -1;
  shorten_home(what.home.string(), outcome.output);
  return outcome;
}

}  // namespace

Outcome run(const Command& what) {
  return run_logged(what, {});
}

std::vector<std::string> calls_of(const Command& what) {
  const TempDir dir;
  run_logged(what, dir / "calls");
  std::istringstream lines(read_file(dir / "calls"));
  std::vector<std::string> calls;
  for (std::string line; std::getline(lines, line);) calls.push_back(line);
  return calls;
}

bool have_shim() {
#ifdef CONFAB_FAULT_SHIM
  return true;
#else
  return false;
#endif
}

}  // namespace confab::faults
