// SPDX-License-Identifier: MIT
#include "app/forms/code_finder.h"

#include <algorithm>

#include "ui/code/language.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr std::size_t kMaxFenceIndent = 3;

}  // namespace

std::string CodeFinder::feed(std::string_view text) {
  std::string code;
  while (!text.empty() && !complete_) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      line_ += text;
      break;
    }
    line_ += text.substr(0, end);
    code += take_line(line_);
    line_.clear();
    text.remove_prefix(end + 1);
  }
  return code;
}

std::string CodeFinder::finish() {
  return complete_ || line_.empty() ? "" : take_line(std::exchange(line_, {}));
}

// Models also fence code in lists, indented further than a fence may be elsewhere.
std::string CodeFinder::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t n_blank = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view text = line.substr(n_blank);
  if (!fence_) {
    fence_ = ui::parse_fence(text);
    if (!fence_) return {};
    list_indent_ = n_blank;
    const auto info = text.substr(std::min(text.find_first_not_of(fence_->mark), text.size()));
    wanted_ = !found_ && is_wanted(info);
    found_ = found_ || wanted_;
    return {};
  }
  if (n_blank <= list_indent_ + kMaxFenceIndent && ui::closes(*fence_, text)) {
    complete_ = wanted_;
    fence_.reset();
    return {};
  }
  if (!wanted_) return {};
  return std::string(line.substr(std::min(n_blank, list_indent_))) + '\n';
}

bool CodeFinder::is_wanted(std::string_view info) const {
  if (language_.empty()) return true;
  const std::string_view name = ui::code_language(info);
  if (ui::lower_case(name) == ui::lower_case(language_)) return true;
  const ui::Language* language = ui::find_language(name);
  return language != nullptr && language == ui::find_language(language_);
}

}  // namespace confab::app
