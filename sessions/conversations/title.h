// SPDX-License-Identifier: MIT
// A conversation's title, from its first exchange.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sessions/conversations/attachment.h"

namespace confab::sessions {

inline constexpr int kTitleLength = 60;  // code points at most, an ellipsis included

// The first line that says something, with runs of blanks and control characters as one space,
// cut at a word where there is one near the end. What is no UTF-8 becomes U+FFFD, so the result is
// UTF-8 always; it is empty when the text is blank.
std::string title_from(std::string_view text);

// True when nothing of it can be seen: blanks, control characters, characters without a width.
bool is_blank_title(std::string_view text);

// True for a greeting, for thanks and the like, and for what has no letter or digit: several
// conversations would have the same title.
bool says_too_little(std::string_view text);
// From what was asked, without Markdown's marks; when that says too little, the name of the first
// file that came with it.
std::string title_from_question(std::string_view question, std::span<const Attachment> files);
// For when the question and its files give none: the answer's first heading, else its first
// sentence that says something. Markdown's marks are left out. Empty: there is none either.
std::string title_from_answer(std::string_view answer);

}  // namespace confab::sessions
