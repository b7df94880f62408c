// SPDX-License-Identifier: MIT
#include "engine/cpu/cpu_decoder.h"

#include <algorithm>
#include <utility>

#include "engine/model/model.h"

namespace confab::engine {
namespace {

std::shared_ptr<PagePool> make_pool(const Hparams& hp, const CpuDecoder::Options& o) {
  const KvLayout layout(hp, o.type_k, o.type_v);
  if (o.n_pages > 0) return PagePool::make(layout, o.n_pages, o.n_whole);
  return PagePool::make(layout, CpuDecoder::n_pages(o.n_ctx),
                        CpuDecoder::n_whole(layout, o.n_ctx, o.forward.n_batch, 1));
}

}  // namespace

CpuDecoder::CpuDecoder(ModelView model, const kernels::KernelTable& table,
                       kernels::ThreadPool& pool, const Options& options)
    : hparams_(model.hparams),
      options_(options),
      sequences_(model.hparams, make_pool(model.hparams, options), options.n_ctx,
                 options.max_in_flight),
      forward_(model, table, pool, options.n_ctx, options.forward) {
  runs_.reserve(static_cast<std::size_t>(options.forward.n_batch));
}

int CpuDecoder::n_layer() const noexcept {
  return hparams_.n_layer;
}

bool CpuDecoder::has_head() const noexcept {
  return hparams_.has_nextn_head();
}

bool CpuDecoder::is_made_of_blocks() const noexcept {
  return !hparams_.has_recurrent_layers();
}

RunEnd CpuDecoder::run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)> go_on) {
  const auto own = [](const SequenceRun& run) -> PagedSequence& {
    return static_cast<PagedSequence&>(*run.sequence);
  };
  runs_.clear();
  for (const SequenceRun& run : runs) runs_.push_back({&own(run).cache, run.tokens, run.logits});
  const bool done = forward_.run(runs_, go_on);
  if (sequences_.drop_lost()) return RunEnd::lost;
  if (!done) return RunEnd::stopped;
  for (const SequenceRun& run : runs) own(run).append(run.tokens);
  sequences_.release_spent();
  return RunEnd::done;
}

std::span<const float> CpuDecoder::guess(Sequence& sequence, Token token, int n_ahead) {
  return forward_.guess(static_cast<PagedSequence&>(sequence).cache, token, n_ahead);
}

}  // namespace confab::engine
