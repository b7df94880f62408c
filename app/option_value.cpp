// SPDX-License-Identifier: MIT
#include "app/option_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "app/parameter_notation.h"
#include "engine/cache/cache_type.h"
#include "ui/words.h"

namespace confab::app {
namespace {

using Fault = std::string;  // empty: success
using Texts = std::vector<std::string>;

constexpr double kGib = 1 << 30;
constexpr double kMaxGib = 1 << 30;  // an exbibyte
constexpr int kMaxMinutes = 7 * 24 * 60;

Fault outside(const OptionValue& value, std::string_view text) {
  return fmt::format("must be {}, not {}", range_text(value), text);
}

std::optional<bool> truth_in(std::string_view text) {
  const std::string word = ui::lower_case(text);
  if (ui::has_word("true on yes 1", word)) return true;
  if (ui::has_word("false off no 0", word)) return false;
  return std::nullopt;
}

// Parses the whole text, independently of the locale.
std::optional<int> count_in(std::string_view text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// First the values for a single question, then those for a chat.
constexpr auto kOverflows =
    std::to_array<std::pair<std::string_view, Overflow>>({{"error", Overflow::error},
                                                          {"split", Overflow::split},
                                                          {"truncate", Overflow::truncate},
                                                          {"shift", Overflow::shift},
                                                          {"summarise", Overflow::summarise},
                                                          {"stop", Overflow::stop}});

constexpr auto kRopeScalings = std::to_array<std::pair<std::string_view, engine::RopeScaling>>(
    {{"none", engine::RopeScaling::none},
     {"linear", engine::RopeScaling::linear},
     {"yarn", engine::RopeScaling::yarn}});

// Sets a value from one text.
struct Put {
  const OptionValue& value;
  ChatOptions& options;
  const std::string& text;
  Origin from;

  Fault operator()(const SwitchValue& kind) const {
    const auto truth = truth_in(text);
    if (!truth) return outside(value, text);
    kind.of(options) = *truth != kind.inverted;
    return {};
  }
  Fault operator()(const OnOffAutoValue& kind) const {
    const auto truth = truth_in(text);
    if (!truth && ui::lower_case(text) != "auto") return outside(value, text);
    kind.of(options) = truth;
    return {};
  }
  Fault operator()(const CountValue& kind) const {
    const auto count = count_in(text);
    if (count && count == kind.unset) {
      kind.of(options) = 0;
      return {};
    }
    if (!count || *count < kind.least || *count > kind.most) return outside(value, text);
    kind.of(options) = *count;
    return {};
  }
  Fault operator()(const ShareValue& kind) const {
    const auto share = real_in(text);
    if (!share || !(*share >= 0 && *share <= 1)) return outside(value, text);
    kind.of(options) = static_cast<float>(*share);
    return {};
  }
  Fault operator()(const TextValue& kind) const {
    kind.of(options) = text;
    return {};
  }
  Fault operator()(const TextsValue& kind) const {
    kind.of(options) = {text};
    return {};
  }
  Fault operator()(const CacheTypeValue& kind) const {
    const kernels::DtypeInfo* found = engine::find_cache_type(text);
    if (found == nullptr) return outside(value, text);
    kind.of(options) = found->dtype;
    return {};
  }
  Fault operator()(const DeviceValue& kind) const {
    const auto device = engine::parse_device(ui::lower_case(text));
    if (!device) return outside(value, text);
    kind.of(options) = *device;
    return {};
  }
  Fault operator()(const OverflowValue& kind) const {
    const std::string word = ui::lower_case(text);
    for (const auto& [name, overflow] : kOverflows)
      if (word == name || (word == "summarize" && overflow == Overflow::summarise)) {
        kind.of(options) = overflow;
        return {};
      }
    return outside(value, text);
  }
  Fault operator()(const GibValue& kind) const {
    const auto gib = real_in(text);
    if (!gib || !(*gib >= 0 && *gib <= kMaxGib)) return outside(value, text);
    kind.of(options) = static_cast<std::uint64_t>(*gib * kGib);
    return {};
  }
  Fault operator()(const MinutesValue& kind) const {
    const bool is_off = truth_in(text) == false;
    const auto minutes = real_in(text);
    if (!is_off && !(minutes && *minutes > 0 && *minutes <= kMaxMinutes))
      return outside(value, text);
    kind.of(options) = std::chrono::seconds(is_off ? 0 : std::max(1L, std::lround(*minutes * 60)));
    return {};
  }
  Fault operator()(const NumberValue& kind) const {
    const auto number = real_in(text);
    const double least{kind.least}, most{kind.most};
    if (!number || !(*number >= least && *number <= most)) return outside(value, text);
    kind.of(options) = static_cast<float>(*number);
    return {};
  }
  Fault operator()(const RopeScalingValue& kind) const {
    const std::string word = ui::lower_case(text);
    for (const auto& [name, scaling] : kRopeScalings)
      if (word == name) {
        kind.of(options) = scaling;
        return {};
      }
    return outside(value, text);
  }
  Fault operator()(const Parameter* parameter) const {
    return set_parameter(*parameter, options, std::span(&text, 1), from);
  }
};

// The rows give mutable places, so this works on a copy of the options.
struct Get {
  ChatOptions& options;

  Texts operator()(const SwitchValue& kind) const {
    return {kind.of(options) != kind.inverted ? "true" : "false"};
  }
  Texts operator()(const OnOffAutoValue& kind) const {
    const std::optional<bool> choice = kind.of(options);
    return {!choice ? "auto" : *choice ? "true" : "false"};
  }
  Texts operator()(const CountValue& kind) const { return {fmt::format("{}", kind.of(options))}; }
  Texts operator()(const ShareValue& kind) const { return {fmt::format("{}", kind.of(options))}; }
  Texts operator()(const TextValue& kind) const {
    const std::string& text = kind.of(options);
    return text.empty() ? Texts{} : Texts{text};
  }
  Texts operator()(const TextsValue& kind) const { return kind.of(options); }
  Texts operator()(const CacheTypeValue& kind) const {
    const std::optional<kernels::Dtype> type = kind.of(options);
    if (!type) return {};
    return {ui::lower_case(kernels::info(*type).name)};
  }
  Texts operator()(const DeviceValue& kind) const {
    return {engine::device_text(kind.of(options))};
  }
  Texts operator()(const OverflowValue& kind) const {
    const auto* found =
        std::ranges::find(kOverflows, kind.of(options), &decltype(kOverflows)::value_type::second);
    return found == kOverflows.end() ? Texts{} : Texts{std::string(found->first)};
  }
  Texts operator()(const GibValue& kind) const {
    const std::optional<std::uint64_t> bytes = kind.of(options);
    if (!bytes) return {};
    return {fmt::format("{}", static_cast<double>(*bytes) / kGib)};
  }
  Texts operator()(const MinutesValue& kind) const {
    const auto seconds = static_cast<double>(kind.of(options).count());
    return {seconds == 0 ? "off" : fmt::format("{}", seconds / 60)};
  }
  Texts operator()(const NumberValue& kind) const {
    const std::optional<float> number = kind.of(options);
    return number ? Texts{fmt::format("{}", *number)} : Texts{};
  }
  Texts operator()(const RopeScalingValue& kind) const {
    const std::optional<engine::RopeScaling> scaling = kind.of(options);
    for (const auto& [name, one] : kRopeScalings)
      if (scaling == one) return {std::string(name)};
    return {};
  }
  Texts operator()(const Parameter* parameter) const {
    std::string text = value_text(*parameter, options);
    return text.empty() ? Texts{} : Texts{std::move(text)};
  }
};

}  // namespace

std::string put_value(const OptionValue& value, ChatOptions& options,
                      std::span<const std::string> texts, Origin from) {
  if (const auto* list = std::get_if<TextsValue>(&value)) {
    Texts& kept = list->of(options);
    kept.clear();
    std::ranges::remove_copy(texts, std::back_inserter(kept), "");
    return {};
  }
  if (const auto* parameter = std::get_if<const Parameter*>(&value))
    return set_parameter(**parameter, options, texts, from);
  if (texts.size() != 1) return fmt::format("must be {}", range_text(value));
  return std::visit(Put{value, options, texts.front(), from}, value);
}

std::vector<std::string> value_texts(const OptionValue& value, const ChatOptions& options) {
  ChatOptions copy = options;
  return std::visit(Get{copy}, value);
}

std::string range_text(const OptionValue& value) {
  if (const auto* count = std::get_if<CountValue>(&value))
    return fmt::format("a whole number from {} to {}", count->least, count->most);
  if (const auto* parameter = std::get_if<const Parameter*>(&value)) return range_text(**parameter);
  if (std::holds_alternative<SwitchValue>(value)) return "true or false";
  if (std::holds_alternative<OnOffAutoValue>(value)) return "on, off or auto";
  if (std::holds_alternative<ShareValue>(value)) return "a number from 0 to 1";
  if (std::holds_alternative<GibValue>(value)) return fmt::format("a number from 0 to {}", kMaxGib);
  if (std::holds_alternative<MinutesValue>(value))
    return fmt::format("a number of minutes up to {}, or off", kMaxMinutes);
  if (const auto* number = std::get_if<NumberValue>(&value))
    return fmt::format("a number from {} to {}", number->least, number->most);
  if (std::holds_alternative<RopeScalingValue>(value)) return "none, linear or yarn";
  if (std::holds_alternative<CacheTypeValue>(value))
    return fmt::format("one of {}", engine::cache_type_names());
  if (std::holds_alternative<DeviceValue>(value)) return std::string(engine::kDeviceWords);
  if (std::holds_alternative<OverflowValue>(value))
    return "error, split, truncate, shift, summarise or stop";
  return std::holds_alternative<TextsValue>(value) ? "strings, in quotes" : "a string, in quotes";
}

std::vector<std::string> choices_of(const OptionValue& value) {
  if (std::holds_alternative<OnOffAutoValue>(value)) return {"on", "off", "auto"};
  if (std::holds_alternative<MinutesValue>(value)) return {"off"};
  if (std::holds_alternative<DeviceValue>(value)) return {"auto", "cpu", "vulkan"};
  Texts choices;
  if (std::holds_alternative<OverflowValue>(value))
    for (const auto& [name, overflow] : kOverflows) choices.emplace_back(name);
  if (std::holds_alternative<RopeScalingValue>(value))
    for (const auto& [name, scaling] : kRopeScalings) choices.emplace_back(name);
  return choices;
}

Notation notation_of(const OptionValue& value) noexcept {
  if (const auto* parameter = std::get_if<const Parameter*>(&value))
    return is_switch(**parameter) ? Notation::truth
           : is_list(**parameter) ? Notation::texts
                                  : Notation::number;
  constexpr auto kNotations = std::to_array<Notation>(
      {Notation::truth, Notation::truth, Notation::number, Notation::number, Notation::text,
       Notation::texts, Notation::text, Notation::text, Notation::number, Notation::number,
       Notation::number, Notation::text, Notation::text, Notation::number});
  static_assert(kNotations.size() == std::variant_size_v<OptionValue>);
  return kNotations[value.index()];
}

}  // namespace confab::app
