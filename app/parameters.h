// SPDX-License-Identifier: MIT
// The parameters of an answer, one row each: from this table are made their flags, their keys in
// config.toml, what /set and /show parameters have, completion, the manual page and what is kept
// beside an answer.
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
  double most = std::numeric_limits<double>::infinity();  // then: as many as the type holds
};

// A value that switches the parameter off, or that has another meaning of its own.
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
  // Where the value is. Its default is the one that the member is initialised with.
  using Member = std::variant<float engine::SamplerParams::*, int engine::SamplerParams::*,
                              std::optional<std::uint64_t> engine::SamplerParams::*,
                              int AnswerOptions::*, bool engine::SamplerParams::*,
                              std::vector<engine::SamplerKind> engine::SamplerParams::*,
                              std::vector<std::string> engine::SamplerParams::*,
                              std::vector<engine::LogitBias> engine::SamplerParams::*>;

  std::string_view name;     // of /set, and beside an answer: Ollama's
  std::string_view aliases;  // of /set too, separated by spaces: llama.cpp's
  std::string_view key;      // in config.toml
  std::string_view flag;     // "-n,--predict"
  std::string_view help;     // what it is, without range and `off`
  Member member;
  ParameterRange range = {0};  // of a number
  ParameterSame same = {};
  std::optional<ParameterOff> off = {};
  std::string_view command = {};      // that sets it in a chat; empty: /set
  std::string_view also = {};         // other spellings of the flag, separated by spaces
  std::string_view value_name = "N";  // as help shows it; empty: the flag takes none
  std::string_view gguf = {};         // behind general.sampling. in model files; empty: none
};

std::span<const Parameter> parameters() noexcept;
// By its name or an alias; nullptr: /set has none of that name.
const Parameter* find_set_parameter(std::string_view name) noexcept;

// Takes the value from a text, in the same notation everywhere. Returns what is wrong with it, to
// stand behind the name that the person used, "must be a number from 0 to 1 (1: off), not 3", and
// leaves the options as they were; empty: nothing is, and the value is `from` there from now on.
// "default" takes back what was set.
[[nodiscard]] std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                                        std::string_view text, Origin from);
// As if given all of these: of a list one after the other, else there must be one.
[[nodiscard]] std::string set_parameter(const Parameter& parameter, AnswerOptions& options,
                                        std::span<const std::string> texts, Origin from);
// Whether its flag takes no value, and whether it can be given several times.
bool is_switch(const Parameter& parameter) noexcept;
bool is_list(const Parameter& parameter) noexcept;
// The options with this model: what nobody has set is as its makers recommend, by the parameter's
// name or by that of GGUF, where they do and it is in its range; so are the texts that end it.
AnswerOptions with_recommended(AnswerOptions options,
                               std::span<const engine::Recommendation> sampling,
                               std::span<const std::string> stop = {});
// The parameters of sampling whose value is not the one that is built in, by name.
std::vector<std::string> chosen_parameters(const AnswerOptions& options);
// Where its value is from.
Origin origin_of(const Parameter& parameter, const AnswerOptions& options) noexcept;
// "0.8"; empty: there is no value.
std::string value_text(const Parameter& parameter, const AnswerOptions& options);

// "a number from 0 to 1 (1: off)".
std::string range_text(const Parameter& parameter);
// "Keep the K best tokens; 0: off".
std::string help_text(const Parameter& parameter);

}  // namespace confab::app
