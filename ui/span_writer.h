// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/style.h"

namespace confab::ui {

// Collects the spans of a line: text and role, neighbours of one role joined.
class SpanWriter {
 public:
  explicit SpanWriter(std::string_view line) : line_(line) {}
  // The text from where the last call ended, up to `end`.
  void put(std::size_t end, Role role);
  std::vector<Span> take() { return std::move(spans_); }  // the writer is empty then

 private:
  std::string_view line_;
  std::size_t begin_ = 0;
  std::vector<Span> spans_;
};

}  // namespace confab::ui
