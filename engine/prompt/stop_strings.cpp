// SPDX-License-Identifier: MIT
#include "engine/prompt/stop_strings.h"

#include <algorithm>
#include <utility>

namespace confab::engine {
namespace {

// Length of the longest tail of `bytes` that starts `string` without being all of it.
std::size_t tail_that_starts(std::string_view bytes, std::string_view string) noexcept {
  std::size_t n = std::min(bytes.size(), string.size() - 1);
  while (n > 0 && !string.starts_with(bytes.substr(bytes.size() - n))) --n;
  return n;
}

}  // namespace

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
  std::erase_if(strings_, [](const std::string& s) { return s.empty(); });
  std::sort(strings_.begin(), strings_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

bool StopStrings::push(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    held_ += c;
    std::size_t n_held = 0;
    for (const std::string& stop : strings_) {
      if (held_.ends_with(stop)) {
        out.append(held_, 0, held_.size() - stop.size());
        held_.clear();
        return true;
      }
      n_held = std::max(n_held, tail_that_starts(held_, stop));
    }
    out.append(held_, 0, held_.size() - n_held);
    held_.erase(0, held_.size() - n_held);
  }
  return false;
}

void StopStrings::finish(std::string& out) {
  out += held_;
  held_.clear();
}

}  // namespace confab::engine
