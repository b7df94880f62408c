// SPDX-License-Identifier: MIT
#include "app/tools/quantize.h"

#include <fmt/format.h>

#include <chrono>
#include <ostream>

#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/paths.h"
#include "app/progress_line.h"
#include "engine/gguf/quantize.h"
#include "engine/safetensors/open_model.h"
#include "ui/text.h"

namespace confab::app {
namespace {

void show(ProgressLine& line, const engine::QuantizeProgress& progress) {
  line.show(static_cast<int>(100 * progress.bytes_done / progress.bytes),
            fmt::format("{}/{}  {}", progress.n_done, progress.n_tensors, progress.tensor));
}

}  // namespace

int run_quantize(const QuantizeCommand& command, std::ostream& out) {
  ui::Signals signals;  // before the workers
  const kernels::KernelTable& table = chosen_kernel_table();
  kernels::ThreadPool pool(command.n_threads > 0 ? command.n_threads : kernels::usable_cores());
  ProgressLine line;
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  const engine::QuantizeResult result = engine::quantize_file(
      {engine::open_model(expand_home(command.in)), expand_home(command.out), command.type}, table,
      pool, [&](const engine::QuantizeProgress& progress) {
        show(line, progress);
        if (status == 0) status = status_asked_for(signals);
        return status == 0;
      });
  line.clear();
  if (!result.finished) return status;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  out << fmt::format("{}: {}, {} from {}, {:.2f} bits per weight, {:.1f} s\n",
                     ui::sanitize(command.out), command.type.name, size_text(result.bytes_out),
                     size_text(result.bytes_in), result.bits_per_weight, took.count());
  return 0;
}

}  // namespace confab::app
