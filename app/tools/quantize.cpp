// SPDX-License-Identifier: MIT
#include "app/tools/quantize.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <vector>

#include "app/error.h"
#include "app/figures.h"
#include "app/models/inference.h"
#include "app/paths.h"
#include "app/progress_line.h"
#include "app/save_file.h"
#include "engine/gguf/quantize.h"
#include "engine/safetensors/open_model.h"
#include "ui/text.h"

namespace confab::app {
namespace {

void show(ProgressLine& line, const engine::QuantizeProgress& progress) {
  line.show(static_cast<int>(100 * progress.bytes_done / progress.bytes),
            fmt::format("{}/{}  {}", progress.n_done, progress.n_tensors, progress.tensor));
}

// All files of a model. For a folder this includes each file in it, since all of them are inputs.
std::vector<std::string> files_of(const std::string& in) {
  std::vector<std::string> files{in};
  std::error_code error;  // an unreadable folder is reported when it is opened
  for (std::filesystem::directory_iterator file(expand_home(in), error), end; !error && file != end;
       file.increment(error))
    files.push_back(file->path().string());
  return files;
}

}  // namespace

int run_quantize(const QuantizeCommand& command, std::ostream& out) {
  const Existing existing = command.force ? Existing::replace : Existing::keep;
  const std::string file = output_file(command.out, existing, files_of(command.in));
  ui::Signals signals;  // created before the worker threads
  const kernels::KernelTable& table = chosen_kernel_table();
  kernels::ThreadPool pool(command.n_threads > 0 ? command.n_threads : kernels::usable_cores());
  ProgressLine line;
  int status = 0;
  const auto start = std::chrono::steady_clock::now();
  const engine::QuantizeResult result = engine::quantize_file(
      {engine::open_model(expand_home(command.in)), file, command.type, existing}, table, pool,
      [&](const engine::QuantizeProgress& progress) {
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
