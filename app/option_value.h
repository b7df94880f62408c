// SPDX-License-Identifier: MIT
// The kinds of values that an option can have. The command line, config.toml and the environment
// share one notation for them. Values are converted from texts to their place in the options, and
// back.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "app/options.h"
#include "app/parameters.h"

namespace confab::app {

// The place of a value in the options.
template <class T>
using PlaceOf = T& (*)(ChatOptions& options);

// The member at the end of a chain of members.
template <auto... Members>
constexpr auto& place(ChatOptions& options) noexcept {
  return (options.*....*Members);
}

struct SwitchValue {
  PlaceOf<bool> of;
  bool inverted = false;  // the place stores the opposite
};
struct OnOffAutoValue {
  PlaceOf<std::optional<bool>> of;
};
struct CountValue {
  PlaceOf<int> of;
  int least;
  int most;
  std::optional<int> unset = {};  // llama.cpp's value for "not given", which is stored as 0
};
struct ShareValue {  // from 0 to 1
  PlaceOf<float> of;
};
struct TextValue {
  PlaceOf<std::string> of;
};
struct TextsValue {
  PlaceOf<std::vector<std::string>> of;
};
struct CacheTypeValue {
  PlaceOf<std::optional<kernels::Dtype>> of;
};
struct DeviceValue {
  PlaceOf<engine::DeviceChoice> of;
};
struct OverflowValue {
  PlaceOf<Overflow> of;
};
struct GibValue {  // stored in bytes
  PlaceOf<std::optional<std::uint64_t>> of;
};
struct MinutesValue {  // 0: off
  PlaceOf<std::chrono::seconds> of;
};
struct NumberValue {
  PlaceOf<std::optional<float>> of;
  float least;
  float most;
};
struct RopeScalingValue {
  PlaceOf<std::optional<engine::RopeScaling>> of;
};
using OptionValue = std::variant<SwitchValue, OnOffAutoValue, CountValue, ShareValue, TextValue,
                                 TextsValue, CacheTypeValue, OverflowValue, GibValue, MinutesValue,
                                 NumberValue, RopeScalingValue, DeviceValue, const Parameter*>;

// Sets the value from texts. TextsValue takes any number, of which empty ones are left out; all
// others take exactly one. Returns what is wrong, worded to follow the name that the person used
// ("must be true or false, not maybe"), and then changes nothing. Returns an empty text on success.
[[nodiscard]] std::string put_value(const OptionValue& value, ChatOptions& options,
                                    std::span<const std::string> texts, Origin from);
// The value in the notation that put_value() takes; empty if no value is set.
std::vector<std::string> value_texts(const OptionValue& value, const ChatOptions& options);

// "a whole number from 1 to 1024".
std::string range_text(const OptionValue& value);
// The words that it accepts, if they are few; otherwise empty.
std::vector<std::string> choices_of(const OptionValue& value);

// How TOML and JSON write such a value.
enum class Notation { truth, number, text, texts };
Notation notation_of(const OptionValue& value) noexcept;

}  // namespace confab::app
