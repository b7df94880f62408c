// SPDX-License-Identifier: MIT
// Drafts for one answer: the next tokens as looked up in its context, or as guessed by a small
// model or by the model's own head, and how many of them are worth a pass. The model checks each
// token before it is accepted, so drafts never change an answer.
#pragma once

#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <span>
#include <stop_token>

#include "engine/api/token.h"
#include "engine/cache/prefix_cache.h"
#include "engine/run/draft_length.h"
#include "engine/run/lookup.h"
#include "kernels/thread_pool.h"

namespace confab::engine {

class DraftModel;
class LikelyToken;

// How much of a text a draft model may read now. A prompt is long and a short answer has few
// drafts, so reading that never pays off must stay a small part of the time. It has no clock:
// everything follows from the recorded times.
//
// Bound: all reading takes at most this share of the elapsed time, plus the first kFirst tokens,
// which show how fast reading is.
class ReadingShare {
 public:
  static constexpr double kShare = 1.0 / 64;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  static constexpr int kFirst = 16;
  // Fewer tokens than this are read together with the last token of the text, at no extra cost.
  static constexpr int kFree = 16;

  explicit ReadingShare(double share = kShare) noexcept : share_(share) {}

  // Adds elapsed time: the time of answers and all that belongs to them.
  void passed(std::chrono::duration<double> time) noexcept { passed_ += time.count(); }
  // How many of n tokens may be read now. Returns 0 rather than a few.
  int allowed(int n) const noexcept;
  // The time that reading n tokens took.
  void record(int n, std::chrono::duration<double> time) noexcept;

 private:
  double share_;
  double passed_ = 0;  // seconds
  double spent_ = 0;   // how much of it went into reading
  double by_token_ = 0;
};

enum class DraftSource { none, lookup, model, head };

// The count for this source, out of statistics with a count for each.
template <class Stats>
auto& count_of(Stats& stats, DraftSource source) noexcept {
  if (source == DraftSource::model) return stats.by_model;
  return source == DraftSource::head ? stats.by_heads : stats.by_lookup;
}

// Where drafts come from, and what has been learnt about these sources. Shared by all answers of a
// model, of which one drafts at a time.
struct DraftSources {
  using Clock = std::chrono::steady_clock;

  bool lookup = true;
  bool paused = false;  // makes no drafts
  // At most one of these is set; it must outlive all that use this.
  DraftModel* model = nullptr;
  LikelyToken* head = nullptr;          // picks tokens from the guesses of the model's own head
  int model_most = DraftLength::kMost;  // longest draft of either
  ReadingShare reading = ReadingShare();
  DraftLength lookup_length = {};
  DraftLength model_length = {};
  Clock::time_point (*now)() noexcept = &Clock::now;  // the clock for passes and drafts
};

class Drafting {
 public:
  using Clock = DraftSources::Clock;
  // Asks the model's own head for a guess: the logits of the token after `token`, which comes
  // n_ahead tokens after the last one that was run. Empty if there are no more guesses.
  using Guess = kernels::FunctionRef<std::span<const float>(Token token, int n_ahead)>;

  // For contexts of up to n_ctx tokens, plus one that no longer fits in the cache. `sources` must
  // outlive the object.
  Drafting(int n_ctx, DraftSources& sources);
  // The same with its own sources: look-up or none.
  Drafting(int n_ctx, bool lookup);

  // An answer begins after these tokens.
  void begin(std::span<const Token> context, SequenceUse use = {});
  // The answer has ended. The draft model keeps what it has read of it.
  void end() noexcept;
  // Appends a token to the context.
  void add(Token token);
  // Guesses the next tokens: at most `most`, borrowed until the next call. Empty if there is no
  // guess or it does not pay off. `stop` ends slow work. `guess` is called if DraftSources::head is
  // set.
  std::span<const Token> propose(int most, const std::stop_token& stop = {},
                                 const Guess* guess = nullptr);
  // The clock for the times passed to record().
  Clock::time_point now() const noexcept { return sources_.now(); }
  // Where the last draft came from.
  DraftSource source() const noexcept { return source_; }
  // A pass of the last token and the draft after it took so long, including propose(). The first
  // n_taken tokens of the draft were right.
  void record(int n_drafted, int n_taken, std::chrono::duration<double> time);

 private:
  // A single token that occurred before says too little.
  static constexpr int kMinMatch = 2;

  Drafting(int n_ctx, std::unique_ptr<DraftSources> own);
  bool is_on() const noexcept { return sources_.lookup || has_guesses(); }
  bool has_guesses() const noexcept {
    return sources_.model != nullptr || sources_.head != nullptr;
  }
  DraftLength::Choice choose_lookup(int most) const;
  std::span<const Token> look_up(int n);
  std::span<const Token> ask(int n, const std::stop_token& stop, const Guess* guess);
  std::span<const Token> ask_head(int n, const Guess& guess);
  bool catch_up(const std::stop_token& stop);

  std::unique_ptr<DraftSources> own_;
  DraftSources& sources_;
  Lookup lookup_;
  std::array<Token, DraftLength::kMost> draft_{};
  SequenceUse use_ = {};
  bool model_begun_ = false;  // it knows what it had read of this answer before
  // State of the last propose().
  DraftSource source_ = DraftSource::none;
  int match_ = 0;         // how many tokens matched before the draft
  bool in_vain_ = false;  // the model or the head was asked but had no guess
  std::chrono::duration<double> reading_{0};
  Clock::time_point last_ = {};  // time of the last begin() or propose()
};

}  // namespace confab::engine
