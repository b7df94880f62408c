// SPDX-License-Identifier: MIT
// A text that is put together: each part is counted as work, and the length is bounded all the way.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/prompt/jinja/runtime.h"
#include "engine/prompt/jinja/text.h"

namespace confab::engine::jinja {

class TextBuilder {
 public:
  // The runtime must outlive the object.
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}

  // Throw ModelError when the text becomes longer than kMaxTextBytes.
  void append(std::string_view bytes);
  void append(const Text& text) { append(text, 0, text.size()); }
  // Bytes [begin, end) of the text.
  void append(const Text& text, std::size_t begin, std::size_t end);
  void append_times(const Text& text, std::size_t n);

  bool empty() const noexcept { return text_.empty(); }
  Text take() && { return std::move(text_); }
  Value finish(bool is_markup = false) && {
    return runtime_.text(std::move(text_).as_markup(is_markup));
  }

 private:
  void count(std::size_t n_bytes);

  Runtime& runtime_;
  Text text_;
};

}  // namespace confab::engine::jinja
