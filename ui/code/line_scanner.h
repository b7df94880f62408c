// SPDX-License-Identifier: MIT
// Text whose lines are told apart by how they begin: patches, Markdown source, terminal sessions.
#pragma once

#include <string>
#include <string_view>

#include "ui/code/code_scanner.h"
#include "ui/span_writer.h"

namespace confab::ui {

struct DiffState {
  bool in_hunk = false;
};
void scan_diff(DiffState& state, std::string_view line, SpanWriter& out);

struct MarkdownState {
  std::string fence = {};  // that is open
};
void scan_markdown(MarkdownState& state, std::string_view line, SpanWriter& out);

// Lines behind a prompt ("$ ", "user@host:~$ ") are commands, the others what they printed.
struct ConsoleState {
  CodeState command = {};
};
void scan_console(ConsoleState& state, std::string_view line, SpanWriter& out);

}  // namespace confab::ui
