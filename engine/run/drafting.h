// SPDX-License-Identifier: MIT
// Drafts for one answer: what its next tokens may be, looked up in its context, guessed by a small
// model or by a head of the model's own, and how many of them are worth a pass. The model checks
// each before it is taken, so that answers stay as they are, to the token.
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

// How much of a text a draft model may read now, so that what it never pays back stays a small part
// of the time: a prompt is long, and drafts for a short answer to it are few. Follows from what it
// is told alone: it has no clock.
//
// Bound: all reading takes at most this share of the time that has passed, and the first part of
// kFirst tokens, from which its speed is learnt.
class ReadingShare {
 public:
  static constexpr double kShare = 1.0 / 64;
  static constexpr double kUnlimited = std::numeric_limits<double>::infinity();
  static constexpr int kFirst = 16;
  // Fewer tokens than this are read together with the text's last one, at no cost of their own.
  static constexpr int kFree = 16;

  explicit ReadingShare(double share = kShare) noexcept : share_(share) {}

  // So much time has passed, of answers and all that belongs to them.
  void passed(std::chrono::duration<double> time) noexcept { passed_ += time.count(); }
  // How many of n tokens may be read now; none rather than a few.
  int allowed(int n) const noexcept;
  // Reading n tokens took so long.
  void record(int n, std::chrono::duration<double> time) noexcept;

 private:
  double share_;
  double passed_ = 0;  // seconds
  double spent_ = 0;   // of these, reading
  double by_token_ = 0;
};

enum class DraftSource { none, lookup, model, head };

// Of statistics that have a count for each source, that one.
template <class Stats>
auto& count_of(Stats& stats, DraftSource source) noexcept {
  if (source == DraftSource::model) return stats.by_model;
  return source == DraftSource::head ? stats.by_heads : stats.by_lookup;
}

// Where drafts come from, and what has been learnt of that; of all answers of a model, of which one
// at a time drafts.
struct DraftSources {
  using Clock = std::chrono::steady_clock;

  bool lookup = true;
  bool paused = false;  // none are made
  // One of these or none; must outlive all that use this.
  DraftModel* model = nullptr;
  LikelyToken* head = nullptr;          // chooses from what the model's own head guesses
  int model_most = DraftLength::kMost;  // tokens of a draft of either
  ReadingShare reading = ReadingShare();
  DraftLength lookup_length = {};
  DraftLength model_length = {};
  Clock::time_point (*now)() noexcept = &Clock::now;  // times passes and drafts
};

class Drafting {
 public:
  using Clock = DraftSources::Clock;
  // What the model's own head guesses: the logits of the token after `token`, which stands n_ahead
  // tokens after those that were run; empty: nothing more.
  using Guess = kernels::FunctionRef<std::span<const float>(Token token, int n_ahead)>;

  // Contexts of up to n_ctx tokens, and one that is not in the cache any more. `sources` must
  // outlive the object.
  Drafting(int n_ctx, DraftSources& sources);
  // The same with sources of its own: look-up, or none.
  Drafting(int n_ctx, bool lookup);

  // An answer begins, after these tokens.
  void begin(std::span<const Token> context, SequenceUse use = {});
  // It has ended. What the model has read of it is kept.
  void end() noexcept;
  // The context goes on by a token.
  void add(Token token);
  // What may follow: at most `most` tokens, borrowed until the next call; none where nothing is
  // known, or it does not pay. `stop` ends what takes its time; `guess` is asked where
  // DraftSources::head is there.
  std::span<const Token> propose(int most, const std::stop_token& stop = {},
                                 const Guess* guess = nullptr);
  // What record() is told is timed by this.
  Clock::time_point now() const noexcept { return sources_.now(); }
  // Where they are from.
  DraftSource source() const noexcept { return source_; }
  // A pass of the last token and the draft after it took so long, with propose(), and the first
  // n_taken of the draft were right.
  void record(int n_drafted, int n_taken, std::chrono::duration<double> time);

 private:
  // A single token that has been there before says too little.
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
  bool model_begun_ = false;  // of this answer, it knows what it has read before
  // Of the last propose().
  DraftSource source_ = DraftSource::none;
  int match_ = 0;         // how many tokens matched before it
  bool in_vain_ = false;  // the model or the head was asked and had nothing to say
  std::chrono::duration<double> reading_{0};
  Clock::time_point last_ = {};  // begin() or propose()
};

}  // namespace confab::engine
