// SPDX-License-Identifier: MIT
// Bytes that come in pieces, as tokens give them, turned into whole UTF-8 characters.
#pragma once

#include <string>
#include <string_view>

namespace confab::engine {

// Everything given out is valid UTF-8. Bytes that cannot become a character come as U+FFFD, one
// for each maximal part of a character (Unicode 15, section 3.9, table 3-8), so the text does not
// depend on how the bytes were cut.
class Utf8Stream {
 public:
  // Appends what is complete to `text`; at most 3 bytes of a character are held back.
  void push(std::string_view bytes, std::string& text);
  // The end: a held-back part of a character becomes one U+FFFD. The stream can be used again.
  void finish(std::string& text);
  // Nothing is held back.
  bool is_whole() const noexcept { return held_.empty(); }

 private:
  std::string held_ = {};  // the start of a character that may still become one
};

}  // namespace confab::engine
