// SPDX-License-Identifier: MIT
// How text looks, in the terms of a theme ("heading", "code"), not of a terminal. A Theme turns
// roles into colours, and the Terminal turns those into what it can show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace confab::ui {

enum class Role : std::uint8_t {
  text,  // answers
  user,  // the person's questions
  heading,
  emphasis,
  strong,
  code,  // inline
  code_block,
  code_label,  // the language above a block
  quote,
  list_mark,
  link,
  rule,
  dim,  // hints, time stamps
  error,
  notice,  // the program's messages in the transcript
  status,
  status_accent,
  prompt,
  selection,  // the chosen entry of a list
  // The words of code, by kind. An unknown word is code_block.
  code_keyword,
  code_type,
  code_function,
  code_string,
  code_number,
  code_comment,
  code_meta,  // preprocessor lines, decorators, attributes
  diff_added,
  diff_removed,
  math,
  chip,           // stands for folded text
  focus,          // the mark beside the part of the conversation that keys act on
  match,          // found by a search
  match_current,  // the match in view
  meter_low,      // in the status line: plenty left
  meter_mid,      // getting full
  meter_high,     // nearly full
  warning,        // in the status line
  count_,
};

struct Style {
  Role role = Role::text;
  bool bold = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  bool operator==(const Style&) const = default;
};

// A run of text in one style. The text is sanitised: its only control characters are those that ui
// adds itself.
struct Span {
  std::string text;
  Style style;
  std::string link = {};  // target of the hyperlink; empty if there is none
  std::size_t part = 0;   // number of the link that the span belongs to, from 1; 0: no link
  bool operator==(const Span&) const = default;
};

// One screen line, laid out already. It is not wider than the width it was made for.
struct Line {
  std::vector<Span> spans;
  bool operator==(const Line&) const = default;
};

}  // namespace confab::ui
