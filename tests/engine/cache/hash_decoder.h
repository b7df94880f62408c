// SPDX-License-Identifier: MIT
// A decoder without a model, for tests of what is kept of sequences.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "engine/cache/page_pool.h"
#include "engine/cache/paged_sequence.h"
#include "engine/cache/prefix_cache.h"
#include "engine/model/hparams.h"

namespace confab::engine {

inline std::vector<Token> tokens(int n, Token first = 0) {
  std::vector<Token> ids(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) ids[static_cast<std::size_t>(i)] = first + i % 1000;
  return ids;
}

// "Computes" rows that are told from the tokens up to theirs, as a model's are, for two layers.
class HashDecoder final : public Decoder {
 public:
  // Layers after the second have nothing in them. The first may have a window.
  HashDecoder(int n_ctx, int n_pages, std::size_t n_layer = 2, int window = 0, int n_whole = 0)
      : hparams_(make_hparams(n_layer, window)),
        n_ctx_(n_ctx),
        sequences_(hparams_,
                   PagePool::make(KvLayout(hparams_, kernels::Dtype::F32, kernels::Dtype::F32),
                                  n_pages, n_whole),
                   n_ctx) {}
  int n_ctx() const noexcept override { return n_ctx_; }
  int n_batch() const noexcept override { return n_ctx_; }
  int n_logits() const noexcept override { return 1; }
  int n_layer() const noexcept override { return 2; }
  int n_free_pages() const noexcept override { return pool().n_free(); }
  int n_parts() const noexcept override { return n_layer(); }
  bool is_made_of_blocks() const noexcept override { return true; }
  std::unique_ptr<Sequence> make_sequence() override { return sequences_.make(); }
  RunEnd run(std::span<const SequenceRun> runs, kernels::FunctionRef<bool(int)>) override {
    for (const SequenceRun& run : runs) {
      auto& sequence = static_cast<PagedSequence&>(*run.sequence);
      for (const Token token : run.tokens) {
        const int pos = sequence.n_tokens();
        sequence.cache.make_room(1);
        sequence.append({&token, 1});
        for (int il = 0; il < 2; ++il) {
          const auto row = row_of(sequence.tokens(), il);
          std::memcpy(sequence.cache.key_row(il, 0, pos), row.data(), sizeof row);
          std::memcpy(sequence.cache.value_row(il, 0, pos), row.data(), sizeof row);
        }
        sequence.cache.commit(1);
      }
    }
    sequences_.release_spent();
    return sequences_.drop_lost() ? RunEnd::lost : RunEnd::done;
  }
  std::span<const float> logits(std::size_t) const noexcept override { return {}; }
  std::span<const float> hidden(std::size_t) const noexcept override { return {}; }
  void give_back() override { sequences_.give_back(); }
  void replace(const WrittenBlock& written) override { sequences_.replace(written); }
  const PagePool& pool() const { return sequences_.pool(); }

  static std::array<float, 4> row_of(std::span<const Token> tokens, int il) {
    std::uint32_t hash = 1;
    for (const Token token : tokens) hash = hash * 31 + static_cast<std::uint32_t>(token);
    return {static_cast<float>(hash % 65536), static_cast<float>(tokens.size()),
            static_cast<float>(il), 1};
  }
  // Whether the rows are those of the tokens: of a layer with a window, those that the next reads.
  static void check(const Sequence& sequence, int window = 0) {
    auto& cache = static_cast<PagedSequence&>(const_cast<Sequence&>(sequence)).cache;
    ASSERT_EQ(cache.n_tokens(), sequence.n_tokens());
    for (int pos = 0; pos < cache.n_tokens(); ++pos) {
      const int first = window > 0 && pos + window <= cache.n_tokens() ? 1 : 0;
      for (int il = first; il < 2; ++il) {
        const auto row = row_of(sequence.tokens().first(static_cast<std::size_t>(pos) + 1), il);
        ASSERT_EQ(std::memcmp(cache.key_row(il, 0, pos), row.data(), sizeof row), 0) << pos;
        ASSERT_EQ(std::memcmp(cache.value_row(il, 0, pos), row.data(), sizeof row), 0) << pos;
      }
    }
  }

 private:
  static Hparams make_hparams(std::size_t n_layer, int window) {
    Hparams hp;
    hp.layers.assign(n_layer, {.n_head = 1, .n_head_kv = 1, .head_dim_k = 4, .head_dim_v = 4});
    hp.layers[0].window = window;
    return hp;
  }

  Hparams hparams_;
  int n_ctx_;
  PagedSequences sequences_;
};

inline void go_on(PrefixCache& cache, CachedSequence& cached, std::span<const Token> prompt) {
  for (auto pos = static_cast<std::size_t>(cached.sequence->n_tokens()); pos < prompt.size();
       ++pos) {
    const SequenceRun run{cached.sequence.get(), prompt.subspan(pos, 1), LogitsOf::none};
    ASSERT_EQ(cache.run({&run, 1}, [](int) { return true; }), RunEnd::done);
    cache.grown(cached, false);
  }
}

}  // namespace confab::engine
