// SPDX-License-Identifier: MIT
// A conversation's title, generated from its first exchange.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sessions/conversations/attachment.h"

namespace confab::sessions {

inline constexpr int kTitleLength = 60;  // maximum in code points, including the ellipsis

// The first line that is not blank. Runs of blanks and control characters become one space, and a
// long line is cut, at a word boundary if there is one near the end. Invalid UTF-8 becomes U+FFFD,
// so the result is always valid UTF-8. Empty if the text is blank.
std::string title_from(std::string_view text);

// True if nothing in it is visible: blanks, control characters, characters without a width.
bool is_blank_title(std::string_view text);

// True for greetings, thanks and other small talk, and for text without a letter or digit. Several
// conversations would get the same title from it.
bool says_too_little(std::string_view text);
// A title from a question, without Markdown's marks. If the question says too little, the name of
// the first attached file.
std::string title_from_question(std::string_view question, std::span<const Attachment> files);
// A title for when neither the question nor its files give one: the answer's first heading,
// otherwise its first sentence that says something. Markdown's marks are left out. Empty if there
// is neither.
std::string title_from_answer(std::string_view answer);

}  // namespace confab::sessions
