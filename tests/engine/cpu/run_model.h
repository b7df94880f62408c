// SPDX-License-Identifier: MIT
// Models run in tests: everything that a forward pass needs, made from a file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/forward.h"
#include "engine/model/model.h"
#include "kernels/isa.h"

namespace confab::engine {

// A model without its tokenizer, which the forward pass does not ask for.
inline Model load_bare_model(const std::string& path, NextnHead head = NextnHead::left_out) {
  Gguf gguf(path);
  Hparams hparams = Hparams::load(gguf, head);
  Weights weights = Weights::load(gguf, hparams);
  return {std::move(gguf), std::move(hparams), std::move(weights), nullptr};
}

// The same for the same seed.
inline std::vector<Token> some_tokens(int n, unsigned seed, unsigned n_vocab = 300) {
  std::mt19937 rng(seed);
  std::vector<Token> tokens;
  for (int i = 0; i < n; ++i) tokens.push_back(static_cast<Token>(rng() % n_vocab));
  return tokens;
}

inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct RunOptions {
  const kernels::KernelTable* table = kernels::kernel_table(kernels::Isa::scalar);
  int n_threads = 1;
  int n_ctx = 256;
  int n_batch = 64;
  bool exact = true;
  kernels::Dtype kv = kernels::Dtype::F32;
  std::optional<kernels::Dtype> v = {};  // of the values, where not as the keys
};

// A forward pass with its team and cache.
class Runner {
 public:
  Runner(const Model& model, const RunOptions& o)
      : pool(o.n_threads),
        cache(model.hparams, o.n_ctx, o.kv, o.v.value_or(o.kv)),
        forward(model, *o.table, pool, o.n_ctx,
                {.n_batch = o.n_batch, .exact = o.exact, .n_logits = o.n_batch}) {}

  std::span<const float> run(std::span<const Token> tokens, LogitsOf wanted) {
    return forward.run(cache, tokens, wanted);
  }
  // Logits of all tokens, fed in pieces of the given sizes; the last size is used again and again.
  std::vector<float> logits(std::span<const Token> tokens, const std::vector<int>& pieces) {
    std::vector<float> all;
    for (std::size_t i = 0, piece = 0; i < tokens.size(); ++piece) {
      const int size = pieces[std::min(piece, pieces.size() - 1)];
      const std::size_t n = std::min(static_cast<std::size_t>(size), tokens.size() - i);
      const auto rows = run(tokens.subspan(i, n), LogitsOf::all_tokens);
      all.insert(all.end(), rows.begin(), rows.end());
      i += n;
    }
    return all;
  }

  kernels::ThreadPool pool;
  KvCache cache;
  Forward forward;
};

inline std::vector<float> run_model(const Model& model, std::span<const Token> tokens,
                                    const RunOptions& options, const std::vector<int>& pieces) {
  return Runner(model, options).logits(tokens, pieces);
}

// For INSTANTIATE_TEST_SUITE_P: every table that this processor can run, by its name.
inline auto all_tables() {
  return testing::ValuesIn(kernels::usable_kernel_tables());
}
inline std::string table_name(const testing::TestParamInfo<const kernels::KernelTable*>& info) {
  return std::string(kernels::name(info.param->isa));
}

}  // namespace confab::engine
