// SPDX-License-Identifier: MIT
#include "engine/constrain/json/json_number.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "engine/error.h"

namespace confab::engine {
namespace {

constexpr std::size_t kMaxDigits = 400;
constexpr int kMaxDivisor = 10'000;

RegexId digits(RegexSet& r, char first = '0', char last = '9') {
  if (first > last) return RegexSet::kNothing;
  return r.bytes(ByteSet::range(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(last)));
}
RegexId any_digits(RegexSet& r, int min = 0) {
  return r.repeat(digits(r), min, RegexSet::kNoLimit);
}
RegexId zeros(RegexSet& r, int min = 0) {
  return r.repeat(r.literal("0"), min, RegexSet::kNoLimit);
}
RegexId whole_number(RegexSet& r) {
  return r.either({r.literal("0"), r.concat(digits(r, '1'), any_digits(r))});
}
RegexId optional_fraction(RegexSet& r) {
  return r.optional(r.concat(r.literal("."), any_digits(r, 1)));
}
RegexId optional_zeros(RegexSet& r) {
  return r.optional(r.concat(r.literal("."), zeros(r, 1)));
}

// Whole numbers greater than `bound`, then whole numbers less than `bound`.
RegexId whole_above(RegexSet& r, std::string_view bound) {
  const auto longer = r.concat(
      digits(r, '1'), r.repeat(digits(r), static_cast<int>(bound.size()), RegexSet::kNoLimit));
  std::vector<RegexId> parts{longer};
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const auto rest = static_cast<int>(bound.size() - i - 1);
    parts.push_back(
        r.concat({r.literal(bound.substr(0, i)), digits(r, static_cast<char>(bound[i] + 1)),
                  r.repeat(digits(r), rest, rest)}));
  }
  return r.either(std::move(parts));
}
RegexId whole_below(RegexSet& r, std::string_view bound) {
  std::vector<RegexId> parts;
  const auto shorter = static_cast<int>(bound.size()) - 1;
  if (shorter > 0) {
    parts.push_back(r.literal("0"));
    parts.push_back(r.concat(digits(r, '1'), r.repeat(digits(r), 0, shorter - 1)));
  }
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const auto rest = static_cast<int>(bound.size() - i - 1);
    const char least = i == 0 && bound.size() > 1 ? '1' : '0';
    if (bound[i] <= least) continue;
    parts.push_back(
        r.concat({r.literal(bound.substr(0, i)), digits(r, least, static_cast<char>(bound[i] - 1)),
                  r.repeat(digits(r), rest, rest)}));
  }
  return r.either(std::move(parts));
}

// Digits after the point that make a fraction of at least `bound`, or more than `bound` if
// exclusive; then the same for at most and less.
RegexId fraction_above(RegexSet& r, std::string_view bound, bool is_exclusive) {
  if (bound.empty())
    return is_exclusive ? r.concat({zeros(r), digits(r, '1'), any_digits(r)}) : any_digits(r);
  const char d = bound[0];
  return r.either({r.concat(digits(r, static_cast<char>(d + 1)), any_digits(r)),
                   r.concat(digits(r, d, d), fraction_above(r, bound.substr(1), is_exclusive))});
}
RegexId fraction_below(RegexSet& r, std::string_view bound, bool is_exclusive) {
  if (bound.empty()) return is_exclusive ? RegexSet::kNothing : zeros(r);
  const char d = bound[0];
  return r.either({RegexSet::kEmpty,
                   r.concat(digits(r, '0', static_cast<char>(d - 1)), any_digits(r)),
                   r.concat(digits(r, d, d), fraction_below(r, bound.substr(1), is_exclusive))});
}

// The point and at least one digit of the fraction. Both may be missing if the fraction may be
// empty.
RegexId with_point(RegexSet& r, RegexId fraction) {
  const RegexId some = r.concat(r.literal("."), r.both({fraction, any_digits(r, 1)}));
  return r.accepts(fraction) ? r.optional(some) : some;
}

