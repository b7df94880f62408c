// SPDX-License-Identifier: MIT
// A block store that keeps everything in memory, for tests. Full blocks are files without a name,
// so that they can be mapped, and truncated.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/cache/block_store.h"
#include "engine/cache/kv_cache.h"

namespace confab::engine {

// A file that is gone when it is closed.
class NamelessFile {
 public:
  explicit NamelessFile(std::span<const std::byte> bytes) : n_bytes_(bytes.size()) {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder != nullptr ? folder : "/tmp") + "/blockXXXXXX";
    fd_ = ::mkstemp(name.data());
    ::unlink(name.c_str());
    if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~NamelessFile() { ::close(fd_); }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  std::span<const std::byte> map() const {
    void* mapping = ::mmap(nullptr, n_bytes_, PROT_READ, MAP_PRIVATE, fd_, 0);
    if (mapping == MAP_FAILED) std::abort();
    return {static_cast<const std::byte*>(mapping), n_bytes_};
  }
  void truncate() const {
    if (::ftruncate(fd_, 0) != 0) std::abort();
  }

 private:
  std::size_t n_bytes_;
  int fd_;
};

// Such a file as a stored block.
class NamelessBlock : public StoredBlock {
 public:
  NamelessBlock(const NamelessFile& file, int n_stored, int n_tokens)
      : mapping_(file.map()), n_stored_(n_stored), n_tokens_(n_tokens) {}
  ~NamelessBlock() override {
    if (!mapping_.empty()) ::munmap(const_cast<std::byte*>(mapping_.data()), mapping_.size());
  }
  NamelessBlock(const NamelessBlock&) = delete;
  NamelessBlock& operator=(const NamelessBlock&) = delete;
  std::span<const std::byte> payload() const noexcept override { return mapping_; }
  int n_stored() const noexcept override { return n_stored_; }
  int n_tokens() const noexcept override { return n_tokens_; }
  bool move_to(std::byte* address) noexcept override {
#ifdef MREMAP_FIXED
    void* from = const_cast<std::byte*>(mapping_.data());
    if (::mremap(from, mapping_.size(), mapping_.size(), MREMAP_MAYMOVE | MREMAP_FIXED, address) ==
        MAP_FAILED) {
      return false;
    }
    mapping_ = {};
    return true;
#else
    static_cast<void>(address);
    return false;
#endif
  }

 private:
  std::span<const std::byte> mapping_;
  int n_stored_;
  int n_tokens_;
};

// A block that cannot be mapped, on a system that has no memory from then on until it is gone.
class HoleBlock : public StoredBlock {
 public:
  explicit HoleBlock(std::span<const std::byte> payload) : payload_(payload) {
    ::getrlimit(RLIMIT_AS, &before_);
  }
  ~HoleBlock() override { ::setrlimit(RLIMIT_AS, &before_); }
  HoleBlock(const HoleBlock&) = delete;
  HoleBlock& operator=(const HoleBlock&) = delete;
  std::span<const std::byte> payload() const noexcept override { return payload_; }
  int n_stored() const noexcept override { return kBlockTokens; }
  int n_tokens() const noexcept override { return kBlockTokens; }
  bool move_to(std::byte* address) noexcept override {
    grow_stack();
    ::munmap(address, payload_.size());
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_AS, &none);
    return false;
  }

 private:
  // The stack gets no memory either.
  static void grow_stack() noexcept {
    std::array<volatile char, 256 * 1024> deep;
    for (std::size_t i = 0; i < deep.size(); i += 1024) deep[i] = 0;
  }

  std::span<const std::byte> payload_;
  rlimit before_{};
};

// The first n rows of a block of which all bytes are given.
inline void restore_whole_block(KvCache& cache, int i, std::span<const std::byte> payload, int n) {
  const NamelessFile file(payload);
  NamelessBlock block(file, kBlockTokens, n);
  cache.restore_block(i, block, n);
}

class MemoryBlockStore : public BlockStore {
 public:
  struct Block {
    std::string fingerprint;
    std::vector<Token> tokens;  // from the first of all to the block's last
    std::vector<std::byte> payload;
    std::vector<std::uint64_t> segments;
    std::shared_ptr<const NamelessFile> file;  // of a full one
  };

