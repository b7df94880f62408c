// SPDX-License-Identifier: MIT
// What the chat on a screen costs while an answer streams: the real interface on a pseudo-terminal,
// with a model that only talks. Prints processor time of the interface's thread, bytes and frames
// written, how long a typed letter takes to show, and how often an idle program wakes up.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "app/screen/event_loop.h"
#include "bench/scripted_model.h"
#include "ui/locale.h"

namespace confab {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct LoadOptions {
  double rate = 1000;
  int seconds = 60;
  int idle_seconds = 10;
  int rows = 40;
  int cols = 120;
  bool plain = false;
};

// An answer as models write them: prose, lists, code, a table, a formula.
std::string answer_text() {
  static const char* const kWords[] = {"the",   "cache", "keeps", "keys",  "values", "token",
                                       "model", "reads", "block", "layer", "memory", "speed"};
  std::mt19937 random(7);
  const auto words = [&random](int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += std::string(i > 0 ? " " : "") + kWords[random() % 12];
    return text;
  };
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "## Part " + std::to_string(i) + "\n\n" + words(60) + ", *so* **it** is `fast`.\n\n";
    for (int j = 0; j < 5; ++j) text += "- " + words(12) + "\n";
    text += "\n```python\ndef f(x):  # twice\n    return 2 * x + len(\"s\")\n```\n\n";
    text += "| a | b |\n|---|--:|\n| " + words(2) + " | 12 |\n\nAnd $E = mc^2$.\n\n";
  }
  return text;
}

// --- the child: the program as it is, but for the model

[[noreturn]] void run_chat(const LoadOptions& options) {
  ui::use_utf8_locale();
  ui::Signals signals;
  app::Backend backend;
  backend.model = std::make_unique<ScriptedModel>(answer_text(), options.rate,
                                                  static_cast<int>(options.rate * options.seconds));
  app::ChatOptions chat;
  chat.save = false;
  chat.plain = options.plain;
  app::Paths paths;
  const int status = app::run_screen_chat(backend, signals, chat, paths);
  _exit(status);
}

// --- the parent: a terminal that reads all it is sent

std::string read_file(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Processor time of the thread that draws, in seconds (proc_pid_stat(5), fields 14 and 15).
double thread_seconds(pid_t process) {
  const std::string stat = read_file(fmt::format("/proc/{0}/task/{0}/stat", process));
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::string skipped;
  for (int i = 3; i < 14; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Times that any thread of the process went to sleep.
long sleeps(pid_t process) {
  long sum = 0;
  for (const auto& task :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process))) {
    const std::string status = read_file((task.path() / "status").string());
    const std::string key = "\nvoluntary_ctxt_switches:";
    if (const std::size_t at = status.find(key); at != std::string::npos)
      sum += std::stol(status.substr(at + key.size()));
  }
  return sum;
}

class Screen {
 public:
  explicit Screen(int fd) : fd_(fd) {}

  void type(const std::string& keys) const {
    if (write(fd_, keys.data(), keys.size()) != std::ssize(keys)) std::perror("write");
  }
  // Reads until `text` comes, or the time is up.
  bool wait_for(const std::string& text, Clock::duration limit) {
    recent_.clear();
    const auto end = Clock::now() + limit;
    while (recent_.find(text) == std::string::npos)
      if (Clock::now() >= end || !read_some(end)) return false;
    return true;
  }
  void read_until(Clock::time_point end) {
    while (Clock::now() < end) read_some(end);
  }
  double n_bytes() const noexcept { return static_cast<double>(n_bytes_); }
  double n_frames() const noexcept { return static_cast<double>(n_frames_); }

 private:
  bool read_some(Clock::time_point end) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd wait{.fd = fd_, .events = POLLIN, .revents = 0};
    if (poll(&wait, 1, std::max(0, static_cast<int>(left.count()))) <= 0) return true;
    char bytes[65536];
    const ssize_t n = read(fd_, bytes, sizeof bytes);
    if (n <= 0) return false;
    const std::string_view text(bytes, static_cast<std::size_t>(n));
    n_bytes_ += n;
    for (std::size_t at = text.find("\x1b[?2026h"); at != std::string_view::npos;
         at = text.find("\x1b[?2026h", at + 1))
      ++n_frames_;
    recent_.append(text);
    if (recent_.size() > 200000) recent_.erase(0, 100000);
    return true;
  }

  int fd_;
  long n_bytes_ = 0;
  long n_frames_ = 0;
  std::string recent_;
};

