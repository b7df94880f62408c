// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_decoder.h"

#include "engine/model/model.h"

namespace confab::engine {

GpuDecoder::GpuDecoder(const kernels::vulkan::GpuInfo& gpu, const Model& model,
                       const Options& options, const UploadProgress& progress)
    : options_(options),
      gpu_(gpu),
      model_(gpu_, model, progress),
      pool_(gpu_, KvLayout(model.hparams, options.type_k, options.type_v), options.n_pages),
      forward_(gpu_, model, model_, pool_,
               {.n_ctx = options.n_ctx,
                .n_batch = options.n_batch,
                .n_logits = options.n_logits,
                .timed = options.timed}) {}

int GpuDecoder::n_layer() const noexcept {
  return model_.hp.n_layer;
}

RunEnd GpuDecoder::run(std::span<const SequenceRun> runs,
                       kernels::FunctionRef<bool(int)> /*go_on*/) {
  const auto own = [](const SequenceRun& run) -> GpuSequence& {
    return static_cast<GpuSequence&>(*run.sequence);
  };
  for (const SequenceRun& run : runs) own(run).make_room(static_cast<int>(run.tokens.size()));
  runs_.clear();
  for (const SequenceRun& run : runs) runs_.push_back({&own(run), run.tokens, run.logits});
  forward_.run(runs_);
  for (const SequenceRun& run : runs) own(run).append(run.tokens);
  return RunEnd::done;
}

}  // namespace confab::engine
