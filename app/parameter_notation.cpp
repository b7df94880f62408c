// SPDX-License-Identifier: MIT
#include "app/parameter_notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <utility>

#include "ui/words.h"

namespace confab::app {
namespace {

constexpr std::size_t kMaxEntries = 32;  // of a list
constexpr float kMaxBias = 1e6F;
constexpr std::string_view kNone = "none";
constexpr std::string_view kBlanks = " \t,;";

template <class T>
std::optional<T> whole_in(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Stores the number if it is in the range.
template <class Number, class Value>
bool put(std::optional<Number> number, const ParameterRange& range, Value& value) {
  if (!number) return false;
  const auto as_real = static_cast<double>(*number);
  if (!(as_real >= range.least && as_real <= range.most)) return false;
  value =
      static_cast<typename std::conditional_t<std::is_arithmetic_v<Value>, Value, Number>>(*number);
  return true;
}

void skip(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

// Removes and returns the text up to the first of these characters.
std::string_view take_until(std::string_view& text, std::string_view characters) {
  const std::string_view taken = text.substr(0, text.find_first_of(characters));
  text.remove_prefix(taken.size());
  return taken;
}

constexpr auto kEscapes = std::to_array<std::pair<char, char>>(
    {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'"', '"'}, {'\\', '\\'}});

// Removes a character or an escape sequence from the text, and returns the character.
char take_character(std::string_view& text) {
  char c = text[0];
  std::size_t n = 1;
  for (const auto& [letter, meant] : kEscapes) {
    if (c != '\\' || text.size() < 2 || text[1] != letter) continue;
    c = meant;
    n = 2;
    break;
  }
  text.remove_prefix(n);
  return c;
}

// Removes a text in double quotes from the beginning. Returns nullopt if it is unterminated or
// empty.
std::optional<std::string> take_quoted(std::string_view& text) {
  text.remove_prefix(1);
  std::string taken;
  while (!text.empty() && text[0] != '"') taken += take_character(text);
  if (text.empty() || taken.empty()) return std::nullopt;
  text.remove_prefix(1);
  return taken;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto* found = std::ranges::find(kEscapes, c, &std::pair<char, char>::second);
    if (found != kEscapes.end())
      quoted += {'\\', found->first};
    else
      quoted += c;
  }
  return quoted + '"';
}

// Removes "+1.5" or "-inf" from the beginning.
std::optional<float> take_bias(std::string_view& text) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const bool minus = text[0] == '-';
  text.remove_prefix(1);
  const std::string_view amount = take_until(text, kBlanks);
  if (minus && amount == "inf") return -std::numeric_limits<float>::infinity();
  if (amount.empty() || amount[0] < '.' || amount[0] > '9') return std::nullopt;
  const auto size = real_in(amount);
  if (!size || !(*size <= kMaxBias)) return std::nullopt;
  return static_cast<float>(minus ? -*size : *size);
}

std::optional<engine::LogitBias> take_logit_bias(std::string_view& text) {
  engine::LogitBias bias;
  if (text[0] == '"') {
    auto of = take_quoted(text);
    if (!of) return std::nullopt;
    bias.text = std::move(*of);
  } else {
    const auto token = whole_in<engine::Token>(take_until(text, "+-"));
    if (!token || *token < 0) return std::nullopt;
    bias.token = *token;
  }
  const auto amount = take_bias(text);
  if (!amount) return std::nullopt;
  bias.bias = *amount;
  return bias;
}

// Reads entries with `take`, separated by blanks; or "none".
template <class Entry, class Take>
bool read_list(std::string_view text, std::vector<Entry>& value, const Take& take) {
  std::vector<Entry> entries;
  skip(text, kBlanks);
  if (text.empty()) return false;
  if (text == kNone) text = {};
  while (!text.empty()) {
    std::optional<Entry> entry = take(text);
    if (!entry || entries.size() == kMaxEntries) return false;
    if (!text.empty() && kBlanks.find(text[0]) == std::string_view::npos) return false;
    entries.push_back(std::move(*entry));
    skip(text, kBlanks);
  }
  value = std::move(entries);
  return true;
}

template <class Entry, class Write>
std::string write_list(const std::vector<Entry>& entries, char separator, const Write& write) {
  if (entries.empty()) return std::string(kNone);
  std::string text;
  for (const Entry& entry : entries) {
    if (!text.empty()) text += separator;
    text += write(entry);
  }
  return text;
}

std::string expected_number(std::string_view kind, const ParameterRange& range) {
  const auto [least, most] = range;
  return most == std::numeric_limits<double>::infinity()
             ? fmt::format("{} of at least {}", kind, least)
             : fmt::format("{} from {} to {}", kind, least, most);
}

}  // namespace

