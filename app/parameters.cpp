// SPDX-License-Identifier: MIT
#include "app/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <locale>
#include <sstream>
#include <type_traits>

#include "ui/words.h"

namespace confab::app {
namespace {

using engine::SamplerParams;

constexpr int kMaxTokens = 16 << 20;
constexpr int kMaxKept = 1 << 20;
constexpr double kLots = 1e6;

constexpr auto kParameters = std::to_array<Parameter>({
    {.name = "temperature",
     .aliases = "temp",
     .key = "temperature",
     .flag = "--temp",
     .help = "Temperature",
     .member = &SamplerParams::temperature,
     .range = {0, 100},
     .off = {{0, "greedy"}},
     .gguf = "temp"},
    {.name = "top_p",
     .aliases = "top-p",
     .key = "top_p",
     .flag = "--top-p",
     .help = "Keep the likeliest tokens up to this total probability",
     .member = &SamplerParams::top_p,
     .range = {0, 1},
     .off = {{1}},
     .gguf = "top_p"},
    {.name = "min_p",
     .aliases = "min-p",
     .key = "min_p",
     .flag = "--min-p",
     .help = "Drop tokens below this share of the likeliest one's probability",
     .member = &SamplerParams::min_p,
     .range = {0, 1},
     .off = {{0}},
     .gguf = "min_p"},
    {.name = "repeat_penalty",
     .aliases = "repeat-penalty",
     .key = "repeat_penalty",
     .flag = "--repeat-penalty",
     .help = "Penalise recent tokens (divides their logits)",
     .member = &SamplerParams::repeat_penalty,
     .range = {0.01, 100},
     .off = {{1}},
     .gguf = "penalty_repeat"},
    {.name = "frequency_penalty",
     .aliases = "frequency-penalty",
     .key = "frequency_penalty",
     .flag = "--frequency-penalty",
     .help = "Penalise recent tokens by count (subtracted each time)",
     .member = &SamplerParams::frequency_penalty,
     .range = {-kLots, kLots},
     .off = {{0}}},
    {.name = "presence_penalty",
     .aliases = "presence-penalty",
     .key = "presence_penalty",
     .flag = "--presence-penalty",
     .help = "Penalise recent tokens once (subtracted once)",
     .member = &SamplerParams::presence_penalty,
     .range = {-kLots, kLots},
     .off = {{0}}},
    {.name = "top_k",
     .aliases = "top-k",
     .key = "top_k",
     .flag = "--top-k",
     .help = "Keep the N likeliest tokens",
     .member = &SamplerParams::top_k,
     .range = {0, kMaxKept},
     .off = {{0}},
     .gguf = "top_k"},
    {.name = "repeat_last_n",
     .aliases = "repeat-last-n",
     .key = "repeat_last_n",
     .flag = "--repeat-last-n",
     .help = "Number of recent tokens to penalise",
     .member = &SamplerParams::repeat_last_n,
     .range = {0, kMaxKept},
     .off = {{0}},
     .gguf = "penalty_last_n"},
    {.name = "seed",
     .aliases = "",
     .key = "seed",
     .flag = "-s,--seed",
     .help = "Random seed (default: random)",
     .member = &SamplerParams::seed,
     .range = {0}},
    {.name = "num_predict",
     .aliases = "predict n",
     .key = "predict",
     .flag = "-n,--predict",
     .help = "Maximum length of an answer in tokens",
     .member = &AnswerOptions::n_predict,
     .range = {-1, kMaxTokens},
     .off = {{-1, "no limit"}}},
    {.name = "reasoning_budget",
     .aliases = "",
     .key = "reasoning_budget",
     .flag = "--reasoning-budget",
     .help = "Maximum length of the reasoning in tokens; 0: none",
     .member = &AnswerOptions::reasoning_budget,
     .range = {-1, kMaxTokens},
     .off = {{-1, "no limit"}},
     .command = "/think budget"},
});

template <class Options, class T>
auto& slot(Options& options, T SamplerParams::*member) noexcept {
  return options.sampling.*member;
}
template <class Options>
auto& slot(Options& options, int AnswerOptions::*member) noexcept {
  return options.*member;
}

// The whole text as a number, whatever the locale is; nullopt: it is not one.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}
template <>
std::optional<double> number_in<double>(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  double value = 0;
  in >> std::noskipws >> value;
  if (in.fail() || in.peek() != std::istringstream::traits_type::eof()) return std::nullopt;
  return value;
}

// How a member's value is read: numbers with a point in full precision, then rounded.
template <class T>
struct Read {
  using Type = T;
};
template <>
struct Read<float> {
  using Type = double;
};
template <class T>
struct Read<std::optional<T>> {
  using Type = T;
};

std::size_t row_of(const Parameter& parameter) noexcept {
  const auto* row = std::ranges::find(kParameters, parameter.name, &Parameter::name);
  return static_cast<std::size_t>(row - kParameters.begin());
}

// Where it is in its range; false: it is not.
template <class Member, class Number>
bool put(AnswerOptions& options, Member member, Number number, const ParameterRange& range) {
  auto& value = slot(options, member);
  const auto as_real = static_cast<double>(number);
  if (!(as_real >= range.least && as_real <= range.most)) return false;
  if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(value)>>)
    value = static_cast<std::remove_reference_t<decltype(value)>>(number);
  else
    value = static_cast<std::uint64_t>(number);
  return true;
}

// As nobody had set it.
void take_back(const Parameter& parameter, AnswerOptions& options) {
  const AnswerOptions built_in;
  std::visit([&](auto member) { slot(options, member) = slot(built_in, member); },
             parameter.member);
  options.given.reset(row_of(parameter));
}

bool is_named(const Parameter& parameter, std::string_view name) noexcept {
  return name == parameter.name || ui::has_word(parameter.aliases, name);
}

}  // namespace

