// SPDX-License-Identifier: MIT
#include "ui/transcript/search_focus.h"

#include <algorithm>

namespace confab::ui {

void TranscriptSearch::set_words(std::string_view words) {
  if (words == words_) return;
  words_ = words;
  forget();
}

void TranscriptSearch::forget() noexcept {
  found_.clear();
}

const std::vector<TextMatch>& TranscriptSearch::matches(std::size_t item) {
  if (layout_.width() != width_) {
    forget();
    width_ = layout_.width();
  }
  const std::size_t revision = layout_.items[item].revision();
  const auto known = found_.find(item);
  if (known != found_.end() && known->second.revision == revision) return known->second.all;
  return found_.insert_or_assign(item, Matches{revision, find_text(layout_.lines(item), words_)})
      .first->second.all;
}

Place TranscriptSearch::place(const Found& found) {
  const TextMatch& match = matches(found.item)[found.match];
  return {found.item, TranscriptLayout::gap(found.item) + static_cast<int>(match.front().line)};
}

std::optional<TranscriptSearch::Found> TranscriptSearch::nearest(Place end) {
  if (words_.empty()) return std::nullopt;
  std::optional<Found> after;
  for (std::size_t item = std::min(end.item + 1, layout_.items.size()); item-- > 0;)
    for (std::size_t i = matches(item).size(); i-- > 0;) {
      if (place({item, i}) < end) return Found{item, i};
      after = Found{item, i};
    }
  for (std::size_t item = end.item + 1; !after && item < layout_.items.size(); ++item)
    if (!matches(item).empty()) after = Found{item, 0};
  return after;
}

std::optional<TranscriptSearch::Found> TranscriptSearch::next(const Found& from, int direction) {
  const std::size_t n_items = layout_.items.size();
  const std::size_t here = matches(from.item).size();
  if (direction > 0 && from.match + 1 < here) return Found{from.item, from.match + 1};
  if (direction < 0 && from.match > 0 && from.match <= here)
    return Found{from.item, from.match - 1};
  for (std::size_t n = 1; n <= n_items; ++n) {
    const std::size_t item = (direction > 0 ? from.item + n : from.item + n_items - n) % n_items;
    if (const std::size_t count = matches(item).size(); count > 0)
      return Found{item, direction > 0 ? 0 : count - 1};
  }
  return std::nullopt;
}

std::size_t TranscriptSearch::size() {
  if (words_.empty()) return 0;
  return rank({layout_.items.size(), 0}) - 1;
}

std::size_t TranscriptSearch::rank(const Found& found) {
  std::size_t before = 0;
  for (std::size_t item = 0; item < found.item; ++item) before += matches(item).size();
  return before + found.match + 1;
}

Line TranscriptSearch::marked(std::size_t item, std::size_t line,
                              const std::optional<Found>& current) {
  Line out = layout_.lines(item)[line];
  if (words_.empty()) return out;
  const std::vector<TextMatch>& all = matches(item);
  // The matches are sorted and do not overlap. Find the first one that reaches this line.
  auto match =
      std::ranges::lower_bound(all, line, {}, [](const TextMatch& m) { return m.back().line; });
  for (; match != all.end() && match->front().line <= line; ++match)
    for (const LineRange& range : *match) {
      const Found found{item, static_cast<std::size_t>(match - all.begin())};
      if (range.line == line)
        out = with_role(out, range.begin, range.end,
                        found == current ? Role::match_current : Role::match);
    }
  return out;
}

bool SearchFocus::find(std::string_view words) {
  search_.set_words(words);
  found_.reset();
  wrapped_ = 0;
  if (layout_.items.empty()) return words.empty();
  found_ = search_.nearest(layout_.move(window_.last(), 1));
  if (found_) show_found();
  return found_ || words.empty();
}

bool SearchFocus::find_next(int direction) {
  if (!found_ && !find(search_.words())) return false;
  if (!found_) return false;
  const TranscriptSearch::Found from = *found_;
  found_ = search_.next(from, direction);
  const bool around = found_ && (direction > 0 ? *found_ <= from : *found_ >= from);
  wrapped_ = around ? direction : 0;
  if (found_) show_found();
  return found_.has_value();
}

SearchFocus::Standing SearchFocus::standing() {
  return {found_ ? search_.rank(*found_) : 0, search_.size(), wrapped_};
}

void SearchFocus::show_found() {
  window_.bring_to_middle(search_.place(*found_));
}

void SearchFocus::inserted(std::size_t item) noexcept {
  search_.forget();
  if (found_ && found_->item >= item) ++found_->item;
}

void SearchFocus::shortened() noexcept {
  search_.forget();
  if (found_ && found_->item >= layout_.items.size()) found_.reset();
}

void SearchFocus::clearing() noexcept {
  search_.forget();
  found_.reset();
}

}  // namespace confab::ui
