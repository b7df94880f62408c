// SPDX-License-Identifier: MIT
// The parameters of an answer, one row each. From this table are made their flags, their keys in
// config.toml, /set and /show parameters, completion, the manual page, and what is stored with an
// answer.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/options.h"
#include "app/origin.h"
#include "engine/api/model_info.h"

namespace confab::app {

struct ParameterRange {
  double least;
  double most = std::numeric_limits<double>::infinity();  // infinity: as much as the type holds
};

// A value that turns the parameter off or has another special meaning.
struct ParameterOff {
  double value;
  std::string_view meaning = "off";
};

// A value in llama.cpp's notation, and the same value in ours.
struct ParameterSame {
  std::string_view text = {};
  std::string_view as = {};
};

struct Parameter {
  // The member that holds the value. Its default is the member's initialiser.
  using Member = std::variant<float engine::SamplerParams::*, int engine::SamplerParams::*,
                              std::optional<std::uint64_t> engine::SamplerParams::*,
                              int AnswerOptions::*, bool engine::SamplerParams::*,
                              std::vector<engine::SamplerKind> engine::SamplerParams::*,
                              std::vector<std::string> engine::SamplerParams::*,
                              std::vector<engine::LogitBias> engine::SamplerParams::*>;

  std::string_view name;     // name in /set and with a stored answer: Ollama's
  std::string_view aliases;  // further names in /set, separated by spaces: llama.cpp's
  std::string_view key;      // key in config.toml
  std::string_view flag;     // "-n,--predict"
  std::string_view help;     // its meaning, without range and `off`
  Member member;
  ParameterRange range = {0};  // range of a number
  ParameterSame same = {};
  std::optional<ParameterOff> off = {};
  std::string_view command = {};      // command that sets it in a chat; empty: /set
  std::string_view also = {};         // other spellings of the flag, separated by spaces
  std::string_view value_name = "N";  // as help shows it; empty: the flag takes no value
  std::string_view gguf = {};         // name after "general.sampling." in model files; empty: none
};

std::span<const Parameter> parameters() noexcept;
// Finds a parameter by its name or an alias; nullptr if /set has no such name.
const Parameter* find_set_parameter(std::string_view name) noexcept;

// Sets the value from a text; the notation is the same everywhere. Returns an empty text on success
// and records `from` as the value's origin. Otherwise returns what is wrong, worded to follow the
// name that the person used ("must be a number from 0 to 1 (1: off), not 3"), and leaves the
// options unchanged. "default" undoes what was set.
[[nodiscard]] std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                                        std::string_view text, Origin from);
// The same with all of these texts: several for a list, exactly one otherwise.
[[nodiscard]] std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                                        std::span<const std::string> texts, Origin from);
// Whether its flag takes no value; whether it can be given several times.
bool is_switch(const Parameter& parameter) noexcept;
bool is_list(const Parameter& parameter) noexcept;
// The options for this model. Each parameter that nobody has set gets the value that the model's
// makers recommend, by its own name or by GGUF's, if there is one and it is in range. The same goes
// for the texts that end an answer.
AnswerOptions with_recommended(AnswerOptions options,
                               std::span<const engine::Recommendation> sampling,
                               std::span<const std::string> stop = {});
// The names of the sampling parameters that are not at their built-in value.
std::vector<std::string> chosen_parameters(const AnswerOptions& options);
// The origin of its value.
Origin origin_of(const Parameter& parameter, const AnswerOptions& options) noexcept;
// "0.8"; empty if there is no value.
std::string value_text(const Parameter& parameter, const AnswerOptions& options);

// "a number from 0 to 1 (1: off)".
std::string range_text(const Parameter& parameter);
// "Keep the K best tokens; 0: off".
std::string help_text(const Parameter& parameter);

}  // namespace confab::app
