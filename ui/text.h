// SPDX-License-Identifier: MIT
// Text as a terminal shows it: characters, widths, and nothing that could drive the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

// Columns and rows of a screen; never mixed with byte offsets or counts of characters.
struct Cols {
  int value = 0;
  auto operator<=>(const Cols&) const = default;
};
struct Rows {
  int value = 0;
  auto operator<=>(const Rows&) const = default;
};

// Untrusted text made safe to show: C0 controls but \n and \t, DEL and C1 become visible (^[ or
// U+2400 pictures), bidirectional controls and tags become U+FFFD, invalid UTF-8 becomes U+FFFD. A
// CR LF is a line break, and so is U+2028 or U+2029. Idempotent.
std::string sanitize(std::string_view text);
// The same with line breaks and tabs as spaces.
std::string one_line(std::string_view text);

// sanitize() for text that arrives in pieces cut anywhere: what feed() and then flush() return,
// joined, does not depend on the cuts. At most three bytes wait for the next piece.
class Sanitizer {
 public:
  std::string feed(std::string_view bytes);
  std::string flush();  // the text ends here

 private:
  std::string pending_;
};

// The next grapheme cluster (what a person calls a character) of valid UTF-8, at least one byte.
struct Grapheme {
  std::string_view bytes;
  Cols width;  // 0, 1 or 2; of a tab or line break 0: layout gives them their meaning
};
Grapheme next_grapheme(std::string_view text);

// Whether terminals give a grapheme the width that next_grapheme() does.
enum class WidthAgreement : std::uint8_t {
  agreed,
  ambiguous,  // one column, or two where a terminal is set up for East Asian text (UAX #11)
  disputed,   // clusters of several code points, pictographs, private use, unassigned
};
WidthAgreement width_agreement(std::string_view grapheme);
// The columns it takes in a terminal that knows no clusters and shows ambiguous characters wide.
Cols widest(std::string_view grapheme);

Cols width(std::string_view text);
// The longest prefix that is no wider than `cols`, cut between graphemes.
std::string_view clip(std::string_view text, Cols cols);
// As clip, with an ellipsis when something was cut off.
std::string ellipsize(std::string_view text, Cols cols);

}  // namespace confab::ui
