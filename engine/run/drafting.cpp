// SPDX-License-Identifier: MIT
#include "engine/run/drafting.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/run/draft_model.h"

namespace confab::engine {

Drafting::Drafting(int n_ctx, DraftSources& sources)
    : sources_(sources), lookup_(is_on() ? n_ctx + 1 : 0) {}

Drafting::Drafting(int n_ctx, bool lookup)
    : Drafting(n_ctx, std::make_unique<DraftSources>(DraftSources{.lookup = lookup})) {}

Drafting::Drafting(int n_ctx, std::unique_ptr<DraftSources> own)
    : own_(std::move(own)), sources_(*own_), lookup_(is_on() ? n_ctx + 1 : 0) {}

void Drafting::begin(std::span<const Token> context, SequenceUse use) {
  if (!is_on()) return;
  end();
  use_ = use;
  lookup_.reset(context);
  sources_.lookup_length.restart();
  sources_.model_length.restart();
  last_ = now();
}

void Drafting::end() noexcept {
  if (std::exchange(model_begun_, false)) sources_.model->end();
}

void Drafting::add(Token token) {
  if (is_on()) lookup_.add(token);
}

// Asks the source with the higher expected speed first.
std::span<const Token> Drafting::propose(int most, const std::stop_token& stop,
                                         const Guess* guess) {
  source_ = DraftSource::none;
  match_ = lookup_.match_length();
  in_vain_ = false;
  reading_ = {};
  if (!is_on() || sources_.paused || most <= 0) return {};
  const DraftLength::Choice found = choose_lookup(most);
  if (has_guesses()) {
    const auto wanted = sources_.model_length.choose(std::min(most, sources_.model_most));
    if (wanted.length > 0 && (found.length == 0 || wanted.speed > found.speed)) {
      const std::span<const Token> draft = ask(wanted.length, stop, guess);
      if (!draft.empty() || in_vain_) return draft;
    }
  }
  return look_up(found.length);
}

DraftLength::Choice Drafting::choose_lookup(int most) const {
  if (!sources_.lookup || match_ < kMinMatch) return {};
  return sources_.lookup_length.choose(most, match_);
}

std::span<const Token> Drafting::look_up(int n) {
  const std::span<Token> draft = std::span(draft_).first(static_cast<std::size_t>(n));
  if (draft.empty() || !lookup_.propose(draft, kMinMatch)) return {};
  source_ = DraftSource::lookup;
  return draft;
}

std::span<const Token> Drafting::ask(int n, const std::stop_token& stop, const Guess* guess) {
  std::span<const Token> draft;
  if (sources_.model != nullptr) {
    if (!catch_up(stop)) return {};
    draft = sources_.model->propose(lookup_.tokens(), n, stop);
  } else if (guess != nullptr) {
    draft = ask_head(n, *guess);
  }
  in_vain_ = draft.empty();
  if (!in_vain_) source_ = sources_.model != nullptr ? DraftSource::model : DraftSource::head;
  return draft;
}

std::span<const Token> Drafting::ask_head(int n, const Guess& guess) {
  int n_drafted = 0;
  for (Token last = lookup_.tokens().back(); n_drafted < n; ++n_drafted) {
    const auto token = sources_.head->next(guess(last, n_drafted), n_drafted);
    if (!token) break;
    last = draft_[static_cast<std::size_t>(n_drafted)] = *token;
  }
  return std::span(draft_).first(static_cast<std::size_t>(n_drafted));
}

// Lets the model read the context, as far as there is time now. Returns whether it has read
// everything. The time for this does not count as a cost of drafts, because it is paid once; nor
// does the wait for the weights at the first tokens.
bool Drafting::catch_up(const std::stop_token& stop) {
  ReadingShare& share = sources_.reading;
  DraftModel& model = *sources_.model;
  const Clock::time_point begin = now();
  share.passed(begin - std::exchange(last_, begin));
  if (!std::exchange(model_begun_, true)) model.begin(lookup_.tokens(), use_);
  const Clock::time_point begun = now();
  const int n_unread = model.n_unread(lookup_.tokens());
  const bool is_first = n_unread > 0 && n_unread == lookup_.n_tokens() - 1;
  if (n_unread >= ReadingShare::kFree || is_first) {
    const int n = std::min(share.allowed(n_unread), model.n_batch());
    model.read(lookup_.tokens(), n, stop);
    share.record(n, now() - begun);
  }
  reading_ = now() - begin;
  return model.n_unread(lookup_.tokens()) < ReadingShare::kFree;
}

void Drafting::record(int n_drafted, int n_taken, std::chrono::duration<double> time) {
  if (!is_on() || sources_.paused) return;
  const auto pass = time - reading_;
  DraftLength &found = sources_.lookup_length, &guessed = sources_.model_length;
  const auto tell = [&](DraftLength& length, int n_told, int match) {
    length.record(n_told + 1, pass);
    return length.accepted(n_told, n_taken, match);
  };
  if (source_ == DraftSource::lookup) {
    guessed.share(tell(found, n_drafted, match_));
  } else if (source_ != DraftSource::none) {
    found.share(tell(guessed, n_drafted, 0));
  } else if (in_vain_) {  // the time is lost as with a wrong draft
    found.share(tell(guessed, 1, 0));
  } else {
    tell(found, 0, 0);
    tell(guessed, 0, 0);
  }
}

int ReadingShare::allowed(int n) const noexcept {
  if (std::isinf(share_)) return n;
  if (by_token_ == 0) return std::min(n, kFirst);
  const double n_paid = (share_ * passed_ - spent_) / by_token_;
  if (n_paid >= n) return n;
  return n_paid < kFirst ? 0 : static_cast<int>(n_paid);
}

// The latest reading is the best measure: the first ones wait for weights to come from disk.
void ReadingShare::record(int n, std::chrono::duration<double> time) noexcept {
  if (n <= 0) return;
  spent_ += time.count();
  by_token_ = std::max(time.count(), 1e-9) / n;
}

}  // namespace confab::engine
