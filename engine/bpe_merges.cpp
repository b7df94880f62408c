// SPDX-License-Identifier: MIT
#include "engine/bpe_merges.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

#include "engine/byte_unicode.h"
#include "engine/error.h"
#include "engine/gguf.h"

namespace confab::engine {
namespace {

constexpr const char* kMergesKey = "tokenizer.ggml.merges";

// Of a heap with the lowest rank, then the leftmost, on top.
bool comes_later(const BpeMerges::Candidate& a, const BpeMerges::Candidate& b) {
  return a.rank > b.rank || (a.rank == b.rank && a.left > b.left);
}

}  // namespace

BpeMerges::BpeMerges(const Gguf& gguf, const Vocab& vocab)
    : n_tokens_(vocab.n_tokens()),
      n_symbols_(n_tokens_),
      symbols_(static_cast<std::size_t>(n_tokens_)) {
  read_tokens(gguf, vocab);
  read_merges(gguf);
}

void BpeMerges::read_tokens(const Gguf& gguf, const Vocab& vocab) {
  const auto& texts = *gguf.find_array<std::string_view>("tokenizer.ggml.tokens");
  std::string bytes;
  for (Token token = 0; token < n_tokens_; ++token) {
    // User-defined tokens are written as they are, not in the byte alphabet.
    if (!vocab.is_mergeable(token) || vocab.type(token) == TokenType::user_defined) continue;
    bytes.clear();
    if (!append_bytes(texts[static_cast<std::size_t>(token)], bytes)) continue;
    if (!bytes.empty()) symbols_.insert(bytes, token);
  }
  for (std::size_t byte = 0; byte < byte_symbols_.size(); ++byte) {
    const char c = static_cast<char>(byte);
    byte_symbols_[byte] = symbol_of({&c, 1});
  }
}

void BpeMerges::read_merges(const Gguf& gguf) {
  const auto* merges = gguf.find_array<std::string_view>(kMergesKey);
  if (merges == nullptr)
    gguf.fail(fmt::format("{} is missing, a gpt2 tokenizer needs it", kMergesKey));
  slots_.resize(std::bit_ceil(merges->size() + merges->size() / 2 + 1));
  std::string bytes;
  for (std::size_t i = 0; i < merges->size(); ++i) {
    const std::string_view pair = (*merges)[i];
    // A space inside a part is written "Ġ"; the search starts at 1 as llama.cpp's does.
    const std::size_t space = pair.find(' ', 1);
    bytes.clear();
    const bool left_ok = space != pair.npos && append_bytes(pair.substr(0, space), bytes);
    const std::size_t left_size = bytes.size();
    if (!left_ok || !append_bytes(pair.substr(space + 1), bytes) || bytes.size() == left_size) {
      gguf.fail(fmt::format("{}[{}] is \"{}\", expected two texts with a space between", kMergesKey,
                            i, printable(pair)));
    }
    const std::string_view all = bytes;
    const int left = symbol_of(all.substr(0, left_size));
    const int right = symbol_of(all.substr(left_size));
    add(left, right, static_cast<std::uint32_t>(i), symbol_of(all));
  }
}

int BpeMerges::symbol_of(std::string_view bytes) {
  const int known = symbols_.find(bytes);
  if (known >= 0) return known;
  symbols_.insert(bytes, n_symbols_);
  return n_symbols_++;
}

std::size_t BpeMerges::slot_of(int left, int right) const noexcept {
  const std::uint64_t key =
      static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  const std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = (hash >> 32) & mask;
  while (slots_[i].left >= 0 && (slots_[i].left != left || slots_[i].right != right)) {
    i = (i + 1) & mask;
  }
  return i;
}

void BpeMerges::add(int left, int right, std::uint32_t rank, int merged) {
  Slot& slot = slots_[slot_of(left, right)];
  if (slot.left < 0) slot = {left, right, rank, merged};  // of a pair given twice the first counts
}

void BpeMerges::push(int left, Scratch& scratch) const {
  const Symbol& a = scratch.symbols[static_cast<std::size_t>(left)];
  if (a.next < 0) return;
  const int right_id = scratch.symbols[static_cast<std::size_t>(a.next)].id;
  const Slot& slot = slots_[slot_of(a.id, right_id)];
  if (slot.left < 0) return;
  scratch.heap.push_back({slot.rank, left, a.id, right_id});
  std::push_heap(scratch.heap.begin(), scratch.heap.end(), comes_later);
}

void BpeMerges::merge(std::string_view word, Scratch& scratch) const {
  auto& [symbols, heap] = scratch;
  symbols.clear();
  const int n = static_cast<int>(word.size());
  for (int i = 0; i < n; ++i) {
    const auto byte = static_cast<unsigned char>(word[static_cast<std::size_t>(i)]);
    symbols.push_back(
        {byte_symbols_[byte], i - 1, i + 1 < n ? i + 1 : -1, static_cast<std::uint32_t>(i)});
  }
  for (int i = 0; i < n; ++i) push(i, scratch);

  while (!heap.empty()) {
    const Candidate candidate = heap.front();
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    heap.pop_back();
    Symbol& left = symbols[static_cast<std::size_t>(candidate.left)];
    if (left.id != candidate.left_id || left.next < 0) continue;  // merged since
    Symbol& right = symbols[static_cast<std::size_t>(left.next)];
    if (right.id != candidate.right_id) continue;
    left.id = slots_[slot_of(left.id, right.id)].merged;
    left.next = right.next;
    right.id = -1;
    if (left.next >= 0) symbols[static_cast<std::size_t>(left.next)].prev = candidate.left;
    if (left.prev >= 0) push(left.prev, scratch);
    push(candidate.left, scratch);
  }
}

Token BpeMerges::find_token(std::string_view bytes) const noexcept {
  const int symbol = symbols_.find(bytes);
  return symbol < n_tokens_ ? symbol : -1;
}

}  // namespace confab::engine
