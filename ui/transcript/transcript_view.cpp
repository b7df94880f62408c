// SPDX-License-Identifier: MIT
#include "ui/transcript/transcript_view.h"

namespace confab::ui {

TranscriptView::TranscriptView(Transcript& transcript)
    : transcript_(transcript),
      window_(transcript.layout()),
      focus_(transcript.layout(), window_),
      search_(transcript.layout(), window_),
      painter_(transcript.layout(), window_, focus_, search_),
      settled_(transcript.layout(), painter_) {
  transcript_.watch(this);
}

TranscriptView::~TranscriptView() {
  transcript_.watch(nullptr);
}

void TranscriptView::draw(Frame& frame, Rows top, Rows height) {
  painter_.begin(frame.cols(), height);
  TranscriptLayout& layout = transcript_.layout();
  Place place = window_.first();
  const int end = top.value + height.value;
  for (int row = top.value; row < end && place.item < layout.items.size();
       ++place.item, place.line = 0)
    for (; place.line < layout.height(place.item) && row < end; ++place.line, ++row)
      frame.write({Rows{row}, Cols{0}}, painter_.line(place));
}

void TranscriptView::asked() {
  window_.to_bottom();
}

void TranscriptView::inserted(std::size_t item) {
  window_.inserted(item);
  focus_.inserted(item);
  search_.inserted(item);
  settled_.inserted(item);
}

void TranscriptView::shortened() {
  window_.shortened();
  search_.shortened();
}

void TranscriptView::clearing() {
  settled_.clearing();
  focus_.leave();
  search_.clearing();
  window_.to_bottom();
}

}  // namespace confab::ui
