// SPDX-License-Identifier: MIT
// What a long question will cost, told while it is written.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/chat/chat.h"

namespace confab::app {

// Tokens that a second of prefill takes, by answers of this model on this machine: the median of
// those that read enough to tell; nullopt: there are none.
std::optional<double> prefill_rate(std::span<const sessions::MessageStats> stats);

class PromptSize {
 public:
  // Shorter questions are not worth a word; longer ones are not cut into tokens at every key.
  static constexpr std::size_t kFromBytes = 1500;
  static constexpr std::size_t kToBytes = std::size_t{256} << 10;

  // What is known of the speed; called when a conversation or model is opened.
  void set_rate(std::optional<double> tokens_per_second) { rate_ = tokens_per_second; }

  // "4,132 tokens, about 5 s to the first word", that the context will not hold them, or nothing.
  // What is cached makes it faster.
  std::string describe(const Chat& chat, std::string_view draft,
                       std::span<const sessions::Attachment> attached);

 private:
  std::optional<double> rate_;
  Question counted_ = "";  // what n_tokens_ is of
  std::size_t n_messages_ = 0;
  int n_tokens_ = 0;
};

}  // namespace confab::app
