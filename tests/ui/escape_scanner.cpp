// SPDX-License-Identifier: MIT
#include "tests/ui/escape_scanner.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>

namespace confab::ui {
namespace {

bool all_of(std::string_view text, std::string_view allowed) {
  return text.find_first_not_of(allowed) == std::string_view::npos;
}

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& known) {
  return std::ranges::find(known, text) != known.end();
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kNumbers = "0123456789;";

// What stands between CSI and its last byte.
bool is_own_csi(std::string_view body, char last) {
  // Application cursor keys, autowrap, blinking and visible cursor, mouse, focus, wheel, alternate
  // screen, bracketed paste, synchronised output, news of colours.
  static constexpr std::array<std::string_view, 12> kModes = {"?1",    "?7",    "?12",   "?25",
                                                              "?1000", "?1004", "?1006", "?1007",
                                                              "?1049", "?2004", "?2026", "?2031"};
  static constexpr std::array<std::string_view, 3> kKeyboard = {"?", ">5", "<"};
  switch (last) {
    case 'A':
    case 'B':
    case 'C':
    case 'D':
    case 'G':
    case 'd':
      return all_of(body, kDigits) && body.size() <= 5;
    case 'r':
      if (body == "?1007") return true;
      [[fallthrough]];
    case 'H':
      return all_of(body, kNumbers) && std::ranges::count(body, ';') <= 1;
    case 's':
      return body == "?1007";
    case 'm':
      if (body == ">4" || body == ">4;2") return true;  // keys with modifiers
      return all_of(body, kNumbers) && body.size() <= 64;
    case 'J':
    case 'K':
    case 'c':  // what are you?
      return body.empty();
    case 'h':
    case 'l':
      return is_one_of(body, kModes);
    case 't':  // the stack of titles, in terminfo's smcup and rmcup
      return body == "22;0;0" || body == "23;0;0";
    case 'n':  // where is the cursor?
      return body == "6";
    case 'q':  // who are you?
      return body == ">0";
    case 'p':  // do you know synchronised output?
      return body == "?2026$";
    case 'u':
      return is_one_of(body, kKeyboard);
    default:
      return false;
  }
}

bool is_own_osc(std::string_view body) {
  if (body == "11;?") return true;
  if (body.starts_with("52;c;"))
    return std::ranges::all_of(body.substr(5), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=';
    });
  if (body.starts_with("9;")) return body.find(';', 2) == std::string_view::npos;
  if (body.starts_with("777;notify;")) return std::ranges::count(body, ';') == 3;
  if (!body.starts_with("8;")) return false;
  const std::size_t target = body.find(';', 2);
  if (target == std::string_view::npos) return false;
  const std::string_view parameters = body.substr(2, target - 2);
  const bool id = parameters.starts_with("id=") && parameters.size() <= 11 &&
                  all_of(parameters.substr(3), "0123456789abcdef");
  return (parameters.empty() ? target + 1 == body.size() : id) &&
         std::ranges::all_of(body.substr(target), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::size_t own_csi_size(std::string_view rest) {
  std::size_t end = 2;
  while (end < rest.size() && rest[end] >= 0x20 && rest[end] < 0x40) ++end;
  if (end == rest.size() || !is_own_csi(rest.substr(2, end - 2), rest[end])) return 0;
  return end + 1;
}

// Ended by ST, with nothing that controls inside.
std::size_t own_osc_size(std::string_view rest) {
  const auto control = std::find_if(rest.begin() + 2, rest.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  const auto size = static_cast<std::size_t>(control - rest.begin());
  if (!rest.substr(size).starts_with("\x1b\\") || !is_own_osc(rest.substr(2, size - 2))) return 0;
  return size + 2;
}

// The bytes of the sequence that begins here; 0: it is not ours.
std::size_t own_escape_size(std::string_view rest) {
  if (rest.starts_with("\x1b[")) return own_csi_size(rest);
  if (rest.starts_with("\x1b]")) return own_osc_size(rest);
  if (rest.starts_with("\x1bM") || rest.starts_with("\x1b>")) return 2;
  return rest.starts_with("\x1b(B") ? 3 : 0;
}

// Bidirectional controls, tags.
bool misleads(utf8proc_int32_t c) {
  static constexpr std::array kBidi = {
      UTF8PROC_BIDI_CLASS_LRE, UTF8PROC_BIDI_CLASS_LRO, UTF8PROC_BIDI_CLASS_RLE,
      UTF8PROC_BIDI_CLASS_RLO, UTF8PROC_BIDI_CLASS_PDF, UTF8PROC_BIDI_CLASS_LRI,
      UTF8PROC_BIDI_CLASS_RLI, UTF8PROC_BIDI_CLASS_FSI, UTF8PROC_BIDI_CLASS_PDI};
  return std::ranges::find(kBidi, utf8proc_get_property(c)->bidi_class) != kBidi.end() ||
         (c >= 0xe0000 && c <= 0xe007f);
}

// The bytes of a flag that begins here: a black one, letters and digits as tags, and their end.
std::size_t flag_size(std::string_view rest) {
  if (!rest.starts_with("🏴")) return 0;
  std::size_t at = 4;
  for (utf8proc_int32_t c = 0; at < rest.size(); at += 4) {
    const utf8proc_ssize_t n = utf8proc_iterate(
        reinterpret_cast<const utf8proc_uint8_t*>(rest.data() + at),
        static_cast<utf8proc_ssize_t>(std::min<std::size_t>(rest.size() - at, 4)), &c);
    if (n == 4 && c == 0xe007f && at > 4) return at + 4;
    const utf8proc_int32_t tag = c - 0xe0000;
    if (n != 4 || tag < 0 || tag > 'z' || std::isalnum(tag) == 0 || std::isupper(tag) != 0) break;
  }
  return 0;
}

// The bytes of the character or flag that begins here; 0: none that is harmless.
std::size_t text_size(std::string_view rest) {
  const char first = rest[0];
  if (first == '\r' || first == '\n' || first == '\b' || first == '\t') return 1;
  if (const std::size_t n = flag_size(rest); n > 0) return n;
  utf8proc_int32_t c = 0;
  const utf8proc_ssize_t n =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                       static_cast<utf8proc_ssize_t>(std::min<std::size_t>(rest.size(), 4)), &c);
  if (n <= 0 || utf8proc_get_property(c)->category == UTF8PROC_CATEGORY_CC || misleads(c)) return 0;
  return static_cast<std::size_t>(n);
}

}  // namespace

std::optional<std::string> foreign_sequence(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t n = bytes[0] == '\x1b' ? own_escape_size(bytes) : text_size(bytes);
    if (n == 0) return std::string(bytes.substr(0, 24));
    bytes.remove_prefix(n);
  }
  return std::nullopt;
}

}  // namespace confab::ui