// Milliseconds until each of a row of letters that no answer has shows up.
std::vector<double> echo_times(Screen& screen, Clock::time_point end) {
  static const char* const kLetters[] = {"Ω", "Ж", "Ψ", "Щ", "Ξ", "Ю", "Δ", "Я"};
  std::vector<double> times;
  for (int i = 0; Clock::now() < end; ++i) {
    screen.read_until(Clock::now() + 150ms + std::chrono::milliseconds(i * 7 % 50));
    const auto begin = Clock::now();
    screen.type(kLetters[i % 8]);
    if (!screen.wait_for(kLetters[i % 8], 2s)) continue;
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (i % 8 == 7) screen.type("\x15");  // Ctrl+U
  }
  std::ranges::sort(times);
  return times;
}

int measure(const LoadOptions& options) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(options.rows);
  size.ws_col = static_cast<unsigned short>(options.cols);
  setenv("TERM", "xterm-256color", 1);
  int fd = -1;
  const pid_t chat = forkpty(&fd, nullptr, nullptr, &size);
  if (chat < 0) return std::perror("forkpty"), 1;
  if (chat == 0) run_chat(options);
  Screen screen(fd);
  if (!screen.wait_for("scripted", 10s)) return fmt::print(stderr, "the chat did not start\n"), 1;
  screen.read_until(Clock::now() + 1s);
  const long idle_before = sleeps(chat);
  screen.read_until(Clock::now() + std::chrono::seconds(options.idle_seconds));
  const long n_woken = sleeps(chat) - idle_before;

  const double cpu_before = thread_seconds(chat);
  const double bytes_before = screen.n_bytes(), frames_before = screen.n_frames();
  const auto begin = Clock::now();
  screen.type("go\r");
  const std::vector<double> echo =
      echo_times(screen, begin + std::chrono::seconds(options.seconds));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double cpu = thread_seconds(chat) - cpu_before;
  fmt::print("| {:.0f} tokens a second for {:.0f} s, {}x{} | |\n| --- | --- |\n", options.rate,
             seconds, options.cols, options.rows);
  fmt::print("| processor time of the interface | {:.1f} % of a core |\n", 100 * cpu / seconds);
  fmt::print("| frames a second | {:.1f} |\n", (screen.n_frames() - frames_before) / seconds);
  fmt::print("| bytes a second | {:.0f} |\n", (screen.n_bytes() - bytes_before) / seconds);
  if (!echo.empty())
    fmt::print("| a letter shows after, p50 / p99 / worst of {} | {:.1f} / {:.1f} / {:.1f} ms |\n",
               echo.size(), echo[echo.size() / 2], echo[echo.size() * 99 / 100], echo.back());
  fmt::print("| wake-ups in {} idle seconds | {} |\n", options.idle_seconds, n_woken);
  kill(chat, SIGTERM);
  screen.read_until(Clock::now() + 500ms);
  int status = 0;
  waitpid(chat, &status, 0);
  return 0;
}

}  // namespace
}  // namespace confab

int main(int argc, char** argv) {
  confab::LoadOptions options;
  CLI::App app("What the chat on a screen costs while an answer streams", "chat_load");
  app.add_option("--rate", options.rate, "Tokens a second")->check(CLI::Range(1.0, 100000.0));
  app.add_option("--seconds", options.seconds, "How long it streams")->check(CLI::Range(1, 3600));
  app.add_option("--idle", options.idle_seconds, "Idle seconds before")->check(CLI::Range(0, 3600));
  app.add_option("--rows", options.rows)->check(CLI::Range(1, 1000));
  app.add_option("--cols", options.cols)->check(CLI::Range(1, 1000));
  app.add_flag("--plain", options.plain, "Print into the scrollback");
  CLI11_PARSE(app, argc, argv);
  return confab::measure(options);
}