  std::vector<std::unique_ptr<StoredBlock>> find(std::string_view fingerprint,
                                                 std::span<const Token> tokens) override {
    ++n_finds;
    std::vector<std::unique_ptr<StoredBlock>> found;
    for (;;) {
      const std::size_t begin = found.size() * kBlockTokens;
      const Block* best = nullptr;
      std::size_t best_n = 0;
      for (const Block& block : blocks) {
        if (block.fingerprint != fingerprint || block.tokens.size() <= begin ||
            block.tokens.size() > begin + kBlockTokens)
          continue;
        const std::size_t n = common(block.tokens, tokens);
        if (n > begin && n - begin > best_n) {
          best = &block;
          best_n = n - begin;
        }
      }
      if (best == nullptr) return found;
      found.push_back(open(*best, static_cast<int>(best_n)));
      if (best_n < kBlockTokens) return found;
    }
  }

  void keep_block(std::string_view fingerprint, std::span<const Token> tokens,
                  const BlockPayload& payload) override {
    add(fingerprint, tokens, payload.bytes, payload.segments);
    blocks.back().file = std::make_shared<const NamelessFile>(payload.bytes);
    if (!gives_back) return;
    written.push_back({payload.owner, open(blocks.back(), kBlockTokens)});
  }
  void keep_tail(std::string_view fingerprint, std::span<const Token> tokens,
                 std::vector<std::byte> bytes, std::vector<std::uint64_t> segments) override {
    add(fingerprint, tokens, bytes, segments);
  }
  std::vector<WrittenBlock> take_written() override { return std::exchange(written, {}); }
  bool release() override { return !std::exchange(written, {}).empty(); }
  void settle() override {}
  void discard(std::string_view fingerprint, std::span<const Token> tokens) override {
    std::erase_if(blocks, [&](const Block& block) {
      return block.fingerprint == fingerprint && common(block.tokens, tokens) > 0;
    });
  }
  void set_origin(std::int64_t given) override { origin = given; }
  void record(const BlockUse& use) override { uses.push_back(use); }
  std::optional<std::string> recall(const std::string& name) override {
    const auto it = facts.find(name);
    return it == facts.end() ? std::nullopt : std::optional(it->second);
  }
  void remember(const std::string& name, const std::string& value) override { facts[name] = value; }

  std::vector<Block> blocks;
  std::vector<WrittenBlock> written;
  std::vector<BlockUse> uses;
  std::int64_t origin = 0;
  std::map<std::string, std::string> facts;
  bool gives_back = true;
  int n_finds = 0;

 private:
  class Copied : public StoredBlock {
   public:
    Copied(const Block& block, int n_stored, int n)
        : payload_(block.payload), n_stored_(n_stored), n_tokens_(n) {}
    std::span<const std::byte> payload() const noexcept override { return payload_; }
    int n_stored() const noexcept override { return n_stored_; }
    int n_tokens() const noexcept override { return n_tokens_; }
    bool move_to(std::byte*) noexcept override { return false; }

   private:
    std::vector<std::byte> payload_;
    int n_stored_;
    int n_tokens_;
  };

  static std::unique_ptr<StoredBlock> open(const Block& block, int n) {
    const int n_stored = static_cast<int>((block.tokens.size() - 1) % kBlockTokens) + 1;
    if (block.file) return std::make_unique<NamelessBlock>(*block.file, n_stored, n);
    return std::make_unique<Copied>(block, n_stored, n);
  }

  void add(std::string_view fingerprint, std::span<const Token> tokens,
           std::span<const std::byte> bytes, std::span<const std::uint64_t> segments) {
    blocks.push_back({std::string(fingerprint),
                      {tokens.begin(), tokens.end()},
                      {bytes.begin(), bytes.end()},
                      {segments.begin(), segments.end()},
                      nullptr});
  }

  static std::size_t common(std::span<const Token> a, std::span<const Token> b) {
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n]) ++n;
    return n;
  }
};

}  // namespace confab::engine
