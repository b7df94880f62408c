// SPDX-License-Identifier: MIT
// The decoder that runs on the processor: the forward pass over sequences whose keys and values
// live in pages of one pool.
#pragma once

#include <memory>
#include <vector>

#include "engine/cache/decoder.h"
#include "engine/cache/paged_sequence.h"
#include "engine/cpu/forward.h"

namespace confab::engine {

class CpuDecoder : public Decoder {
 public:
  struct Options {
    int n_ctx = 0;
    int n_pages = 0;  // for all sequences; 0: n_pages(n_ctx) pages, of which n_whole() are whole
    int n_whole = 0;  // how many of them are whole pages (see PagePool)
    // tokens of a run that recurrent layers can still forget (see Sequence::truncate())
    int max_in_flight = 0;
    kernels::Dtype type_k = kernels::Dtype::Q8_0;
    kernels::Dtype type_v = kernels::Dtype::Q8_0;
    Forward::Options forward = {};
  };
  // The references, and the Model behind `model`, must outlive the object. Throws ModelError as
  // KvLayout and PagePool do.
  CpuDecoder(ModelView model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
             const Options& options);

  int n_ctx() const noexcept override { return options_.n_ctx; }
  int n_batch() const noexcept override { return options_.forward.n_batch; }
  int n_logits() const noexcept override { return options_.forward.n_logits; }
  int n_layer() const noexcept override;
  int n_free_pages() const noexcept override { return pages().n_free(); }
  int n_parts() const noexcept override { return forward_.can_stop() ? n_layer() : 1; }
  bool is_made_of_blocks() const noexcept override;

  std::unique_ptr<Sequence> make_sequence() override { return sequences_.make(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int il)> go_on) override;
  std::span<const float> logits(std::size_t i) const noexcept override {
    return forward_.logits(i);
  }
  std::span<const float> hidden(std::size_t i) const noexcept override {
    return forward_.hidden(i);
  }
  bool has_head() const noexcept override;
  std::span<const float> guess(Sequence& sequence, Token token, int n_ahead) override;
  void give_back() override {
    sequences_.give_back();
    forward_.give_back();
  }
  void replace(const WrittenBlock& written) override { sequences_.replace(written); }

  const PagePool& pages() const noexcept { return sequences_.pool(); }

  // Pages for forks, in addition to the pages of a context.
  static constexpr int kSparePages = 2;
  // Pages for n_sequences sequences of n_ctx tokens each, plus the spare pages for forks.
  static constexpr int n_pages(int n_ctx, int n_sequences = 1) noexcept {
    return n_sequences * count_blocks(n_ctx) + kSparePages;
  }
  // How many of those must be whole pages if the sequences run n_batch tokens at a time.
  static int n_whole(const KvLayout& layout, int n_ctx, int n_batch, int n_sequences) noexcept {
    return n_sequences * layout.n_unspent(n_ctx, n_batch) + kSparePages;
  }

 private:
  const Hparams& hparams_;
  Options options_;
  PagedSequences sequences_;
  Forward forward_;
  std::vector<SequenceTokens> runs_;  // the sequences of the current pass
};

}  // namespace confab::engine
