// SPDX-License-Identifier: MIT
// A KvStore in a directory of its own, with small blocks whose payloads are told by their tokens.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sessions/blocks/kv_store.h"
#include "tests/sessions/processes.h"

namespace confab::sessions {

using Ids = std::vector<std::int32_t>;

inline constexpr int kTestBlock = 64;  // tokens
inline constexpr std::size_t kTestSegment = 256 * 1024;
inline constexpr std::size_t kTestPayload = 600 * 1024 + 3;  // two full segments and a part

// Ids first, first + 1, ...; chains that differ in `first` share nothing.
inline Ids ids(int n, int first = 0) {
  Ids out(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = first + i;
  return out;
}

// Different for all token sequences, so that a wrong block cannot look right.
inline std::vector<std::byte> payload_of(const Ids& tokens, std::size_t n = kTestPayload) {
  std::seed_seq seed(tokens.begin(), tokens.end());
  std::mt19937_64 rng(seed);
  std::vector<std::byte> out(n);
  for (std::size_t i = 0; i < n; i += 8) {
    const std::uint64_t word = rng();
    std::memcpy(out.data() + i, &word, std::min<std::size_t>(8, n - i));
  }
  return out;
}

inline std::vector<std::uint64_t> segments_of(std::size_t n) {
  std::vector<std::uint64_t> segments;
  for (; n > 0; n -= segments.back()) segments.push_back(std::min(n, kTestSegment));
  return segments;
}

// Keeps the last block of the tokens, full or not. The payload of a full one is borrowed from
// `held`, which must outlive the writing.
inline void keep_one(KvStore& store, const std::string& fingerprint, const Ids& tokens,
                     std::vector<std::byte> payload, std::deque<std::vector<std::byte>>& held) {
  const auto segments = segments_of(payload.size());
  if (tokens.size() % kTestBlock != 0) {
    return store.keep_tail(fingerprint, tokens, std::move(payload), segments);
  }
  held.push_back(std::move(payload));
  store.keep_block(fingerprint, tokens, {held.back(), segments});
}

class KvFixture : public testing::Test {
 protected:
  KvFixture() { open(); }

  void open() {
    store.reset();
    store = std::make_unique<KvStore>(options());
  }
  KvStoreOptions options() const {
    return {.directory = dir / "kv",
            .block_tokens = kTestBlock,
            .max_bytes = max_bytes,
            .min_free_bytes = 0};
  }
  void flush() { ASSERT_TRUE(store->flush(std::chrono::seconds(30))); }
  // Keeps all blocks of the tokens, as an engine does while it computes them.
  void keep(const Ids& tokens, const std::string& fingerprint = "fp") {
    for (std::size_t n = kTestBlock; n < tokens.size() + kTestBlock; n += kTestBlock) {
      const Ids prefix(tokens.begin(), tokens.begin() + std::min(n, tokens.size()));
      keep_last(prefix, payload_of(prefix), fingerprint);
    }
    flush();
  }
  void keep_last(const Ids& tokens, std::vector<std::byte> payload,
                 const std::string& fingerprint = "fp") {
    keep_one(*store, fingerprint, tokens, std::move(payload), held);
  }
  // How many tokens the blocks stand for; their payloads must be those kept for `stored`.
  static int n_found_in(const std::vector<KvBlock>& blocks, const Ids& stored) {
    int n = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto end = std::min((i + 1) * kTestBlock, stored.size());
      const auto want = payload_of(Ids(stored.begin(), stored.begin() + end));
      EXPECT_TRUE(std::ranges::equal(blocks[i].payload(), want)) << "block " << i;
      n += blocks[i].n_tokens();
    }
    return n;
  }
  int n_found(const Ids& tokens, const Ids& stored, const std::string& fingerprint = "fp") {
    return n_found_in(store->find(fingerprint, tokens), stored);
  }
  int n_found(const Ids& tokens) { return n_found(tokens, tokens); }

  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> out;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(dir / "kv")) {
      const auto suffix = entry.path().extension();
      if (suffix == ".kvb" || suffix == ".kvt") out.push_back(entry.path());
    }
    return out;
  }

  TempDir dir;
  std::optional<std::uint64_t> max_bytes = std::uint64_t{1} << 30;
  std::deque<std::vector<std::byte>> held;
  std::unique_ptr<KvStore> store;  // destroyed before what it borrows
};

}  // namespace confab::sessions
