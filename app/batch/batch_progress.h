// SPDX-License-Identifier: MIT
// How far a batch is, in words. Time is passed in.
#pragma once

#include <chrono>
#include <string>

#include "app/batch/batch_run.h"

namespace confab::app {

int batch_percent(const BatchFigures& figures) noexcept;
// "120 of 1,000 answered, 3 failed, 45.2 tokens/s, 3:12 min left".
std::string batch_progress(const BatchFigures& figures, std::chrono::duration<double> elapsed);
// What there is in the file at the end.
std::string batch_summary(const BatchFigures& figures, const std::string& out,
                          std::chrono::duration<double> elapsed);

}  // namespace confab::app