// Numbers without a sign above or below a bound.
RegexId unsigned_above(RegexSet& r, const Decimal& bound, bool is_exclusive) {
  return r.either({r.concat(whole_above(r, bound.whole), optional_fraction(r)),
                   r.concat(r.literal(bound.whole),
                            with_point(r, fraction_above(r, bound.fraction, is_exclusive)))});
}
RegexId unsigned_below(RegexSet& r, const Decimal& bound, bool is_exclusive) {
  const RegexId fraction = fraction_below(r, bound.fraction, is_exclusive);
  return r.either({r.concat(whole_below(r, bound.whole), optional_fraction(r)),
                   r.concat(r.literal(bound.whole), with_point(r, fraction))});
}

RegexId negative(RegexSet& r, RegexId number) {
  return r.concat(r.literal("-"), number);
}
RegexId unsigned_number(RegexSet& r) {
  return r.concat(whole_number(r), optional_fraction(r));
}

// A table that divides digit by digit. A state knows the remainder so far, and how many digits
// stand after the point.
class DivisionTable {
 public:
  DivisionTable(int divisor, int n_fraction)
      : divisor_(divisor), n_fraction_(n_fraction), table_(std::make_shared<RegexSet::Table>()) {
    // States: 0 is the start, 1 follows the sign, 2 follows a leading zero. Then come whole numbers
    // by their remainder, then fractions by their number of digits and remainder; see fraction().
    const int n_states = 3 + divisor * (n_fraction + 3);
    for (const char c : kBytes)
      table_->columns.push_back(ByteSet::of(static_cast<std::uint8_t>(c)));
    table_->next.assign(static_cast<std::size_t>(n_states) * kBytes.size(), -1);
    table_->accepts.assign(static_cast<std::size_t>(n_states), false);
    set(0, '-', 1);
    for (const int from : {0, 1}) {
      set(from, '0', 2);
      for (int d = 1; d < 10; ++d) set(from, '0' + d, whole(d % divisor));
    }
    fill_point(2, 0);
    for (int rest = 0; rest < divisor; ++rest) {
      for (int d = 0; d < 10; ++d) set(whole(rest), '0' + d, whole((rest * 10 + d) % divisor));
      fill_point(whole(rest), rest);
      for (int i = 0; i <= n_fraction + 1; ++i) fill_fraction(i, rest);
    }
  }
  std::shared_ptr<const RegexSet::Table> table() const { return table_; }

 private:
  static constexpr std::string_view kBytes = "0123456789-.";
  int whole(int rest) const { return 3 + rest; }
  // The state after i digits behind the point. i = 0 is the point alone, i = n_fraction + 1 is
  // further zeros after all of them.
  int fraction(int i, int rest) const { return 3 + divisor_ * (i + 1) + rest; }
  void set(int from, int byte, int to) {
    table_->next[static_cast<std::size_t>(from) * kBytes.size() +
                 kBytes.find(static_cast<char>(byte))] = to;
  }
  bool divides(int i, int rest) const {
    for (; i < n_fraction_; ++i) rest = rest * 10 % divisor_;
    return rest == 0;
  }
  void fill_point(int state, int rest) {
    table_->accepts[static_cast<std::size_t>(state)] = divides(0, rest);
    set(state, '.', fraction(0, rest));
  }
  void fill_fraction(int i, int rest) {
    const bool is_last = i >= n_fraction_;
    table_->accepts[static_cast<std::size_t>(fraction(i, rest))] =
        i > 0 && divides(std::min(i, n_fraction_), rest);
    for (int d = 0; d < 10; ++d) {
      if (is_last && d > 0) break;
      const int to = is_last ? rest : (rest * 10 + d) % divisor_;
      set(fraction(i, rest), '0' + d, fraction(is_last ? n_fraction_ + 1 : i + 1, to));
    }
  }

  int divisor_;
  int n_fraction_;
  std::shared_ptr<RegexSet::Table> table_;
};

}  // namespace

