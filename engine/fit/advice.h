// SPDX-License-Identifier: MIT
// Suggests what would fit when a model does not: a smaller context, shorter values and keys in the
// cache, fewer answers at a time, or fewer bits per weight.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/dtype.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

class Gguf;

// The choices that determine memory use.
struct FitChoice {
  int n_ctx = 0;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  int n_parallel = 1;
};

// A smaller context is of no use.
inline constexpr int kLeastContext = 512;

struct Misfit {
  FitChoice asked;
  bool may_shorten_keys = false;  // a head's keys divide into blocks of q4_0
  bool may_shorten_values = false;
  std::uint64_t available_bytes = 0;
  kernels::FunctionRef<std::uint64_t(const FitChoice&)> bytes;  // total for a choice
};

// Returns, for example, "with -c 4096 -ctv q4_0 it takes 4.6 GiB; Q3_K_S of this model would fit
// whole". It suggests the smallest change that fits.
std::string advice(const Gguf& gguf, const Misfit& misfit);

}  // namespace confab::engine
