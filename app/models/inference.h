// SPDX-License-Identifier: MIT
// A model that runs token by token on the calling thread, for bench and the debug commands, which
// need no generation thread.
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

// The value of CONFAB_ISA; empty if it is not set.
std::string forced_isa();
// The kernels for this processor, or those that CONFAB_ISA names. Throws UserError.
const kernels::KernelTable& chosen_kernel_table();
// The file of the model that the options name by path or by name, or the bundled model. Throws
// NoModelError if they name no model and the bundled one is missing, or if the name is ambiguous.
std::string model_path(const ModelOptions& options);
// The draft model for that file: the one that the options name, or the bundled one for the bundled
// model. An empty path means no draft model.
engine::DraftOptions draft_options(const ModelOptions& options, const std::string& model);
// Throws NoModelError if the model's file does not exist.
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

  // Runs tokens in batches and passes each batch's logits to `take`. All ids must be < n_vocab.
  // Throws UserError if they are not, or do not fit into the context. Like decode(), throws
  // ModelError if the file has changed meanwhile, because the results are then meaningless.
  void prefill(std::span<const engine::Token> tokens, engine::LogitsOf logits,
               const std::function<void(std::span<const float>)>& take);
  // Runs one token and returns its logits, borrowed until the next call.
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
