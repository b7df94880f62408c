// SPDX-License-Identifier: MIT
// Byte-level BPE (tokenizer.ggml.model = "gpt2"). A text is split into words by the rule that
// tokenizer.ggml.pre names, and the bytes of each word are merged. Source: Radford et al. 2019.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/pre_tokenizer.h"
#include "engine/text/spaced_words.h"
#include "engine/text/symbol_merger.h"
#include "engine/text/text_table.h"
#include "engine/text/tokenizer.h"
#include "engine/text/vocab.h"

namespace confab::engine {

// The merges of a byte-level BPE vocabulary, applied to one word.
//
// Merging starts from bytes, or from characters in plain text (PreTokenizer::plain_text). A symbol
// is a byte string that occurs in a merge. Its number is the id of its token or, if it is not a
// token, a number from n_tokens upwards. So merges also work when their parts or result are not in
// the vocabulary, as they do in programs that look merges up by text.
class BpeMerges {
 public:
  // Throws ModelError if tokenizer.ggml.merges is missing or contains something that is not a pair.
  BpeMerges(const Gguf& gguf, const Vocab& vocab, bool plain_text = false);

  // Merges the parts of `word` (at least one, fewer than 2^31), lowest rank first, and the leftmost
  // of equal ranks. The result is the chain in scratch.symbols that starts at index 0. Symbols that
  // are not tokens have an id of n_tokens or more.
  void merge(std::string_view word, MergeScratch& scratch) const;

  // Places in a plain text that no merge crosses.
  WordBorders borders() const noexcept { return borders_; }

  // The token with exactly these bytes; -1 if there is none.
  Token find_token(std::string_view bytes) const noexcept;

 private:
  struct Slot {
    int left = -1;  // -1: free
    int right = 0;
    std::uint32_t rank = 0;
    int merged = 0;
  };

  // An entry of tokenizer.ggml.merges while it is added to the table.
  struct Pair {
    std::string_view all;  // the bytes of both parts
    std::size_t left_size = 0;
    std::uint32_t left_hash = 0, right_hash = 0, merged_hash = 0;
    int left = 0, right = 0;
  };

  // Writes the bytes of both parts of "left right" to `bytes`. Returns the size of the left part,
  // or 0 if the text is not a pair.
  std::size_t split_merge(std::string_view text, std::string& bytes) const;
  void read_tokens(const Vocab& vocab);
  void read_merges(const Gguf& gguf);
  void add_block(std::span<Pair> block, std::uint32_t first_rank);
  int symbol_of(std::string_view bytes, std::uint32_t hash);
  std::size_t home_of(int left, int right) const noexcept;  // where the search starts
  std::size_t slot_of(int left, int right) const noexcept;
  void start(std::string_view word, MergeScratch& scratch) const;

  bool plain_text_;
  WordBorders borders_;
  int n_tokens_ = 0;
  int n_symbols_ = 0;
  TextTable symbols_;
  std::vector<Slot> slots_;  // size is a power of two; linear probing
  std::array<int, 256> byte_symbols_{};
};

// Returns the rule that the file names. Throws ModelError if it is unknown.
const PreTokenizer& pre_tokenizer_of(const Gguf& gguf);

// `vocab` and `pre` must outlive the result. Throws ModelError.
std::unique_ptr<const FragmentEncoder> make_bpe_encoder(const Gguf& gguf, const Vocab& vocab,
                                                        const PreTokenizer& pre);

}  // namespace confab::engine
