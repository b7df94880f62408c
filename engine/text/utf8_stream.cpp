// SPDX-License-Identifier: MIT
#include "engine/text/utf8_stream.h"

#include "engine/utf8.h"

namespace confab::engine {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

void Utf8Stream::push(std::string_view bytes, std::string& text) {
  held_ += bytes;
  std::string_view rest = held_;
  while (!rest.empty()) {
    const Utf8Char c = read_utf8(rest);
    if (c.cut) break;
    text += c.code_point == kNotUtf8 ? kReplacement : rest.substr(0, c.size);
    rest.remove_prefix(c.size);
  }
  held_.erase(0, held_.size() - rest.size());
}

void Utf8Stream::finish(std::string& text) {
  if (held_.empty()) return;
  text += kReplacement;
  held_.clear();
}

}  // namespace confab::engine
