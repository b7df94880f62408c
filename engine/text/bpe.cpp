// SPDX-License-Identifier: MIT
#include "engine/text/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <string>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/text/spaced_words.h"
#include "engine/text/unicode_class.h"
#include "engine/text/vocab.h"
#include "engine/text/word_cache.h"

namespace confab::engine {
namespace {

constexpr const char* kMergesKey = "tokenizer.ggml.merges";
constexpr std::size_t kMaxMerges = std::size_t{1} << 28;  // each adds up to 3 symbols (ints)
constexpr std::size_t kBlock = 32;                        // entries whose cache misses overlap

// The id of a character that occurs in no merge and no token.
constexpr int kNoSymbol = std::numeric_limits<int>::max();

}  // namespace

BpeMerges::BpeMerges(const Gguf& gguf, const Vocab& vocab, bool plain_text)
    : plain_text_(plain_text),
      n_tokens_(vocab.n_tokens()),
      n_symbols_(n_tokens_),
      symbols_(static_cast<std::size_t>(n_tokens_)) {
  read_tokens(vocab);
  read_merges(gguf);
}

std::size_t BpeMerges::split_merge(std::string_view text, std::string& bytes) const {
  bytes.clear();
  // Spaces inside a part are written "Ġ" or U+2581. The search starts at 1, as in llama.cpp.
  const std::size_t space = text.find(' ', 1);
  if (space == text.npos) return 0;
  const auto append = [&](std::string_view part) {
    const std::size_t before = bytes.size();
    if (plain_text_) append_unescaped(part, bytes);
    return (plain_text_ || append_bytes(part, bytes)) && bytes.size() > before;
  };
  if (!append(text.substr(0, space))) return 0;
  const std::size_t left_size = bytes.size();
  return append(text.substr(space + 1)) ? left_size : 0;
}

void BpeMerges::read_tokens(const Vocab& vocab) {
  std::array<std::uint32_t, kBlock> hashes;
  for (Token first = 0; first < n_tokens_; first += static_cast<Token>(kBlock)) {
    const Token end = std::min(n_tokens_, first + static_cast<Token>(kBlock));
    for (Token token = first; token < end; ++token) {
      std::uint32_t& hash = hashes[static_cast<std::size_t>(token - first)];
      hash = TextTable::hash(vocab.piece(token));
      symbols_.prefetch(hash);
    }
    for (Token token = first; token < end; ++token) {
      const std::uint32_t hash = hashes[static_cast<std::size_t>(token - first)];
      if (!vocab.is_mergeable(token)) continue;
      symbols_.insert(vocab.piece(token), hash, token);  // the first of equal tokens counts
    }
  }
  for (std::size_t byte = 0; byte < byte_symbols_.size(); ++byte) {
    const char c = static_cast<char>(byte);
    byte_symbols_[byte] = symbol_of({&c, 1}, TextTable::hash({&c, 1}));
  }
}

void BpeMerges::read_merges(const Gguf& gguf) {
  const auto* merges = gguf.find_array<std::string_view>(kMergesKey);
  if (merges == nullptr) {
    gguf.fail(fmt::format("{} is missing, a gpt2 tokenizer needs it", kMergesKey));
  }
  if (merges->size() > kMaxMerges) {
    gguf.fail(fmt::format("{} has {} entries, expected at most {}", kMergesKey, merges->size(),
                          kMaxMerges));
  }
  slots_.resize(std::bit_ceil(merges->size() + merges->size() / 2 + 1));
  std::array<std::string, kBlock> bytes;
  std::array<Pair, kBlock> block;
  for (std::size_t first = 0; first < merges->size(); first += kBlock) {
    const std::size_t n = std::min(kBlock, merges->size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      const std::string_view text = (*merges)[first + i];
      const std::size_t left_size = split_merge(text, bytes[i]);
      if (left_size == 0) {
        gguf.fail(fmt::format("{}[{}] is \"{}\", expected two texts with a space between",
                              kMergesKey, first + i, printable(text)));
      }
      block[i] = {bytes[i], left_size};
      if (plain_text_) borders_.add(bytes[i], " ");
    }
    add_block(std::span(block).first(n), static_cast<std::uint32_t>(first));
  }
}

// Most of the loading time goes into cache misses in these tables. A block of pairs goes through
// them step by step, so that the misses overlap.
void BpeMerges::add_block(std::span<Pair> block, std::uint32_t first_rank) {
  for (Pair& pair : block) {
    pair.left_hash = TextTable::hash(pair.all.substr(0, pair.left_size));
    pair.right_hash = TextTable::hash(pair.all.substr(pair.left_size));
    pair.merged_hash = TextTable::hash(pair.all);
    for (const auto hash : {pair.left_hash, pair.right_hash, pair.merged_hash}) {
      symbols_.prefetch(hash);
    }
  }
  for (Pair& pair : block) {
    pair.left = symbol_of(pair.all.substr(0, pair.left_size), pair.left_hash);
    pair.right = symbol_of(pair.all.substr(pair.left_size), pair.right_hash);
    __builtin_prefetch(&slots_[home_of(pair.left, pair.right)], 1);
  }
  std::uint32_t rank = first_rank;
  for (const Pair& pair : block) {
    const int merged = symbol_of(pair.all, pair.merged_hash);
    Slot& slot = slots_[slot_of(pair.left, pair.right)];
    // If a pair occurs twice, the first counts.
    if (slot.left < 0) slot = {pair.left, pair.right, rank, merged};
    ++rank;
  }
}

int BpeMerges::symbol_of(std::string_view bytes, std::uint32_t hash) {
  const int known = symbols_.find(bytes, hash);
  if (known >= 0) return known;
  symbols_.insert(bytes, hash, n_symbols_);
  return n_symbols_++;
}

std::size_t BpeMerges::home_of(int left, int right) const noexcept {
  const std::uint64_t key =
      static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  return (key * 0x9E3779B97F4A7C15U >> 32) & (slots_.size() - 1);
}

std::size_t BpeMerges::slot_of(int left, int right) const noexcept {
  std::size_t i = home_of(left, right);
  while (slots_[i].left >= 0 && (slots_[i].left != left || slots_[i].right != right)) {
    i = (i + 1) & (slots_.size() - 1);
  }
  return i;
}

void BpeMerges::start(std::string_view word, MergeScratch& scratch) const {
  auto& symbols = scratch.symbols;
  symbols.clear();
  for (std::size_t begin = 0; begin < word.size();) {
    const int i = static_cast<int>(symbols.size());
    const auto byte = static_cast<unsigned char>(word[begin]);
    int id = byte_symbols_[byte];
    std::size_t size = 1;
    if (plain_text_ && byte >= 0x80) {
      const char* p = word.data() + begin;
      size = read_char(p, word.data() + word.size()).size;
      id = symbols_.find(word.substr(begin, size));
      if (id < 0) id = kNoSymbol;
    }
    symbols.push_back({id, i - 1, i + 1, static_cast<std::uint32_t>(begin), {}});
    begin += size;
  }
  symbols.back().next = -1;
}

void BpeMerges::merge(std::string_view word, MergeScratch& scratch) const {
  start(word, scratch);
  merge_symbols(scratch, [this](const Symbol& left, const Symbol& right) {
    const Slot& slot = slots_[slot_of(left.id, right.id)];
    return slot.left < 0 ? PairMerge() : PairMerge{slot.rank, slot.merged};
  });
}

Token BpeMerges::find_token(std::string_view bytes) const noexcept {
  const int symbol = symbols_.find(bytes);
  return symbol < n_tokens_ ? symbol : -1;
}

namespace {

// Longer words are merged in parts, so that positions in a word fit an int. Real texts have no such
// words.
constexpr std::size_t kMaxWord = std::size_t{1} << 30;

class BpeEncoder final : public FragmentEncoder {
 public:
  BpeEncoder(const Gguf& gguf, const Vocab& vocab, const PreTokenizer& pre)
      : vocab_(vocab), pre_(pre), merges_(gguf, vocab, pre.plain_text) {}

