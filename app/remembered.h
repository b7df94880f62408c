// SPDX-License-Identifier: MIT
// What was chosen in the chat, for the next time: state.toml, with keys of config.toml, which wins
// over it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

namespace confab::app {

class Remembered {
 public:
  struct Number {
    std::string text;  // "0.4"
  };
  using Value = std::variant<bool, Number, std::string>;

  // An empty path: nothing is remembered.
  explicit Remembered(std::filesystem::path file) : file_(std::move(file)) {}

  // Both write the file at once; what other programs have written there meanwhile stays. Return
  // what went wrong, the first time only: from then on nothing is remembered. Empty: nothing did.
  [[nodiscard]] std::string keep(std::string_view key, const Value& value);
  [[nodiscard]] std::string forget(std::string_view key);

 private:
  template <class Change>
  std::string rewrite(const Change& change);

  std::filesystem::path file_;
};

}  // namespace confab::app
