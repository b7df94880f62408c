// SPDX-License-Identifier: MIT
// Texts that are too long, cut: their middle left out, or one piece after the other. Cuts are where
// lines end; inside a line that is longer than all that is wanted, between characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sessions/conversations/attachment.h"

namespace confab::app {

struct WithoutMiddle {
  std::string text =
      {};  // with a line in the place of what was left out, which says how much it was
  std::size_t n_lines_left_out = 0;  // 0: bytes inside a line
  std::size_t n_bytes_left_out = 0;
};

// At most so many bytes of the text, as much of its beginning as of its end; all of it where it is
// no longer.
WithoutMiddle without_middle(std::string_view text, std::size_t most);

class Pieces {
 public:
  explicit Pieces(std::vector<sessions::Attachment> files);

  std::size_t n_left() const noexcept { return n_left_; }  // bytes of text; 0: at the end
  // What comes next: at most so many bytes, at least a character, of one file or of several. What
  // is not all of a file says in its name which lines it is.
  std::vector<sessions::Attachment> next(std::size_t most) const;
  void skip(std::size_t most);  // what next() gives for the same

 private:
  struct Part {
    std::size_t file;
    std::size_t begin;
    std::size_t n;
  };
  std::vector<Part> parts(std::size_t most) const;
  std::string name_of(const Part& part) const;

  std::vector<sessions::Attachment> files_;
  std::size_t file_ = 0;
  std::size_t at_ = 0;    // in that file
  std::size_t line_ = 1;  // of it, at that place
  std::size_t n_left_ = 0;
};

}  // namespace confab::app
