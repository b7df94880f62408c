// SPDX-License-Identifier: MIT
// HTML and XML, line by line, with the scripts and style sheets in HTML.
#pragma once

#include <string>
#include <string_view>

#include "ui/code/code_scanner.h"
#include "ui/span_writer.h"

namespace confab::ui {

// What one line leaves to the next.
struct MarkupState {
  std::string_view close = {};  // of the comment, declaration or CDATA section that is open
  Role close_role = Role::code_comment;
  bool in_tag = false;
  char quote = 0;                      // of the attribute value that is open
  std::string element = {};            // "script" or "style" when such a tag is open
  const Language* embedded = nullptr;  // of the code that goes on up to the element's end
  CodeState code = {};
};

void scan_markup(MarkupState& state, std::string_view line, SpanWriter& out);

}  // namespace confab::ui
