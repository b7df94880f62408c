// SPDX-License-Identifier: MIT
#include "ui/input/completion_menu.h"
#include "ui/text.h"

#include <algorithm>

namespace confab::ui {
namespace {

constexpr int kGap = 2;        // between a text and its description
constexpr int kMaxTexts = 40;  // columns for the texts if there are descriptions

std::string spaces(int n) {
  return std::string(static_cast<std::size_t>(std::max(n, 0)), ' ');
}

}  // namespace

std::string common_prefix(const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return {};
  std::string_view prefix = candidates[0].text;
  for (const Candidate& candidate : candidates) {
    const auto end = std::ranges::mismatch(prefix, candidate.text).in1;
    prefix = prefix.substr(0, static_cast<std::size_t>(end - prefix.begin()));
  }
  std::size_t end = prefix.size();
  const std::string_view whole = candidates[0].text;
  while (end > 0 && end < whole.size() && goes_on(whole[end])) --end;
  return std::string(prefix.substr(0, end));
}

std::size_t word_begin(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\n";
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (kBlanks.find(text[at]) != std::string_view::npos) {
      begin = ++at;
    } else if (at == begin && text.substr(at).starts_with("@\"")) {
      at = std::min(text.find('"', at + 2), text.size() - 1) + 1;
    } else {
      ++at;
    }
  }
  return begin;
}

void CompletionMenu::open(std::vector<Candidate> candidates) {
  candidates_ = std::move(candidates);
  chosen_.reset();
}

void CompletionMenu::close() noexcept {
  candidates_.clear();
  chosen_.reset();
}

const Candidate& CompletionMenu::step(int n) {
  const std::size_t size = candidates_.size();
  if (!chosen_)
    chosen_ = n > 0 ? 0 : size - 1;
  else
    chosen_ = (*chosen_ + (n > 0 ? 1 : size - 1)) % size;
  return candidates_[*chosen_];
}

// The index of the first candidate shown, when `n_shown` are shown.
std::size_t CompletionMenu::first_of(std::size_t n_shown) const {
  const std::size_t chosen = chosen_.value_or(0);
  return std::min(chosen >= n_shown ? chosen + 1 - n_shown : 0, candidates_.size() - n_shown);
}

void CompletionMenu::choose_shown(std::size_t row, std::size_t n_rows) {
  chosen_ = first_of(n_rows) + row;
}

std::vector<Line> CompletionMenu::lines(Cols width, Rows rows) const {
  const std::size_t n_shown =
      std::min(candidates_.size(), static_cast<std::size_t>(std::max(rows.value, 0)));
  std::vector<Line> out;
  if (n_shown == 0 || width < Cols{1}) return out;
  const std::size_t first = first_of(n_shown);
  int texts = 1;
  for (std::size_t i = first; i < first + n_shown; ++i)
    texts = std::max(texts, ui::width(one_line(candidates_[i].text)).value);
  texts = std::min({texts, kMaxTexts, width.value});
  for (std::size_t i = first; i < first + n_shown; ++i) out.push_back(line(i, Cols{texts}, width));
  return out;
}

Line CompletionMenu::line(std::size_t index, Cols texts, Cols width) const {
  const Candidate& candidate = candidates_[index];
  const bool described = !candidate.description.empty() && width.value - texts.value > kGap + 1;
  const std::string text =
      ellipsize(one_line(candidate.text), candidate.description.empty() ? width : texts);
  const Role role = chosen_ == index ? Role::selection : Role::text;
  Line out{{{text, {.role = role}}}};
  if (!described) return out;
  out.spans.push_back({spaces(texts.value - ui::width(text).value + kGap), {}});
  out.spans.push_back(
      {ellipsize(one_line(candidate.description), Cols{width.value - texts.value - kGap}),
       {.role = Role::dim}});
  return out;
}

}  // namespace confab::ui
