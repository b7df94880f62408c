// SPDX-License-Identifier: MIT
// A model made ready to run token by token on the calling thread: what bench and the debug commands
// need, without the generation thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "app/options.h"
#include "engine/api/model_info.h"
#include "engine/cache/kv_cache.h"
#include "engine/cpu/forward.h"
#include "engine/model/model.h"
#include "engine/run/context_plan.h"
#include "engine/run/local_chat_model.h"
#include "kernels/isa.h"
#include "kernels/thread_pool.h"

namespace confab::app {

// The value of CONFAB_ISA, empty when it is not set.
std::string forced_isa();
// The kernels for this processor, or those that CONFAB_ISA names. Throws UserError.
const kernels::KernelTable& chosen_kernel_table();
// The file that the options name, or of the model that they name, or the bundled model. Throws
// NoModelError when they name none and it is not there, or a name that several have.
std::string model_path(const ModelOptions& options);
// The draft model for that file: the one that the options name, or the bundled one for the bundled
// model; with an empty path: none.
engine::DraftOptions draft_options(const ModelOptions& options, const std::string& model);
// Throws NoModelError when the model's file is not there.
engine::LoadOptions load_options(const ModelOptions& options);
// The sampling parameters that the model's file or its store recommends, without loading the model.
// Empty if the file cannot be read: whoever loads it reports why.
std::vector<engine::Recommendation> recommended_sampling(const ModelOptions& options);

class Inference {
 public:
  // Throws ModelError, UserError.
  Inference(const ModelOptions& options, bool all_logits,
            engine::NextnHead head = engine::NextnHead::left_out);

  const engine::Model& model() const noexcept { return *model_; }
  engine::KvCache& cache() noexcept { return *cache_; }
  const kernels::KernelTable& table() const noexcept { return *table_; }
  kernels::ThreadPool& pool() noexcept { return *pool_; }
  int n_batch() const noexcept { return n_batch_; }

  // Runs tokens in batches and hands each batch's logits on; all ids must be < n_vocab. Throws
  // UserError when they are not, or do not fit into the context. Both throw ModelError when the
  // file has changed meanwhile: what was computed is then of nobody's weights.
  void prefill(std::span<const engine::Token> tokens, engine::LogitsOf logits,
               const std::function<void(std::span<const float>)>& take);
  // One token in, its logits out; borrowed until the next call.
  std::span<const float> decode(engine::Token token);

 private:
  std::unique_ptr<const engine::Model> model_;
  const kernels::KernelTable* table_;
  std::unique_ptr<kernels::ThreadPool> pool_;
  std::unique_ptr<engine::KvCache> cache_;
  std::unique_ptr<engine::Forward> forward_;
  int n_batch_;
};

}  // namespace confab::app
