// SPDX-License-Identifier: MIT
// `confab batch`: a file of requests, answered several at a time into another file. Progress and
// errors are on stderr.
#pragma once

#include <chrono>
#include <string>

#include "app/batch/batch_run.h"
#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// How far the batch is. `elapsed` is the time since it began.
int batch_percent(const BatchFigures& figures) noexcept;
// "120 of 1,000 answered, 3 failed, 45.2 tokens/s, 3:12 min left".
std::string batch_progress(const BatchFigures& figures, std::chrono::duration<double> elapsed);
// What there is in the file at the end.
std::string batch_summary(const BatchFigures& figures, const std::string& out,
                          std::chrono::duration<double> elapsed);

// Returns the exit status: 0 when all requests have an answer, 1 when some failed, 130 when
// interrupted: what is in the file then is whole, and the same command goes on from there. Throws
// like open_backend(), and UserError where a file is not as it should be.
int run_batch(const BatchOptions& options, const Paths& paths);

}  // namespace confab::app
