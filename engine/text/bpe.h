// SPDX-License-Identifier: MIT
// Byte-level BPE (tokenizer.ggml.model = "gpt2"): a text is split into words by the rule that
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

// The merges of a byte-level BPE vocabulary, and the merging of one word.
//
// In plain text (PreTokenizer::plain_text) the merging starts from characters, else from bytes. A
// symbol is a byte string that merges know: the id of its token, or, when it has none, a number
// from n_tokens upwards. So a merge whose parts or result are not in the vocabulary works too, as
// it does where merges are looked up by text.
class BpeMerges {
 public:
  // Throws ModelError when tokenizer.ggml.merges is missing or holds something that is no pair.
  BpeMerges(const Gguf& gguf, const Vocab& vocab, bool plain_text = false);

  // Merges the parts of `word` (at least one, fewer than 2^31), lowest rank first and of equal ones
  // the leftmost. The result is the chain of scratch.symbols that starts at index 0; the id of a
  // symbol that is no token is n_tokens or more.
  void merge(std::string_view word, MergeScratch& scratch) const;

  // Where no merge of a plain text goes on.
  WordBorders borders() const noexcept { return borders_; }

  // The token with just these bytes; -1: none.
  Token find_token(std::string_view bytes) const noexcept;

 private:
  struct Slot {
    int left = -1;  // -1: free
    int right = 0;
    std::uint32_t rank = 0;
    int merged = 0;
  };

  // One entry of tokenizer.ggml.merges on its way into the table.
  struct Pair {
    std::string_view all;  // the bytes of both parts
    std::size_t left_size = 0;
    std::uint32_t left_hash = 0, right_hash = 0, merged_hash = 0;
    int left = 0, right = 0;
  };

  // Bytes of both parts of "left right" into `bytes`; the size of the left one, 0: it is no pair.
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
  std::vector<Slot> slots_;  // a power of two; linear probing
  std::array<int, 256> byte_symbols_{};
};

// The rule that the file names. Throws ModelError when it names an unknown one.
const PreTokenizer& pre_tokenizer_of(const Gguf& gguf);

// `vocab` and `pre` must outlive the result. Throws ModelError.
std::unique_ptr<const FragmentEncoder> make_bpe_encoder(const Gguf& gguf, const Vocab& vocab,
                                                        const PreTokenizer& pre);

}  // namespace confab::engine
