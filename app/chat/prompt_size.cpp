// SPDX-License-Identifier: MIT
#include "app/chat/prompt_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/chat/question.h"
#include "app/figures.h"

namespace confab::app {

std::optional<std::string> settled_part(std::string_view draft, std::string_view prepared) {
  const std::size_t space = draft.find_last_of(" \t\n");
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view settled = draft.substr(0, space);
  const auto end = std::ranges::mismatch(settled, prepared).in1;
  const auto n_new = static_cast<std::size_t>(settled.end() - end);
  return n_new >= kReadAheadStep ? std::optional(std::string(settled)) : std::nullopt;
}

namespace {

constexpr int kEnoughTokens = 64;  // fewer are mostly overhead

}  // namespace

std::optional<double> prefill_rate(std::span<const sessions::MessageStats> stats) {
  std::vector<double> rates;
  for (const sessions::MessageStats& s : stats)
    if (s.n_prompt - s.n_cached >= kEnoughTokens && s.prefill.count() > 0)
      rates.push_back((s.n_prompt - s.n_cached) / s.prefill.count());
  if (rates.empty()) return std::nullopt;
  const auto middle = rates.begin() + std::ssize(rates) / 2;
  std::ranges::nth_element(rates, middle);
  return *middle;
}

void PromptSize::forget() {
  asked_.reset();
  n_tokens_.reset();
  first_ = number_ + 1;
}

// If the template refuses the question, there is no count; asking will report the error.
void PromptSize::take(const engine::Counted& counted) {
  if (counted.number >= first_) n_tokens_ = counted.n_tokens;
}

std::string PromptSize::describe(const Chat& chat, std::string_view draft,
                                 std::span<const sessions::Attachment> attached) {
  std::size_t n_bytes = draft.size();
  for (const sessions::Attachment& file : attached) n_bytes += file.size_bytes;
  if (n_bytes < kFromBytes || n_bytes > kToBytes) forget();
  if (n_bytes < kFromBytes) return {};
  if (n_bytes > kToBytes)
    return fmt::format("about {} tokens", grouped(static_cast<std::int64_t>(n_bytes / 4)));
  Asked asked{Question(std::string(draft), {attached.begin(), attached.end()}),
              chat.messages().size(), chat.model_info().tokenizer_hash};
  if (asked != asked_) {
    chat.count_with(asked.question, ++number_);
    asked_ = std::move(asked);
  }
  if (!n_tokens_) return {};
  const int n_ctx = chat.model_info().n_ctx;
  if (*n_tokens_ >= n_ctx && chat.lets_go() && !chat.messages().empty())
    return fmt::format("{} tokens: the oldest questions will go, the context holds {}",
                       grouped(*n_tokens_), grouped(n_ctx));
  if (*n_tokens_ >= n_ctx)
    return fmt::format("{} tokens: the context holds {}", grouped(*n_tokens_), grouped(n_ctx));
  const int n_new = std::max(*n_tokens_ - chat.n_ctx_used(), 0);
  const std::string tokens = counted(*n_tokens_, "token");
  if (!rate_) return tokens;
  return fmt::format("{}, about {:.0f} s to the first word", tokens, n_new / *rate_);
}

}  // namespace confab::app
