// SPDX-License-Identifier: MIT
// The values of parameters as text, in one notation for the command line, config.toml, the
// environment and /set.
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

// Parses the whole text, independently of the locale. Returns false, and leaves `value` as it was,
// if the text is not a value of this type or is out of range.
bool read_value(std::string_view text, const ParameterRange& range, float& value);
bool read_value(std::string_view text, const ParameterRange& range, int& value);
bool read_value(std::string_view text, const ParameterRange& range,
                std::optional<std::uint64_t>& value);
// Accepts "true", "on", "yes", "1" and their opposites.
bool read_value(std::string_view text, const ParameterRange& range, bool& value);
// Accepts "penalties;top_k;temperature", also with commas or blanks, and "none".
bool read_value(std::string_view text, const ParameterRange& range, Samplers& value);
// Accepts several texts in double quotes, or one without quotes, or "none". The escape sequences
// are \n, \t, \r, \" and \\, as in C.
bool read_value(std::string_view text, const ParameterRange& range, Texts& value);
// Accepts "15043+1 1234-inf", "\" Hello\"+1.5", and "none".
bool read_value(std::string_view text, const ParameterRange& range, Biases& value);

// The value in the notation of read_value(); empty if there is no value.
std::string write_value(float value);
std::string write_value(int value);
std::string write_value(const std::optional<std::uint64_t>& value);
std::string write_value(bool value);
std::string write_value(const Samplers& value);
std::string write_value(const Texts& value);
std::string write_value(const Biases& value);

// Describes the valid values: "a number from 0 to 1".
std::string expected_text(float, const ParameterRange& range);
std::string expected_text(int, const ParameterRange& range);
std::string expected_text(const std::optional<std::uint64_t>&, const ParameterRange& range);
std::string expected_text(bool, const ParameterRange& range);
std::string expected_text(const Samplers&, const ParameterRange& range);
std::string expected_text(const Texts&, const ParameterRange& range);
std::string expected_text(const Biases&, const ParameterRange& range);

// Parses the whole text as a number with a decimal point, independently of the locale. Returns
// nullopt if it is not one.
std::optional<double> real_in(std::string_view text);

}  // namespace confab::app
