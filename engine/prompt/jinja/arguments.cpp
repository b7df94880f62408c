// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/arguments.h"

#include <fmt/format.h>

#include <algorithm>

namespace confab::engine::jinja {

void count_operands(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const auto count = [&runtime](const Value& value) {
    if (value.is_text()) runtime.work(value.text().cost());
  };
  count(self);
  for (const Value& value : arguments.positional) count(value);
  for (const auto& [name, value] : arguments.named) count(value);
}

Bound::Bound(Runtime& runtime, std::string_view function, const Arguments& arguments,
             std::initializer_list<std::string_view> parameters)
    : runtime_(runtime), function_(function), parameters_(parameters), values_(parameters.size()) {
  if (arguments.positional.size() > parameters_.size()) {
    runtime.fail(fmt::format("{}: found {} arguments, expected at most {}", function,
                             arguments.positional.size(), parameters_.size()));
  }
  std::copy(arguments.positional.begin(), arguments.positional.end(), values_.begin());
  for (const auto& [name, value] : arguments.named) {
    const auto place = std::find(parameters_.begin(), parameters_.end(), name);
    if (place == parameters_.end()) {
      runtime.fail(fmt::format("{}: no parameter '{:.40}'", function, name));
    }
    auto& slot = values_[static_cast<std::size_t>(place - parameters_.begin())];
    if (slot) runtime.fail(fmt::format("{}: '{:.40}' is given twice", function, name));
    slot = value;
  }
}

void Bound::fail_type(std::size_t i, std::string_view expected) const {
  const std::string_view found = has(i) ? values_[i]->type_name() : "nothing";
  runtime_.fail(
      fmt::format("{}: found {} as '{}', expected {}", function_, found, parameters_[i], expected));
}

const Value& Bound::value(std::size_t i) const {
  if (!has(i)) fail_type(i, "a value");
  return *values_[i];
}

const Text& Bound::text(std::size_t i) const {
  if (!has(i) || !values_[i]->is_text()) fail_type(i, "str");
  return values_[i]->text();
}

std::int64_t Bound::integer(std::size_t i) const {
  const auto integer = has(i) ? values_[i]->integer() : std::nullopt;
  if (!integer) fail_type(i, "int");
  return *integer;
}

Text Bound::text_or(std::size_t i, std::string_view fallback) const {
  return given(i) ? text(i) : Text(std::string(fallback));
}

std::int64_t Bound::integer_or(std::size_t i, std::int64_t fallback) const {
  return given(i) ? integer(i) : fallback;
}

bool Bound::flag_or(std::size_t i, bool fallback) const {
  return given(i) ? values_[i]->truth() : fallback;
}

}  // namespace confab::engine::jinja
