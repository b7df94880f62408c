// SPDX-License-Identifier: MIT
// The first fenced code block of an answer, without its fences, in a given language or in any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ui/code/code_block.h"

namespace confab::app {

// Finds the block in text that arrives in pieces.
class CodeFinder {
 public:
  explicit CodeFinder(std::string language) : language_(std::move(language)) {}

  // Returns the lines of the block that this text completes.
  std::string feed(std::string_view text);
  std::string finish();  // the text ends here

  bool has_begun() const noexcept { return found_; }
  bool is_complete() const noexcept { return complete_; }

 private:
  std::string take_line(std::string_view line);
  bool is_wanted(std::string_view info) const;

  std::string language_;
  std::string line_;                // the last line, possibly incomplete
  std::optional<ui::Fence> fence_;  // of the current block
  std::size_t list_indent_ = 0;     // columns before the fence, in a list for example
  bool wanted_ = false;             // the current block is the right one
  bool found_ = false;
  bool complete_ = false;
};

}  // namespace confab::app
