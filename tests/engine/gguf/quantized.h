// SPDX-License-Identifier: MIT
// Files made of models, as `confab quantize` makes them.
#pragma once

#include <string>
#include <utility>

#include "engine/gguf/quantize.h"
#include "kernels/isa.h"

namespace confab::engine {

inline void quantize(Gguf in, const std::string& out, const std::string& type) {
  kernels::ThreadPool pool(1);
  quantize_file({std::move(in), out, *find_file_type(type)},
                *kernels::kernel_table(kernels::Isa::scalar), pool,
                [](const QuantizeProgress&) { return true; });
}

}  // namespace confab::engine
