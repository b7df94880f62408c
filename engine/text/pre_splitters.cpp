// SPDX-License-Identifier: MIT
#include "engine/text/pre_splitters.h"

#include <cstddef>

#include "engine/text/pre_chars.h"
#include "engine/text/unicode_class.h"

namespace confab::engine {
namespace {

using namespace pre;

// Collects parts by their ends.
class Cutter {
 public:
  Cutter(const char* begin, std::vector<std::string_view>& parts) : at_(begin), parts_(parts) {}
  void cut(const char* p) {
    if (p != at_) parts_.emplace_back(at_, static_cast<std::size_t>(p - at_));
    at_ = p;
  }

 private:
  const char* at_;
  std::vector<std::string_view>& parts_;
};

bool is_ascii_digit(Char c) {
  return in(c, '0', '9');
}

}  // namespace

void split_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* p = piece.data();
  const char* const end = p + piece.size();
  Cutter cutter(p, parts);
  while (p < end) {
    const char* digits_end = run(p, end, is_ascii_digit);
    for (const char* q = p + (digits_end - p) % 3; q < digits_end; q += 3) cutter.cut(q);
    p = digits_end < end ? digits_end + read_char(digits_end, end).size : end;
  }
  cutter.cut(end);
}

void split_before_digits_by_threes(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* p = piece.data();
  const char* const end = p + piece.size();
  Cutter cutter(p, parts);
  while (p < end) {
    p = run(p, end, [](Char c) { return !has(c, kNumber); });
    int n = 0;
    for (const char* q = p; q < end && has(read_char(q, end), kNumber); ++n) {
      q += read_char(q, end).size;
    }
    for (int taken = n % 3 != 0 ? n % 3 : 3; n > 0; taken = 3) {
      p = numbers(p, end, taken);
      cutter.cut(p);
      n -= taken;
    }
  }
  cutter.cut(end);
}

void split_off_last_spaces(std::string_view piece, std::vector<std::string_view>& parts) {
  const char* const begin = piece.data();
  const char* const end = begin + piece.size();
  const char* spaces = end;
  for (const char* p = end; p != begin;) {
    do {
      --p;
    } while (p != begin && (static_cast<unsigned char>(*p) & 0xC0) == 0x80);
    if (!has(read_char(p, end), kSpace)) break;
    spaces = p;
  }
  Cutter cutter(begin, parts);
  cutter.cut(spaces);
  cutter.cut(end);
}

}  // namespace confab::engine
