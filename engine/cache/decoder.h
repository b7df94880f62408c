// SPDX-License-Identifier: MIT
// What computes: rows of tokens of several sequences through a model, in one pass. It owns the
// memory of what the sequences remember, and how they are computed; the bits of a sequence's logits
// do not depend on how its tokens are cut into passes, nor on the sequences beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/api/token.h"
#include "engine/cache/block_store.h"
#include "engine/cache/program_run.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

// The tokens that have been run, in their order, and what the decoder remembers of them. The
// decoder must outlive it.
class Sequence {
 public:
  virtual ~Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  std::span<const Token> tokens() const noexcept { return tokens_; }
  int n_tokens() const noexcept { return static_cast<int>(tokens_.size()); }

  // Forgets later tokens. Returns how many of n_left(n) are: where layers are recurrent, those up
  // to the last checkpoint(), unless n are all there are, or the later ones are in flight: of the
  // last run, if that asked for the logits of all its tokens, as many as the decoder was made for.
  int truncate(int n) noexcept;
  // As many of the first n tokens as can go on alone: fewer where layers have a window, and what
  // the next token reads of them is gone. truncate(n) and fork(n) leave no more.
  virtual int n_left(int n) const noexcept = 0;
  // What cannot forget is saved, without what is in flight, to go back to.
  virtual void checkpoint() noexcept = 0;
  // Another sequence that begins with the first n of these tokens, or as truncate() leaves them,
  // and shares what is remembered of them.
  virtual std::unique_ptr<Sequence> fork(int n) const = 0;

  // Blocks of kBlockTokens tokens, as a store keeps them. Whether block i is one of the store's,
  // and whether all of it is there.
  virtual bool is_stored(int i) const noexcept = 0;
  virtual bool is_whole(int i) const noexcept = 0;
  // Block i, which is full and whole, for the store to read. Where it cannot be read any more, this
  // and the next are empty.
  virtual BlockPayload block(int i) const = 0;
  // The first n rows of block i, packed, and the sizes of their parts.
  virtual std::vector<std::byte> packed_rows(int i, int n) const = 0;
  virtual std::vector<std::uint64_t> segments(int n) const = 0;
  // Goes on with `tokens`, the first ones of a stored block, of which the sequence has those
  // before. Returns the bytes that were copied; nullopt when the block is of another size: nothing
  // has changed then. Throws OutOfPages, ModelError.
  std::optional<std::size_t> restore(StoredBlock& stored, std::span<const Token> tokens);

 protected:
  Sequence() = default;
  explicit Sequence(std::span<const Token> tokens) : tokens_(tokens.begin(), tokens.end()) {}
  virtual int truncate_state(int n) noexcept = 0;
  virtual std::optional<std::size_t> restore_state(StoredBlock& stored,
                                                   std::span<const Token> tokens) = 0;

  std::vector<Token> tokens_;
};

enum class LogitsOf { none, last_token, all_tokens };

// Tokens of one sequence, 1 or more, to be run after those that it has.
struct SequenceRun {
  Sequence* sequence;
  std::span<const Token> tokens;
  LogitsOf logits;
  int n_top = 0;  // so many of the best of each row will do, below n_vocab; 0: all are wanted
};

enum class RunEnd {
  done,
  stopped,  // by go_on(): no sequence has changed
  lost,     // memory was lost: sequences may have fewer tokens than before, and no new ones
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual int n_ctx() const noexcept = 0;     // tokens of a sequence, at most
  virtual int n_batch() const noexcept = 0;   // of a pass
  virtual int n_logits() const noexcept = 0;  // rows of logits of a pass
  virtual int n_layer() const noexcept = 0;
  virtual int n_free_pages() const noexcept = 0;  // that no sequence has, of kBlockTokens tokens
  // Equal parts of a pass, after each of which it may end half-way; 1: it cannot, where layers have
  // a state that has moved on by then.
  virtual int n_parts() const noexcept = 0;
  bool can_stop() const noexcept { return n_parts() > 1; }
  // Whether blocks are all that a sequence remembers.
  virtual bool is_made_of_blocks() const noexcept = 0;

  virtual std::unique_ptr<Sequence> make_sequence() = 0;
  // Runs tokens (ids below n_vocab), which then belong to their sequences. Each sequence stands
  // there once. Asks go_on(il) before each layer but the first. Throws OutOfPages when sequences
  // have all pages, and ModelError; no sequence has changed then.
  virtual RunEnd run(std::span<const SequenceRun> runs,
                     kernels::FunctionRef<bool(int il)> go_on) = 0;
  // Runs as run() does, to the end, and tells in their order the programs that a graphics processor
  // ran; none where that was not all that computed.
  virtual RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs);
  // What was asked for of the i-th sequence of the last pass, [n, n_vocab]; borrowed until the
  // next.
  virtual std::span<const float> logits(std::size_t i) const noexcept = 0;
  // Where no sequence of the last pass wanted all, a decoder may have the best alone: then logits()
  // are empty, and this is [n, at least n_top], of each row the best from the best down, of equal
  // ones the lowest id first. What is not finite is -infinity here, and last.
  virtual std::span<const TopLogit> top(std::size_t /*i*/) const noexcept { return {}; }
  // What the output read of the same rows, [n, n_embd].
  virtual std::span<const float> hidden(std::size_t i) const noexcept = 0;
  // Whether the model has a head of its own that guesses the token after the next.
  virtual bool has_head() const noexcept { return false; }
  // By that head: the logits of the token after `token`, which stands n_ahead tokens after those of
  // the sequence, [n_vocab]; what is guessed with n_ahead > 0 goes on from the last call. The
  // sequence is of less than n_ctx - n_ahead tokens, and stays as it is. Borrowed until the next
  // call or run. Memory that is lost makes the guess worthless; run() tells. Throws OutOfPages,
  // ModelError.
  virtual std::span<const float> guess(Sequence& /*sequence*/, Token /*token*/, int /*n_ahead*/) {
    return {};
  }
  // Gives back the memory that no sequence needs between two passes; logits() and hidden() are
  // gone. Throws ModelError.
  virtual void give_back() = 0;
  // Takes again what has to be copied before there is a sequence, as make_sequence() does, and
  // tells how many bytes are there, of how many about. What `progress` throws ends it, and goes on
  // to who calls. Throws ModelError.
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;
  virtual void bring_back(const Progress& /*progress*/) {}
  // A block of block() has been written: its copy may take the place of its memory. Throws
  // ModelError.
  virtual void replace(const WrittenBlock& written) = 0;
};

}  // namespace confab::engine
