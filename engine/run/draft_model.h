// SPDX-License-Identifier: MIT
// A small model that guesses what a large one will write: what it would most likely write itself.
//
// The large one checks each guess before it is taken, so that nothing here can make an answer
// wrong, whatever the file has become meanwhile. What it has read is kept as what the large one has
// is, and found again.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/api/token.h"
#include "engine/cache/prefix_cache.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/text/tokenizer.h"
#include "kernels/dtype.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

// Which tokens a draft is made of: the most likely ones, as far as they are likely enough.
struct DraftRule {
  int n_vocab = 0;  // of the model that checks the draft: what is beyond is not proposed
  // A draft ends before a token that is less likely than this, but not before `least` tokens.
  float p_min = 0;
  int least = 0;
};

class LikelyToken {
 public:
  // Of logits of a model with these tokens. The references must outlive the object.
  LikelyToken(const Tokenizer& tokenizer, const kernels::KernelTable& table, const DraftRule& rule);

  // With what a draft of n_drafted tokens goes on, after which these are the logits; nullopt: it
  // ends, or the answer would.
  std::optional<Token> next(std::span<const float> logits, int n_drafted);

 private:
  const Tokenizer& tokenizer_;
  const kernels::KernelTable& table_;
  DraftRule rule_;
  std::vector<float> chances_;  // [n_vocab]
};

struct Model;

struct DraftModelOptions {
  int n_ctx = 0;  // at most what the model was made for
  int n_batch = 0;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  DraftRule rule = {};
  BlockStore* store = nullptr;  // PrefixCache's; must outlive the object
};

class DraftModel {
 public:
  // The references must outlive the object. Throws ModelError where there is no memory for its
  // cache.
  DraftModel(const Model& model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
             const DraftModelOptions& options);

  // PrefixCache's; of no use where its sequences are not made of blocks alone.
  bool is_made_of_blocks() const noexcept { return decoder_.is_made_of_blocks(); }
  void set_fingerprint(std::string fingerprint) { cache_.set_fingerprint(std::move(fingerprint)); }
  // Finds what has been read of a text earlier, in memory or in the store: costs as much as copying
  // it, at most. Whatever text is read or guessed on from then on, it is for the same use.
  void begin(std::span<const Token> text, SequenceUse use);
  // That text is complete. The store is given what has been read of it.
  void end() noexcept;
  // As it was at first: nothing has been read.
  void clear() noexcept;
  // The same, and the memory is given back that it takes. It comes back by itself.
  void unload() noexcept;
  int n_batch() const noexcept { return options_.n_batch; }
  // Forgets what a text does not begin with; where layers are recurrent, this may be more than was
  // added. Returns how many tokens of it have to be read before propose(), the last one not
  // counted.
  int n_unread(std::span<const Token> text) noexcept;
  // Reads the first n of them, at most a batch. Nothing is read where it is stopped half-way, the
  // text is longer than the context, or there is no memory left, then and later.
  void read(std::span<const Token> text, int n, const std::stop_token& stop);
  // What may follow the text, of which it reads what is unread: at most `most` tokens, and none
  // that would end the answer, borrowed until the next call. Empty where read() reads nothing.
  std::span<const Token> propose(std::span<const Token> text, int most,
                                 const std::stop_token& stop);

 private:
  std::span<const float> go_on(std::span<const Token> text, int n, LogitsOf logits,
                               const std::stop_token& stop);
  std::span<const float> run(std::span<const Token> tokens, LogitsOf logits,
                             const std::stop_token& stop);

  const Model& model_;
  DraftModelOptions options_;
  LikelyToken likely_;
  CpuDecoder decoder_;
  PrefixCache cache_;
  CachedSequence* cached_ = nullptr;  // what it has read; nullptr: no text has begun
  int n_text_ = 0;                    // of these tokens, those after are guesses
  std::vector<Token> draft_;
  bool has_memory_ = true;
};

}  // namespace confab::engine
