// SPDX-License-Identifier: MIT
#include "ui/link_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "ui/words.h"

namespace confab::ui {
namespace {

constexpr std::size_t kMaxBytes = 2083;

// Compares without regard to case. `prefix` must be in lower case.
bool begins_with(std::string_view url, std::string_view prefix) {
  return url.size() > prefix.size() &&
         std::ranges::equal(url.substr(0, prefix.size()), prefix, {}, to_lower);
}

bool may_be_followed(std::string_view url) {
  if (begins_with(url, "mailto:")) return true;
  return std::ranges::any_of(kWebSchemes, [url](std::string_view scheme) {
    return begins_with(url, std::string(scheme) + "://");
  });
}

}  // namespace

std::string link_target(std::string_view url) {
  if (url.size() > kMaxBytes || !may_be_followed(url)) return {};
  std::string target;
  for (const char c : url) {
    if (c > 0x20 && c < 0x7f)
      target += c;
    else
      target += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return target.size() <= kMaxBytes ? target : std::string{};
}

}  // namespace confab::ui
