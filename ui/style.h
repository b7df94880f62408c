// SPDX-License-Identifier: MIT
// How text looks, said in the terms of a theme ("heading", "code") and not of a terminal; a Theme
// turns roles into colours, a Terminal those into what it can show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace confab::ui {

enum class Role : std::uint8_t {
  text,  // answers
  user,  // what the person said
  heading,
  emphasis,
  strong,
  code,  // inline
  code_block,
  code_label,  // the language of a block
  quote,
  list_mark,
  link,
  rule,
  dim,  // hints, time stamps
  error,
  notice,  // what the program says in the transcript
  status,
  status_accent,
  prompt,
  selection,  // the entry of a list that is chosen
  // Code, by what its words are. Unknown words are code_block.
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
  chip,           // stands for text that is folded away
  focus,          // the mark beside the part of the conversation that keys act on
  match,          // what a search has found
  match_current,  // of these, the one in view
  meter_low,      // in the status line: plenty left,
  meter_mid,      // less,
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

// A run of text in one style. The text is sanitised: no control character but what ui itself makes.
struct Span {
  std::string text;
  Style style;
  std::string link = {};  // target of a hyperlink; empty: none
  std::size_t part = 0;   // the number, from 1, of the link in its text that it is of; 0: of none
  bool operator==(const Span&) const = default;
};

// One screen line, already laid out: no wider than the width that it was made for.
struct Line {
  std::vector<Span> spans;
  bool operator==(const Line&) const = default;
};

}  // namespace confab::ui
