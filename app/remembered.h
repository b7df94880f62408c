// SPDX-License-Identifier: MIT
// Remembers what was chosen in the chat for the next time, in state.toml. It has the keys of
// config.toml, which overrides it.
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

  // Remembers nothing if the path is empty.
  explicit Remembered(std::filesystem::path file) : file_(std::move(file)) {}

  // Both write the file at once and keep what other programs have written there meanwhile. They
  // return an empty text on success. The first failure is returned; after it nothing is remembered
  // any more and no further failure is reported.
  [[nodiscard]] std::string keep(std::string_view key, const Value& value);
  [[nodiscard]] std::string forget(std::string_view key);

 private:
  template <class Change>
  std::string rewrite(const Change& change);

  std::filesystem::path file_;
};

}  // namespace confab::app
