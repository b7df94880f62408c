// SPDX-License-Identifier: MIT
#include "ui/transcript/search_focus.h"

namespace confab::ui {

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
