// SPDX-License-Identifier: MIT
// What the value of an option can be, as one notation for the command line, config.toml and the
// environment: from texts to their place in the options, and back.
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

// Where a value is kept.
template <class T>
using PlaceOf = T& (*)(ChatOptions& options);

// The member at the end of a path of members.
template <auto... Members>
constexpr auto& place(ChatOptions& options) noexcept {
  return (options.*....*Members);
}

struct SwitchValue {
  PlaceOf<bool> of;
  bool inverted = false;  // the place says the contrary
};
struct OnOffAutoValue {
  PlaceOf<std::optional<bool>> of;
};
struct CountValue {
  PlaceOf<int> of;
  int least;
  int most;
  std::optional<int> unset = {};  // as llama.cpp says that the value is not given, which is 0 here
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
struct GibValue {  // kept in bytes
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

// Takes the value from texts: one, but of TextsValue any number, of which empty ones are left out.
// Returns what is wrong, to stand behind the name that the person used ("must be true or false, not
// maybe"), and leaves the options as they were; empty: nothing is.
[[nodiscard]] std::string put_value(const OptionValue& value, ChatOptions& options,
                                    std::span<const std::string> texts, Origin from);
// As put_value() takes it. Empty: nothing stands there.
std::vector<std::string> value_texts(const OptionValue& value, const ChatOptions& options);

// "a whole number from 1 to 1024".
std::string range_text(const OptionValue& value);
// The words that it can be, where they are few; else empty.
std::vector<std::string> choices_of(const OptionValue& value);

// How a file of TOML or JSON writes it.
enum class Notation { truth, number, text, texts };
Notation notation_of(const OptionValue& value) noexcept;

}  // namespace confab::app
