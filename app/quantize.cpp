// SPDX-License-Identifier: MIT
#include "app/quantize.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ostream>

#include "app/error.h"
#include "app/inference.h"
#include "engine/quantize.h"
#include "ui/signals.h"
#include "ui/text.h"

namespace confab::app {
namespace {

// How far it is, on one line of stderr that goes away again; nothing when stderr is no terminal.
class ProgressLine {
 public:
  ~ProgressLine() { clear(); }
  void show(const engine::QuantizeProgress& progress) {
    const int percent = static_cast<int>(100 * progress.bytes_done / progress.bytes);
    if (!terminal_ || (percent == percent_ && progress.n_done == n_done_)) return;
    percent_ = percent;
    n_done_ = progress.n_done;
    fmt::print(stderr, "\r{:3} %  {}/{}  {}\x1b[K", percent, progress.n_done, progress.n_tensors,
               ui::sanitize(progress.tensor.substr(0, 48)));
    std::fflush(stderr);
  }
  void clear() noexcept {
    if (n_done_ >= 0) std::fputs("\r\x1b[K", stderr);
    n_done_ = -1;
  }

 private:
  bool terminal_ = isatty(STDERR_FILENO) != 0;
  int percent_ = -1;
  int n_done_ = -1;
};

// The exit status that a signal asks for; 0: none does.
int status_asked_for(ui::Signals& signals) {
  for (const int signal : signals.take()) {
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) return 128 + signal;
    if (signal == SIGTSTP) signals.stop_process();
  }
  return 0;
}

}  // namespace

int run_quantize(const QuantizeCommand& command, std::ostream& out) {
  ui::Signals signals;  // before the workers
  const kernels::KernelTable& table = chosen_kernel_table();
  kernels::ThreadPool pool(command.n_threads > 0 ? command.n_threads : kernels::usable_cores());
  ProgressLine line;
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  const engine::QuantizeResult result =
      engine::quantize_file({command.in, command.out, command.type}, table, pool,
                            [&](const engine::QuantizeProgress& progress) {
                              line.show(progress);
                              if (status == 0) status = status_asked_for(signals);
                              return status == 0;
                            });
  line.clear();
  if (!result.finished) return status;
  constexpr double kMiB = 1 << 20;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  out << fmt::format(
      "{}: {}, {:.1f} MiB from {:.1f} MiB, {:.2f} bits per weight, {:.1f} s\n",
      ui::sanitize(command.out), command.type.name, static_cast<double>(result.bytes_out) / kMiB,
      static_cast<double>(result.bytes_in) / kMiB, result.bits_per_weight, took.count());
  return 0;
}

}  // namespace confab::app
