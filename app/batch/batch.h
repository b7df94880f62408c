// SPDX-License-Identifier: MIT
// `confab batch`: answers a file of requests, several at a time, into another file. Progress and
// errors go to stderr.
#pragma once

#include <chrono>
#include <string>

#include "app/batch/batch_run.h"
#include "app/options.h"
#include "app/paths.h"

namespace confab::app {

// The progress of the batch. `elapsed` is the time since it began.
int batch_percent(const BatchFigures& figures) noexcept;
// "120 of 1,000 answered, 3 failed, 45.2 tokens/s, 3:12 min left".
std::string batch_progress(const BatchFigures& figures, std::chrono::duration<double> elapsed);
// Describes what the output file contains at the end.
std::string batch_summary(const BatchFigures& figures, const std::string& out,
                          std::chrono::duration<double> elapsed);

// Returns the exit status: 0 if all requests have an answer, 1 if some failed, 130 if interrupted.
// After an interruption the file is still complete up to there, and the same command resumes.
// Throws as open_backend() does, and UserError if a file is not as it should be.
int run_batch(const BatchOptions& options, const Paths& paths);

}  // namespace confab::app