std::span<const Parameter> parameters() noexcept {
  return kParameters;
}

const Parameter* find_set_parameter(std::string_view name) noexcept {
  const auto* found = std::ranges::find_if(
      kParameters, [&](const Parameter& p) { return p.command.empty() && is_named(p, name); });
  return found == kParameters.end() ? nullptr : found;
}

std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                          std::string_view text) {
  if (text == "default") {
    take_back(parameter, options);
    return {};
  }
  const auto set = [&](auto member) {
    using Value = std::remove_reference_t<decltype(slot(options, member))>;
    const auto given = number_in<typename Read<Value>::Type>(text);
    return given && put(options, member, *given, parameter.range);
  };
  if (!std::visit(set, parameter.member))
    return fmt::format("must be {}, not {}", range_text(parameter), text);
  options.given.set(row_of(parameter));
  return {};
}

AnswerOptions with_recommended(AnswerOptions options,
                               std::span<const engine::Recommendation> sampling) {
  for (const Parameter& parameter : kParameters) {
    if (parameter.gguf.empty() || options.given.test(row_of(parameter))) continue;
    const auto of_model =
        std::ranges::find(sampling, parameter.gguf, &engine::Recommendation::name);
    if (of_model != sampling.end())
      std::visit([&](auto member) { put(options, member, of_model->value, parameter.range); },
                 parameter.member);
  }
  return options;
}

bool is_given(const Parameter& parameter, const AnswerOptions& options) noexcept {
  return options.given.test(row_of(parameter));
}

std::string value_text(const Parameter& parameter, const AnswerOptions& options) {
  return std::visit(
      [&](auto member) {
        const auto& value = slot(options, member);
        if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(value)>>)
          return fmt::format("{}", value);
        else
          return value ? fmt::format("{}", *value) : std::string();
      },
      parameter.member);
}

std::string range_text(const Parameter& parameter) {
  const bool real = std::holds_alternative<float SamplerParams::*>(parameter.member);
  const std::string_view kind = real ? "a number" : "a whole number";
  const auto [least, most] = parameter.range;
  std::string text = most == std::numeric_limits<double>::infinity()
                         ? fmt::format("{} of at least {}", kind, least)
                         : fmt::format("{} from {} to {}", kind, least, most);
  if (parameter.off) text += fmt::format(" ({}: {})", parameter.off->value, parameter.off->meaning);
  return text;
}

std::string help_text(const Parameter& parameter) {
  std::string text(parameter.help);
  if (parameter.off) text += fmt::format("; {}: {}", parameter.off->value, parameter.off->meaning);
  return text;
}

}  // namespace confab::app
