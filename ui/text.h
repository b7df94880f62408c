// SPDX-License-Identifier: MIT
// Text as a terminal shows it: characters, widths, and nothing that could drive the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::ui {

// Characters as UTF-8 and back: the one place in ui that knows its bytes.
std::string to_utf8(char32_t character);  // of a surrogate or beyond U+10FFFF: U+FFFD

struct Utf8Character {
  enum class Kind : std::uint8_t {
    whole,
    malformed,
    cut,  // the text ends before the character does
  };
  char32_t code_point;  // U+FFFD unless it is whole
  // Of one that is malformed, those that no character begins with (the maximal subpart: The Unicode
  // Standard, chapter 3, table 3-8).
  std::size_t n_bytes;
  Kind kind = Kind::whole;
};
// The first character of non-empty text.
Utf8Character next_character(std::string_view text);
// Whether a byte goes on with a character that another one began.
inline bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0u) == 0x80;
}
inline char32_t from_utf8(std::string_view text) {
  return next_character(text).code_point;
}

// Columns and rows of a screen; never mixed with byte offsets or counts of characters.
struct Cols {
  int value = 0;
  auto operator<=>(const Cols&) const = default;
};
struct Rows {
  int value = 0;
  auto operator<=>(const Rows&) const = default;
};

// What untrusted text is made safe for.
enum class SafeFor : std::uint8_t {
  showing,
  // Keeps what only misleads the eye as it was written. Control characters are shown here too:
  // where the text is pasted, in a shell perhaps, they would be keys.
  copying,
};

// Untrusted text made safe: C0 controls but \n and \t, DEL and C1 become visible (^[ or U+2400
// pictures), invalid UTF-8 and U+E0080 to U+E00FF (which nobody has assigned) become U+FFFD. A CR
// LF is a line break, and so is U+2028 or U+2029. To be shown, what turns text around or hides it
// becomes U+FFFD too: bidirectional embeddings, overrides and isolates, and tags. Marks of
// direction stay (U+200E, U+200F, U+061C), and so do tags that make a flag: letters and digits
// behind an emoji, ended by U+E007F. Idempotent; text that is safe for copying is shown as what it
// was made of.
std::string sanitize(std::string_view text, SafeFor use = SafeFor::showing);
// The same with line breaks and tabs as spaces.
std::string one_line(std::string_view text);

// sanitize() for text that arrives in pieces cut anywhere: what feed() and then flush() return,
// joined, does not depend on the cuts. What waits for the next piece is at most a character, or the
// tags of a flag.
class Sanitizer {
 public:
  explicit Sanitizer(SafeFor use = SafeFor::showing) : use_(use) {}

  std::string feed(std::string_view bytes);
  std::string flush();  // the text ends here

 private:
  std::string take(std::string_view bytes, bool ended);
  // The next character that is not plain ASCII; false: it waits for more.
  bool take_character(std::string_view& bytes, bool ended, std::string& out);

  SafeFor use_;
  std::string pending_;
  char32_t last_ = 0;  // the last character but those that only change how it looks
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