  void encode(std::string_view text, bool /*starts_text*/, std::vector<Token>& out) const override {
    const std::optional<std::string> repaired = repair_utf8(text);
    if (repaired) text = *repaired;
    std::string unescaped;
    if (pre_.plain_text) {  // U+2581 and the space are then equivalent
      append_unescaped(text, unescaped);
      text = unescaped;
    }
    std::vector<std::string_view> words;
    pre_tokenize(pre_, text, words);
    MergeScratch scratch;
    WordCache cache(text.size(), out);
    const auto use = [&](std::string_view word) {
      for (; word.size() > kMaxWord; word.remove_prefix(kMaxWord)) {
        encode_word(word.substr(0, kMaxWord), scratch, out);
      }
      cache.append(word, [&](std::string_view w) { encode_word(w, scratch, out); });
    };
    for (const std::string_view word : words) {
      if (pre_.plain_text) {
        for_each_word(word, merges_.borders(), use);
      } else {
        use(word);
      }
    }
  }

 private:
  void encode_word(std::string_view word, MergeScratch& scratch, std::vector<Token>& out) const {
    if (pre_.ignore_merges || (pre_.gemma4 && word[0] == '\n')) {
      if (const Token token = merges_.find_token(word); token >= 0) {
        out.push_back(token);
        return;
      }
    }
    merges_.merge(word, scratch);
    const auto& symbols = scratch.symbols;
    for (int i = 0; i >= 0;) {
      const auto& symbol = symbols[static_cast<std::size_t>(i)];
      if (symbol.id < vocab_.n_tokens()) {
        out.push_back(symbol.id);
      } else {
        append_bytes_of(word.substr(symbol.begin, scratch.size_of(symbol, word.size())), out);
      }
      i = symbol.next;
    }
  }

  // Handles a symbol that is not a token. Bytes without a token become the unknown token, or are
  // left out if the vocabulary has none.
  void append_bytes_of(std::string_view symbol, std::vector<Token>& out) const {
    for (std::size_t i = 0; i < symbol.size(); ++i) {
      Token token = pre_.plain_text ? -1 : merges_.find_token(symbol.substr(i, 1));
      if (token < 0) token = vocab_.byte_token(static_cast<unsigned char>(symbol[i]));
      if (token < 0) token = vocab_.unk().value_or(-1);
      if (token >= 0) out.push_back(token);
    }
  }

  const Vocab& vocab_;
  const PreTokenizer& pre_;
  BpeMerges merges_;
};

}  // namespace

const PreTokenizer& pre_tokenizer_of(const Gguf& gguf) {
  auto name = gguf.find_string("tokenizer.ggml.pre");
  if (gguf.find_string("tokenizer.ggml.model") == "gemma4") name = "gemma4";
  const PreTokenizer* rule = find_pre_tokenizer(name);
  if (rule == nullptr) {
    gguf.fail(fmt::format("unknown pre-tokenizer \"{}\" (tokenizer.ggml.pre), known: {}",
                          printable(*name), known_pre_tokenizers()));
  }
  return *rule;
}

std::unique_ptr<const FragmentEncoder> make_bpe_encoder(const Gguf& gguf, const Vocab& vocab,
                                                        const PreTokenizer& pre) {
  return std::make_unique<BpeEncoder>(gguf, vocab, pre);
}

}  // namespace confab::engine
