// SPDX-License-Identifier: MIT
// A model with some of its last layers on whatever plays the graphics processor here.
#pragma once

#include "engine/gpu/split_decoder.h"
#include "kernels/isa.h"
#include "tests/kernels/vulkan/some_gpu.h"

namespace confab::engine {

class Split {
 public:
  Split(const Model& model, int n_device, int n_ctx = 1024)
      : decoder(model, n_device,
                {.table = *kernels::kernel_table(kernels::Isa::scalar),
                 .pool = pool_,
                 .options = {.n_ctx = n_ctx,
                             .type_k = kernels::Dtype::F32,
                             .type_v = kernels::Dtype::F32,
                             .forward = {.n_batch = 64, .exact = true}}},
                {.gpu = *kernels::vulkan::some_gpu(),
                 .options = {.n_ctx = n_ctx,
                             .n_pages = count_blocks(n_ctx) + 2,
                             .type_k = kernels::Dtype::F32,
                             .type_v = kernels::Dtype::F32,
                             .n_batch = 64,
                             .n_logits = 64},
                 .upload = {.may_import = true}}) {}

 private:
  kernels::ThreadPool pool_{1};

 public:
  SplitDecoder decoder;
};

}  // namespace confab::engine
