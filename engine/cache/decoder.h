// SPDX-License-Identifier: MIT
// Runs tokens of several sequences through a model in one pass. The decoder owns the memory of what
// the sequences remember and decides how to compute. The bits of a sequence's logits depend neither
// on how its tokens are cut into passes nor on the other sequences.
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

// The tokens that have been run, in order, and what the decoder remembers of them. The decoder must
// outlive it.
class Sequence {
 public:
  virtual ~Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  std::span<const Token> tokens() const noexcept { return tokens_; }
  int n_tokens() const noexcept { return static_cast<int>(tokens_.size()); }

  // Forgets the tokens after the first n_left(n). Returns how many remain. With recurrent layers
  // these may be fewer: it goes back to the last checkpoint(), unless all tokens remain or the
  // forgotten ones are in flight. Tokens are in flight if the last run asked for the logits of all
  // its tokens, up to the number that the decoder was made for.
  int truncate(int n) noexcept;
  // How many of the first n tokens can be continued from. Fewer than n if windowed layers have
  // dropped rows that the next token would read. truncate(n) and fork(n) leave no more than this.
  virtual int n_left(int n) const noexcept = 0;
  // Saves the state that cannot be rolled back (without what is in flight), so that truncate() can
  // return to it.
  virtual void checkpoint() noexcept = 0;
  // Makes another sequence that begins with the first n of these tokens, or as many as truncate(n)
  // would leave, and shares what is remembered of them.
  virtual std::unique_ptr<Sequence> fork(int n) const = 0;

  // Blocks of kBlockTokens tokens, as a store keeps them. is_stored(): block i is mapped from the
  // store. is_whole(): all of its rows are present.
  virtual bool is_stored(int i) const noexcept = 0;
  virtual bool is_whole(int i) const noexcept = 0;
  // Block i, for the store to read. It must be full and whole. If it can no longer be read, this
  // and packed_rows() return nothing.
  virtual BlockPayload block(int i) const = 0;
  // The first n rows of block i, packed, and the sizes of their parts.
  virtual std::vector<std::byte> packed_rows(int i, int n) const = 0;
  virtual std::vector<std::uint64_t> segments(int n) const = 0;
  // Continues with `tokens`, the first ones of a stored block; the sequence must have all tokens
  // before them. Returns the bytes copied. Returns nullopt, and changes nothing, if the block has a
  // different size. Throws OutOfPages and ModelError.
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

// One or more tokens of a sequence, to be run after those it has.
struct SequenceRun {
  Sequence* sequence;
  std::span<const Token> tokens;
  LogitsOf logits;
  // If > 0, this many of the best logits of each row are enough (must be below n_vocab). 0: all are
  // wanted.
  int n_top = 0;
};

enum class RunEnd {
  done,
  stopped,  // go_on() returned false; no sequence has changed
  // Memory was lost. Sequences may have fewer tokens than before, and have no new ones.
  lost,
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual int n_ctx() const noexcept = 0;     // most tokens of a sequence
  virtual int n_batch() const noexcept = 0;   // most tokens of a pass
  virtual int n_logits() const noexcept = 0;  // most rows of logits of a pass
  virtual int n_layer() const noexcept = 0;
  virtual int n_free_pages() const noexcept = 0;  // pages of kBlockTokens tokens not in use
  // A pass may stop after each of so many equal parts. 1: it cannot stop, because recurrent layers
  // would already have moved on.
  virtual int n_parts() const noexcept = 0;
  bool can_stop() const noexcept { return n_parts() > 1; }
  // Whether a sequence consists of blocks alone.
  virtual bool is_made_of_blocks() const noexcept = 0;

  virtual std::unique_ptr<Sequence> make_sequence() = 0;
  // Runs tokens (ids below n_vocab), which then belong to their sequences. Each sequence may occur
  // once. Calls go_on(il) before each layer except the first. Throws OutOfPages if sequences hold
  // all pages, and ModelError; then no sequence has changed.
  virtual RunEnd run(std::span<const SequenceRun> runs,
                     kernels::FunctionRef<bool(int il)> go_on) = 0;
  // Like run(), always to the end. Lists the programs that a graphics processor ran, in order;
  // empty if it did not compute everything.
  virtual RunEnd trace(std::span<const SequenceRun> runs, std::vector<ProgramRun>& programs);
  // The requested logits of the i-th sequence of the last pass, [n, n_vocab]. Borrowed until the
  // next pass.
  virtual std::span<const float> logits(std::size_t i) const noexcept = 0;
  // If no sequence of the last pass wanted all logits, a decoder may return only the best. Then
  // logits() is empty, and this is [n, at least n_top]: the best of each row in descending order,
  // equal ones by ascending id. Logits that are not finite appear as -infinity, at the end.
  virtual std::span<const TopLogit> top(std::size_t /*i*/) const noexcept { return {}; }
  // The inputs of the output layer for the same rows, [n, n_embd].
  virtual std::span<const float> hidden(std::size_t i) const noexcept = 0;
  // Whether the model has its own head that guesses the token after the next.
  virtual bool has_head() const noexcept { return false; }
  // That head's guess: the logits [n_vocab] of the token after `token`, which comes n_ahead tokens
  // after those of the sequence. A guess with n_ahead > 0 continues from the previous call. The
  // sequence must have fewer than n_ctx - n_ahead tokens, and does not change. Borrowed until the
  // next call or run. If memory is lost, the guess is worthless and the next run() reports it.
  // Throws OutOfPages and ModelError.
  virtual std::span<const float> guess(Sequence& /*sequence*/, Token /*token*/, int /*n_ahead*/) {
    return {};
  }
  // Gives back memory that no sequence needs between passes. Afterwards logits() and hidden() are
  // invalid. Throws ModelError.
  virtual void give_back() = 0;
  // Restores what must be copied before there can be a sequence; make_sequence() does so as well.
  // Reports the bytes that are there, and approximately how many there will be. An exception from
  // `progress` ends the copy and reaches the caller. Throws ModelError.
  using Progress = std::function<void(std::uint64_t, std::uint64_t)>;
  virtual void bring_back(const Progress& /*progress*/) {}
  // A block returned by block() has been written, and its stored copy may replace its memory.
  // Throws ModelError.
  virtual void replace(const WrittenBlock& written) = 0;
};

}  // namespace confab::engine
