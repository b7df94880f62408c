// SPDX-License-Identifier: MIT
#include "ui/code/highlight.h"

#include <utility>
#include <variant>

#include "ui/code/code_scanner.h"
#include "ui/code/language.h"
#include "ui/code/line_scanner.h"
#include "ui/code/markup_scanner.h"

namespace confab::ui {
namespace {

using LineState = std::variant<CodeState, MarkupState, DiffState, MarkdownState, ConsoleState>;

LineState first_state(Grammar grammar) {
  switch (grammar) {
    case Grammar::markup:
      return MarkupState{};
    case Grammar::diff:
      return DiffState{};
    case Grammar::markdown:
      return MarkdownState{};
    case Grammar::console:
      return ConsoleState{};
    case Grammar::code:
      break;
  }
  return CodeState{};
}

// Calls the scanner that a state belongs to.
struct Scan {
  const Language& language;
  std::string_view line;
  SpanWriter& out;

  void operator()(CodeState& state) const { scan_code(language, state, line, 0, line.size(), out); }
  void operator()(MarkupState& state) const { scan_markup(state, line, out); }
  void operator()(DiffState& state) const { scan_diff(state, line, out); }
  void operator()(MarkdownState& state) const { scan_markdown(state, line, out); }
  void operator()(ConsoleState& state) const { scan_console(state, line, out); }
};

}  // namespace

struct Highlighter::State {
  const Language* language;  // nullptr: not known
  LineState line;
};

Highlighter::Highlighter(std::string_view info) {
  const Language* language = find_language(info);
  const Grammar grammar = language == nullptr ? Grammar::code : language->grammar;
  state_ = std::make_unique<State>(State{language, first_state(grammar)});
}
Highlighter::~Highlighter() = default;
Highlighter::Highlighter(const Highlighter& other)
    : state_(std::make_unique<State>(*other.state_)) {}
Highlighter& Highlighter::operator=(const Highlighter& other) {
  *this = Highlighter(other);
  return *this;
}
Highlighter::Highlighter(Highlighter&& other) noexcept = default;
Highlighter& Highlighter::operator=(Highlighter&& other) noexcept = default;

std::vector<Span> Highlighter::line(std::string_view code) {
  SpanWriter out(code);
  if (state_->language != nullptr)
    std::visit(Scan{*state_->language, code, out}, state_->line);
  else
    out.put(code.size(), Role::code_block);
  return out.take();
}

}  // namespace confab::ui
