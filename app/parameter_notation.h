// SPDX-License-Identifier: MIT
// Values of parameters as texts, in the same notation on the command line, in config.toml, in the
// environment and behind /set.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/parameters.h"

namespace confab::app {

using Samplers = std::vector<engine::SamplerKind>;
using Texts = std::vector<std::string>;
using Biases = std::vector<engine::LogitBias>;

// Takes the value from the whole text, whatever the locale is; false: it is none, or out of its
// range, and the value is as it was.
bool read_value(std::string_view text, const ParameterRange& range, float& value);
bool read_value(std::string_view text, const ParameterRange& range, int& value);
bool read_value(std::string_view text, const ParameterRange& range,
                std::optional<std::uint64_t>& value);
// "true", "on", "yes", "1", or the contrary.
bool read_value(std::string_view text, const ParameterRange& range, bool& value);
// "penalties;top_k;temperature", also with commas or blanks; "none".
bool read_value(std::string_view text, const ParameterRange& range, Samplers& value);
// Several in double quotes, or one without, or "none". \n, \t, \r, \" and \\ are such characters.
bool read_value(std::string_view text, const ParameterRange& range, Texts& value);
// "15043+1 1234-inf" or "\" Hello\"+1.5", or "none".
bool read_value(std::string_view text, const ParameterRange& range, Biases& value);

// As read_value() takes it. Empty: there is no value.
std::string write_value(float value);
std::string write_value(int value);
std::string write_value(const std::optional<std::uint64_t>& value);
std::string write_value(bool value);
std::string write_value(const Samplers& value);
std::string write_value(const Texts& value);
std::string write_value(const Biases& value);

// What such a value has to be: "a number from 0 to 1".
std::string expected_text(float, const ParameterRange& range);
std::string expected_text(int, const ParameterRange& range);
std::string expected_text(const std::optional<std::uint64_t>&, const ParameterRange& range);
std::string expected_text(bool, const ParameterRange& range);
std::string expected_text(const Samplers&, const ParameterRange& range);
std::string expected_text(const Texts&, const ParameterRange& range);
std::string expected_text(const Biases&, const ParameterRange& range);

// The whole text as a number with a point, whatever the locale is; nullopt: it is not one.
std::optional<double> real_in(std::string_view text);

}  // namespace confab::app
