// SPDX-License-Identifier: MIT
#include "engine/run/sampling/penalties.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "engine/error.h"
#include "engine/run/sampling/portable_math.h"
#include "engine/text/tokenizer.h"

namespace confab::engine {
namespace {

std::vector<Token> tokens_of(const LogitBias& bias, int n_vocab, const Tokenizer* tokenizer) {
  if (bias.token >= n_vocab)
    throw ModelError(fmt::format("logit_bias: found token {}, expected one from 0 to {}",
                                 bias.token, n_vocab - 1));
  if (bias.token >= 0) return {bias.token};
  std::vector<Token> found;
  for (Token id = 0; tokenizer != nullptr && id < tokenizer->n_vocab(); ++id)
    if (id < n_vocab && tokenizer->piece(id, true) == bias.text) found.push_back(id);
  if (found.empty())
    throw ModelError(fmt::format(
        "logit_bias: \"{}\" is not the text of a single token; give that, or a token's number",
        bias.text));
  return found;
}

std::size_t n_dry_looked_at(const SamplerParams& p) noexcept {
  return p.dry_multiplier > 0 ? static_cast<std::size_t>(p.dry_penalty_last_n) : 0;
}

std::size_t n_looked_at(const SamplerParams& p) noexcept {
  const bool on = p.repeat_penalty != 1 || p.frequency_penalty != 0 || p.presence_penalty != 0;
  return on ? static_cast<std::size_t>(p.repeat_last_n) : 0;
}

}  // namespace

std::vector<LogitEdit> bias_edits(const SamplerParams& params, int n_vocab,
                                  const Tokenizer* tokenizer) {
  std::map<Token, float> biases;
  for (const LogitBias& bias : params.logit_bias)
    for (const Token token : tokens_of(bias, n_vocab, tokenizer)) biases[token] += bias.bias;
  if (params.ignore_eos && tokenizer != nullptr)
    for (Token id = 0; id < std::min(n_vocab, tokenizer->n_vocab()); ++id)
      if (tokenizer->is_eog(id)) biases[id] = -std::numeric_limits<float>::infinity();
  std::vector<LogitEdit> edits;
  for (const auto& [token, bias] : biases) edits.push_back({.token = token, .less = -bias});
  return edits;
}

Penalties::Penalties(const SamplerParams& params, int n_vocab)
    : repeat_(params.repeat_penalty),
      frequency_(params.frequency_penalty),
      presence_(params.presence_penalty),
      ring_(n_looked_at(params)),
      counts_(are_on() ? static_cast<std::size_t>(n_vocab) : 0) {
  edits_.reserve(ring_.size());
}

void Penalties::accept(Token token) noexcept {
  if (!are_on()) return;
  Token& slot = ring_[next_];
  if (size_ == ring_.size())
    --counts_[static_cast<std::size_t>(slot)];
  else
    ++size_;
  slot = token;
  ++counts_[static_cast<std::size_t>(token)];
  next_ = (next_ + 1) % ring_.size();
}

void Penalties::apply(Candidates& candidates) noexcept {
  edits_.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    int& count = counts_[static_cast<std::size_t>(ring_[i])];
    if (count < 0) continue;
    const float less = static_cast<float>(count) * frequency_ + presence_;
    edits_.push_back({.token = ring_[i], .divisor = repeat_, .less = less});
    count = -count;  // marks it as done; the token may occur again in the ring
  }
  for (const LogitEdit& edit : edits_) {
    int& count = counts_[static_cast<std::size_t>(edit.token)];
    count = std::abs(count);
  }
  candidates.edit(edits_);
}

