// SPDX-License-Identifier: MIT
// What the model does with a question while it is written: reads it ahead, and counts its tokens,
// on a thread of its own, so that its cost can be told. Nobody waits for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/chat/chat.h"

namespace confab::app {

// The settled part of a draft: up to the last white space, since the word after it may still
// change. nullopt: the model should go on with what it has, since less than kReadAheadStep bytes
// are new beside `prepared`, the part that was given to it last.
inline constexpr std::size_t kReadAheadStep = 200;
std::optional<std::string> settled_part(std::string_view draft, std::string_view prepared);

// Tokens that a second of prefill takes, by answers of this model on this machine: the median of
// those that read enough to tell; nullopt: there are none.
std::optional<double> prefill_rate(std::span<const sessions::MessageStats> stats);

class PromptSize {
 public:
  // Shorter questions are not worth a word; longer ones are not cut into tokens.
  static constexpr std::size_t kFromBytes = 1500;
  static constexpr std::size_t kToBytes = std::size_t{256} << 10;

  // What is known of the speed; called when a conversation or model is opened.
  void set_rate(std::optional<double> tokens_per_second) { rate_ = tokens_per_second; }

  // "4,132 tokens, about 5 s to the first word", that the context will not hold them, or nothing.
  // What is cached makes it faster. A question that has not been counted is given to the model to
  // count; until take() gets its answer, this is of the question before.
  std::string describe(const Chat& chat, std::string_view draft,
                       std::span<const sessions::Attachment> attached);
  void take(const engine::Counted& counted);

 private:
  // What has been given to the model to count.
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
  std::uint64_t first_ = 1;   // of the requests whose counts are of use
  std::optional<int> n_tokens_;
};

}  // namespace confab::app
