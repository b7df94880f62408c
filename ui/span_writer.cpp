// SPDX-License-Identifier: MIT
#include "ui/span_writer.h"

namespace confab::ui {

void SpanWriter::put(std::size_t end, Role role) {
  if (end <= begin_) return;
  const std::string_view text = line_.substr(begin_, end - begin_);
  begin_ = end;
  if (!spans_.empty() && spans_.back().style.role == role)
    spans_.back().text += text;
  else
    spans_.push_back({std::string(text), {.role = role}});
}

}  // namespace confab::ui