Dry::Dry(const SamplerParams& params, int n_vocab, const Tokenizer* tokenizer)
    : multiplier_(params.dry_multiplier),
      base_(params.dry_base),
      allowed_length_(params.dry_allowed_length),
      tokenizer_(tokenizer),
      ring_(n_dry_looked_at(params)),
      longest_(is_on() ? static_cast<std::size_t>(n_vocab) : 0) {
  if (tokenizer != nullptr) breakers_ = params.dry_sequence_breakers;
  for (const std::string& breaker : breakers_)
    longest_breaker_ = std::max(longest_breaker_, breaker.size());
  text_.reserve(1024);
  recent_.reserve(ring_.size());
  repeated_.reserve(ring_.size());
  noted_.reserve(ring_.size());
  edits_.reserve(ring_.size());
}

void Dry::accept(Token token) {
  if (!is_on()) return;
  ring_[next_] = {token, ends_breaker(token)};
  next_ = (next_ + 1) % ring_.size();
  size_ = std::min(size_ + 1, ring_.size());
}

// Whether a breaker ends inside this token, which follows the text read so far.
bool Dry::ends_breaker(Token token) {
  if (breakers_.empty()) return false;
  const std::size_t n_before = text_.size();
  text_ += tokenizer_->piece(token, true);
  const bool ends = std::ranges::any_of(breakers_, [&](const std::string& breaker) {
    const std::size_t from = n_before + 1 - std::min(n_before + 1, breaker.size());
    return text_.find(breaker, from) != std::string::npos;
  });
  text_.erase(0, text_.size() - std::min(text_.size(), longest_breaker_ - 1));
  return ends;
}

bool Dry::has_breaker(Token token) const {
  if (breakers_.empty()) return false;
  const std::string_view piece = tokenizer_->piece(token, true);
  return std::ranges::any_of(
      breakers_, [&](const std::string& b) { return piece.find(b) != std::string_view::npos; });
}

std::size_t Dry::look_back() noexcept {
  recent_.clear();
  std::size_t n_unbroken = size_;
  for (std::size_t i = 0; i < size_; ++i) {
    const Read& read = ring_[(next_ + ring_.size() - 1 - i) % ring_.size()];
    recent_.push_back(read.token);
    if (read.ends_breaker) n_unbroken = std::min(n_unbroken, i);
  }
  return n_unbroken;
}

// The Z algorithm (Gusfield 1997, 1.4); linear in the number of tokens. The stretch [begin, end)
// equals the beginning, so earlier results answer most questions inside it.
void Dry::find_repetitions(std::size_t n_most) noexcept {
  repeated_.assign(recent_.size(), 0);
  std::size_t begin = 0, end = 0;
  for (std::size_t i = 1; i < recent_.size(); ++i) {
    std::size_t n = 0;
    if (i < end) n = std::min(end - i, static_cast<std::size_t>(repeated_[i - begin]));
    while (i + n < recent_.size() && recent_[n] == recent_[i + n]) ++n;
    repeated_[i] = static_cast<int>(n);
    if (i + n > end) {
      begin = i;
      end = i + n;
    }
  }
  for (int& n : repeated_) n = std::min(n, static_cast<int>(n_most));
}

void Dry::note(Token token, int n_repeated) {
  int& longest = longest_[static_cast<std::size_t>(token)];
  if (longest == 0) noted_.push_back(token);
  longest = std::max(longest, n_repeated);
}

float Dry::penalty(int n_repeated) const noexcept {
  constexpr double kMost = 1e30;
  const double growth = portable_pow(base_, n_repeated - allowed_length_);
  return static_cast<float>(std::min(multiplier_ * growth, kMost));
}

void Dry::apply(Candidates& candidates) {
  const std::size_t n_unbroken = look_back();
  if (n_unbroken < static_cast<std::size_t>(allowed_length_)) return;
  find_repetitions(n_unbroken);
  noted_.clear();
  for (std::size_t i = 1; i < recent_.size(); ++i)
    if (repeated_[i] >= allowed_length_) note(recent_[i - 1], repeated_[i]);
  edits_.clear();
  for (const Token token : noted_) {
    const int longest = std::exchange(longest_[static_cast<std::size_t>(token)], 0);
    if (!has_breaker(token)) edits_.push_back({.token = token, .less = penalty(longest)});
  }
  candidates.edit(edits_);
}

}  // namespace confab::engine
