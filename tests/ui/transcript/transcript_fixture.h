// SPDX-License-Identifier: MIT
// A conversation, and what is drawn of it.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "ui/transcript/transcript_view.h"

namespace confab::ui {

// What is drawn, without the room on the left that nothing stands in.
inline std::string drawn(TranscriptView& view, int rows, int cols) {
  Frame frame(Rows{rows}, Cols{cols});
  view.draw(frame, Rows{0}, Rows{rows});
  std::string text = frame.to_text();
  while (text.ends_with("\n\n")) text.pop_back();
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += (line.starts_with("  ")   ? line.substr(2)
            : line.starts_with(" ▌") ? line.substr(1)
                                     : line) +
           '\n';
  return out;
}

inline std::string paragraphs(int first, int n) {
  std::string text;
  for (int i = first; i < first + n; ++i) text += "p" + std::to_string(i) + "\n\n";
  return text;
}

class TranscriptFixture : public testing::Test {
 protected:
  std::string draw(int rows, int cols) { return drawn(view_, rows, cols); }

  Transcript said_;
  TranscriptView view_{said_};
};

}  // namespace confab::ui