std::optional<double> real_in(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> std::noskipws >> value;
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}

bool read_value(std::string_view text, const ParameterRange& range, float& value) {
  return put(real_in(text), range, value);  // parsed in full precision, then rounded
}

bool read_value(std::string_view text, const ParameterRange& range, int& value) {
  return put(whole_in<int>(text), range, value);
}

bool read_value(std::string_view text, const ParameterRange& range,
                std::optional<std::uint64_t>& value) {
  return put(whole_in<std::uint64_t>(text), range, value);
}

bool read_value(std::string_view text, const ParameterRange&, bool& value) {
  const std::string word = ui::lower_case(text);
  const bool on = ui::has_word("true on yes 1", word);
  if (!on && !ui::has_word("false off no 0", word)) return false;
  value = on;
  return true;
}

bool read_value(std::string_view text, const ParameterRange&, Samplers& value) {
  return read_list(text, value, [](std::string_view& rest) {
    return engine::find_sampler(take_until(rest, kBlanks));
  });
}

bool read_value(std::string_view text, const ParameterRange&, Texts& value) {
  if (!text.empty() && text[0] != '"' && text != kNone) {
    std::string one;
    while (!text.empty()) one += take_character(text);
    value = {one};
    return true;
  }
  return read_list(text, value, [](std::string_view& rest) {
    return rest[0] == '"' ? take_quoted(rest) : std::nullopt;
  });
}

bool read_value(std::string_view text, const ParameterRange&, Biases& value) {
  return read_list(text, value, take_logit_bias);
}

std::string write_value(float value) {
  return fmt::format("{}", value);
}

std::string write_value(int value) {
  return fmt::format("{}", value);
}

std::string write_value(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

std::string write_value(bool value) {
  return value ? "true" : "false";
}

std::string write_value(const Samplers& value) {
  return write_list(value, ';', engine::sampler_name);
}

std::string write_value(const Texts& value) {
  return write_list(value, ' ', in_quotes);
}

std::string write_value(const Biases& value) {
  return write_list(value, ' ', [](const engine::LogitBias& bias) {
    const std::string of = bias.token < 0 ? in_quotes(bias.text) : fmt::format("{}", bias.token);
    return fmt::format("{}{:+}", of, bias.bias);
  });
}

std::string expected_text(float, const ParameterRange& range) {
  return expected_number("a number", range);
}

std::string expected_text(int, const ParameterRange& range) {
  return expected_number("a whole number", range);
}

std::string expected_text(const std::optional<std::uint64_t>&, const ParameterRange& range) {
  return expected_number("a whole number", range);
}

std::string expected_text(bool, const ParameterRange&) {
  return "true or false";
}

std::string expected_text(const Samplers&, const ParameterRange&) {
  const Samplers all(engine::kSamplerOrder.begin(), engine::kSamplerOrder.end());
  return fmt::format("some of {} in their order, or none", write_value(all));
}

std::string expected_text(const Texts&, const ParameterRange&) {
  return "a text, or several in double quotes, or none";
}

std::string expected_text(const Biases&, const ParameterRange&) {
  return "TOKEN+BIAS or TOKEN-BIAS, TOKEN a number or a text in double quotes, or none";
}

}  // namespace confab::app
