// SPDX-License-Identifier: MIT
#include "ui/utf8.h"

#include <utf8proc.h>

#include <array>

namespace confab::ui {
namespace {

constexpr char32_t kReplacement = 0xfffd;

}  // namespace

std::string to_utf8(char32_t character) {
  const bool valid = character <= 0x10ffff &&
                     utf8proc_codepoint_valid(static_cast<utf8proc_int32_t>(character)) != 0;
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t n = utf8proc_encode_char(
      static_cast<utf8proc_int32_t>(valid ? character : kReplacement), bytes.data());
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(n)};
}

Utf8Character next_character(std::string_view text) {
  utf8proc_int32_t character = 0;
  const utf8proc_ssize_t n =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &character);
  if (n <= 0) return {kReplacement, 1};
  return {static_cast<char32_t>(character), static_cast<std::size_t>(n)};
}

}  // namespace confab::ui
