// SPDX-License-Identifier: MIT
#include "engine/gpu/gpu_decoder.h"

#include "engine/gpu/gpu_buffers.h"
#include "engine/model/hparams.h"

namespace confab::engine {

GpuDecoder::GpuDecoder(const kernels::vulkan::GpuInfo& gpu, ModelView model, const Options& options,
                       const UploadOptions& upload)
    : options_(options),
      gpu_(gpu),
      model_(gpu_, model, upload),
      pool_(gpu_, KvLayout(model.hparams, options.type_k, options.type_v), options.n_pages),
      forward_(gpu_, model, model_, pool_,
               {.n_ctx = options.n_ctx, .n_batch = options.n_batch, .n_logits = options.n_logits}) {
}

int GpuDecoder::n_layer() const noexcept {
  return model_.hp.n_layer;
}

namespace {

GpuSequence& own(const SequenceRun& run) {
  return static_cast<GpuSequence&>(*run.sequence);
}

}  // namespace

void GpuDecoder::make_room(std::span<const SequenceRun> runs) {
  for (const SequenceRun& run : runs) own(run).make_room(static_cast<int>(run.tokens.size()));
}

RunEnd GpuDecoder::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  make_room(runs);
  return run_from(runs, {}, go_on);
}

RunEnd GpuDecoder::trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs) {
  make_room(runs);
  take(runs, {});
  programs = forward_.trace(runs_);
  append(runs);
  return RunEnd::done;
}

RunEnd GpuDecoder::run_from(std::span<const SequenceRun> runs, std::span<const float* const> x,
                            kernels::FunctionRef<bool(int)> go_on) {
  take(runs, x);
  if (!forward_.run(runs_, go_on)) return RunEnd::stopped;
  append(runs);
  return RunEnd::done;
}

void GpuDecoder::take(std::span<const SequenceRun> runs, std::span<const float* const> x) {
  runs_.clear();
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs_.push_back(
        {&own(runs[i]), runs[i].tokens, runs[i].logits, runs[i].n_top, x.empty() ? nullptr : x[i]});
}

void GpuDecoder::append(std::span<const SequenceRun> runs) {
  for (const SequenceRun& run : runs) own(run).append(run.tokens);
}

std::uint64_t GpuDecoder::device_bytes(ModelView model, const Options& options) {
  const KvLayout layout(model.hparams, options.type_k, options.type_v);
  return GpuWeights::device_bytes(model.weights.n_bytes) +
         layout.block_bytes() * static_cast<std::uint64_t>(options.n_pages) +
         GpuBuffers::device_bytes(model.hparams,
                                  {options.n_ctx, options.n_batch, options.n_logits});
}

}  // namespace confab::engine