Decimal Decimal::parse(std::string_view json) {
  Decimal number;
  std::string_view rest = json;
  if (rest.starts_with('-')) {
    number.is_negative = true;
    rest.remove_prefix(1);
  }
  const std::size_t at_exponent = rest.find_first_of("eE");
  long exponent = 0;
  if (at_exponent != std::string_view::npos) {
    std::string_view text = rest.substr(at_exponent + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (read.ec != std::errc{}) exponent = 10L * static_cast<long>(kMaxDigits);
    rest = rest.substr(0, at_exponent);
  }
  const std::size_t point = std::min(rest.find('.'), rest.size());
  std::string all(rest.substr(0, point));
  if (point < rest.size()) all += rest.substr(point + 1);
  long n_whole = static_cast<long>(point) + exponent;
  const bool is_number = !all.empty() && all.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || n_whole > static_cast<long>(kMaxDigits) ||
      n_whole < -static_cast<long>(kMaxDigits) || all.size() > kMaxDigits)
    throw ModelError(fmt::format("the number {} is too large or too small", printable(json)));
  if (n_whole < 0) all.insert(0, static_cast<std::size_t>(-n_whole), '0');
  n_whole = std::max(n_whole, 0L);
  if (all.size() < static_cast<std::size_t>(n_whole))
    all.append(static_cast<std::size_t>(n_whole) - all.size(), '0');
  number.whole = all.substr(0, static_cast<std::size_t>(n_whole));
  number.fraction = all.substr(static_cast<std::size_t>(n_whole));
  number.whole.erase(0, std::min(number.whole.find_first_not_of('0'), number.whole.size()));
  if (number.whole.empty()) number.whole = "0";
  number.fraction.erase(number.fraction.find_last_not_of('0') + 1);
  if (number.is_zero()) number.is_negative = false;
  return number;
}

RegexId plain_number(RegexSet& r) {
  return r.concat(r.optional(r.literal("-")), unsigned_number(r));
}

RegexId any_number(RegexSet& r) {
  const RegexId sign = r.optional(r.either({r.literal("+"), r.literal("-")}));
  // Exponents up to 299, because most readers cannot represent numbers beyond a double.
  const RegexId size = r.concat(r.optional(digits(r, '1', '2')), r.repeat(digits(r), 1, 2));
  const RegexId exponent = r.concat({r.either({r.literal("e"), r.literal("E")}), sign, size});
  return r.concat(plain_number(r), r.optional(exponent));
}

RegexId integer(RegexSet& r) {
  return r.concat(plain_integer(r), optional_zeros(r));
}

RegexId plain_integer(RegexSet& r) {
  return r.concat(r.optional(r.literal("-")), whole_number(r));
}

RegexId equal_to(RegexSet& r, const Decimal& number) {
  const RegexId sign =
      number.is_zero() ? r.optional(r.literal("-")) : r.literal(number.is_negative ? "-" : "");
  const RegexId fraction = number.fraction.empty()
                               ? optional_zeros(r)
                               : r.concat({r.literal("."), r.literal(number.fraction), zeros(r)});
  return r.concat({sign, r.literal(number.whole), fraction});
}

RegexId at_least(RegexSet& r, const Decimal& bound, bool is_exclusive) {
  if (bound.is_negative)
    return r.either({unsigned_number(r), negative(r, unsigned_below(r, bound, is_exclusive))});
  const RegexId above = unsigned_above(r, bound, is_exclusive);
  if (!bound.is_zero() || is_exclusive) return above;
  return r.either({above, equal_to(r, bound)});
}

RegexId at_most(RegexSet& r, const Decimal& bound, bool is_exclusive) {
  if (bound.is_negative) return negative(r, unsigned_above(r, bound, is_exclusive));
  const RegexId below = unsigned_below(r, bound, is_exclusive);
  const RegexId all_negative = negative(r, unsigned_above(r, {}, true));
  // If zero is within the bound, so is -0.
  const bool has_zero = !bound.is_zero() || !is_exclusive;
  return r.either({below, all_negative, has_zero ? equal_to(r, {}) : RegexSet::kNothing});
}

RegexId multiple_of(RegexSet& r, const Decimal& divisor) {
  const std::string all =
      divisor.whole == "0" ? divisor.fraction : divisor.whole + divisor.fraction;
  int value = 0;
  const char* end = all.data() + all.size();
  const bool is_read = std::from_chars(all.data(), end, value).ec == std::errc{};
  const auto n_fraction = static_cast<int>(divisor.fraction.size());
  if (divisor.is_negative || divisor.is_zero()) throw ModelError("must be greater than 0");
  if (!is_read || value > kMaxDivisor || value * (n_fraction + 3) > kMaxDivisor)
    throw ModelError("has too many digits to be counted with");
  return r.table(DivisionTable(value, n_fraction).table(), 0);
}

}  // namespace confab::engine
