// SPDX-License-Identifier: MIT
// Work on a question while it is being typed: the model reads it ahead and counts its tokens on its
// own thread, so that its cost can be shown. Nothing here waits for the model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/chat/chat.h"

namespace confab::app {

// The settled part of a draft: up to the last white space, as the word after it may still change.
// Returns nullopt if it has fewer than kReadAheadStep bytes that are not in `prepared`, the part
// that the model was given last.
inline constexpr std::size_t kReadAheadStep = 200;
std::optional<std::string> settled_part(std::string_view draft, std::string_view prepared);

// Prefill speed in tokens per second: the median over earlier answers of this model on this machine
// that read enough tokens. nullopt if there are none.
std::optional<double> prefill_rate(std::span<const sessions::MessageStats> stats);

class PromptSize {
 public:
  // Shorter questions are not worth a message; longer ones are only estimated.
  static constexpr std::size_t kFromBytes = 1500;
  static constexpr std::size_t kToBytes = std::size_t{256} << 10;

  // Sets the known speed. Call it when a conversation or model is opened.
  void set_rate(std::optional<double> tokens_per_second) { rate_ = tokens_per_second; }

  // "4,132 tokens, about 5 s to the first word", or that the context is too small, or "". The model
  // counts a new question; until take() gets the count, this describes the previous question.
  // Cached tokens shorten the estimate.
  std::string describe(const Chat& chat, std::string_view draft,
                       std::span<const sessions::Attachment> attached);
  void take(const engine::Counted& counted);

 private:
  // The request that the model was asked to count.
  struct Asked {
    Question question;
    std::size_t n_messages;
    std::string tokenizer;
    bool operator==(const Asked&) const = default;
  };
  void forget();

  std::optional<double> rate_;
  std::optional<Asked> asked_;
  std::uint64_t number_ = 0;  // of the last request
  std::uint64_t first_ = 1;   // the first request whose count is still useful
  std::optional<int> n_tokens_;
};

}  // namespace confab::app
