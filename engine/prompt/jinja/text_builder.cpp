// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/text_builder.h"

#include <fmt/format.h>

namespace confab::engine::jinja {
namespace {

constexpr std::size_t kAppendBytes = 8;  // of work, besides the bytes

}  // namespace

void TextBuilder::count(std::size_t n_bytes) {
  runtime_.work(n_bytes + kAppendBytes);
  if (n_bytes > kMaxTextBytes - text_.size()) {
    runtime_.fail(fmt::format("a string becomes longer than {} bytes", kMaxTextBytes));
  }
}

void TextBuilder::append(std::string_view bytes) {
  count(bytes.size());
  text_.append(bytes);
}

void TextBuilder::append(const Text& text, std::size_t begin, std::size_t end) {
  count(end - begin);
  text_.append(text, begin, end);
}

void TextBuilder::append_times(const Text& text, std::size_t n) {
  const bool is_too_long = !text.empty() && n > kMaxTextBytes / text.size();
  count(is_too_long ? kMaxTextBytes + 1 : text.size() * n);
  text_.append(repeat(text, n));
}

}  // namespace confab::engine::jinja
