// SPDX-License-Identifier: MIT
// A small model that guesses what a large one will write: the text that it would most likely write
// itself.
//
// The large model checks each guess before it is accepted. So nothing here can make an answer
// wrong, even if the draft file has changed meanwhile. Text that the draft model has read is cached
// and found again like the large model's.
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

// Limits on the tokens of a draft. Only the most likely token is proposed, and only if it is likely
// enough.
struct DraftRule {
  int n_vocab = 0;  // of the model that checks the draft; higher ids are not proposed
  // A draft ends before a token less likely than this, but not before it has `least` tokens.
  float p_min = 0;
  int least = 0;
};

class LikelyToken {
 public:
  // For logits over these tokens. The references must outlive the object.
  LikelyToken(const Tokenizer& tokenizer, const kernels::KernelTable& table, const DraftRule& rule);

  // The next token of a draft that has n_drafted tokens so far, given the logits after them.
  // nullopt if the draft or the answer ends here.
  std::optional<Token> next(std::span<const float> logits, int n_drafted);

 private:
  const Tokenizer& tokenizer_;
  const kernels::KernelTable& table_;
  DraftRule rule_;
  std::vector<float> chances_;  // [n_vocab]
};

struct Model;

struct DraftModelOptions {
  int n_ctx = 0;  // at most the model's own limit
  int n_batch = 0;
  kernels::Dtype type_k = kernels::Dtype::Q8_0;
  kernels::Dtype type_v = kernels::Dtype::Q8_0;
  DraftRule rule = {};
  BlockStore* store = nullptr;  // for PrefixCache; must outlive the object
};

class DraftModel {
 public:
  // The references must outlive the object. Throws ModelError if there is no memory for its cache.
  DraftModel(const Model& model, const kernels::KernelTable& table, kernels::ThreadPool& pool,
             const DraftModelOptions& options);

  // set_fingerprint() is PrefixCache's, and has no effect unless sequences are made of blocks
  // alone.
  bool is_made_of_blocks() const noexcept { return decoder_.is_made_of_blocks(); }
  void set_fingerprint(std::string fingerprint) { cache_.set_fingerprint(std::move(fingerprint)); }
  // Looks for what has been read of a text before, in memory or in the store. Costs at most a copy
  // of it. Everything read or guessed from then on has the same use.
  void begin(std::span<const Token> text, SequenceUse use);
  // The text is complete. The store receives what has been read of it.
  void end() noexcept;
  // Forgets everything that was read.
  void clear() noexcept;
  // The same, and gives back its memory, which is taken again when needed.
  void unload() noexcept;
  int n_batch() const noexcept { return options_.n_batch; }
  // Forgets the part that the text does not begin with; with recurrent layers, possibly more.
  // Returns how many tokens of the text must still be read before propose(), not counting the last.
  int n_unread(std::span<const Token> text) noexcept;
  // Reads the first n of them, at most one batch. Reads nothing if it is stopped halfway or the
  // text exceeds the context. Once memory has run out, it never reads again.
  void read(std::span<const Token> text, int n, const std::stop_token& stop);
  // Guesses up to `most` tokens after the text, and none that would end the answer. Reads what is
  // unread of the text first. Borrowed until the next call. Empty if read() would read nothing.
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
  CachedSequence* cached_ = nullptr;  // what it has read; nullptr if no text has begun
  int n_text_ = 0;                    // of these tokens; the ones after them are guesses
  std::vector<Token> draft_;
  bool has_memory_ = true;
};

}  // namespace confab::engine
