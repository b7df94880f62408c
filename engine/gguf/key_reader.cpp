// SPDX-License-Identifier: MIT
#include "engine/gguf/key_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "engine/gguf/gguf.h"

namespace confab::engine {
namespace {

// The items of an integer or boolean array. nullopt for any other value.
std::optional<std::vector<std::int64_t>> integers(const GgufValue& value) {
  const auto* array = std::get_if<GgufArray>(&value);
  if (array == nullptr) return std::nullopt;
  return std::visit(
      [](const auto& items) -> std::optional<std::vector<std::int64_t>> {
        using Item = typename std::decay_t<decltype(items)>::value_type;
        if constexpr (std::is_integral_v<Item>) {
          std::vector<std::int64_t> all;
          for (const Item item : items) all.push_back(static_cast<std::int64_t>(item));
          return all;
        }
        return std::nullopt;
      },
      *array);
}

}  // namespace

KeyReader::KeyReader(const Gguf& gguf, std::string_view architecture)
    : gguf_(gguf), prefix_(std::string(architecture) + ".") {}

bool KeyReader::has(std::string_view name) const {
  return gguf_.find(key(name)) != nullptr;
}

void KeyReader::refuse(std::string_view name, std::string_view value,
                       std::string_view expected) const {
  gguf_.fail(fmt::format("key {} is {}, expected {}", key(name), value, expected));
}

int KeyReader::checked(std::string_view name, std::int64_t value, int min, int max) const {
  if (value < min || value > max) {
    refuse(name, std::to_string(value), fmt::format("{} to {}", min, max));
  }
  return static_cast<int>(value);
}

int KeyReader::count(std::string_view name, int max) const {
  const auto value = gguf_.find_int(key(name));
  if (!value) gguf_.fail(fmt::format("key {} is missing", key(name)));
  return checked(name, *value, 1, max);
}

int KeyReader::count_or(std::string_view name, int max, int otherwise) const {
  return has(name) ? count(name, max) : otherwise;
}

int KeyReader::natural_or(std::string_view name, int max, int otherwise) const {
  const auto value = gguf_.find_int(key(name));
  return value ? checked(name, *value, 0, max) : otherwise;
}

std::vector<int> KeyReader::counts(std::string_view name, int n_layer, int max) const {
  const auto n = static_cast<std::size_t>(n_layer);
  const GgufValue* value = gguf_.find(key(name));
  const auto items = value == nullptr ? std::nullopt : integers(*value);
  if (!items) return std::vector<int>(n, count(name, max));
  if (items->size() < n) {
    refuse(name, fmt::format("an array of {}", items->size()), fmt::format("{} values", n));
  }
  std::vector<int> all;
  for (std::size_t i = 0; i < n; ++i) all.push_back(checked(name, (*items)[i], 1, max));
  return all;
}

float KeyReader::positive(std::string_view name) const {
  if (!has(name)) gguf_.fail(fmt::format("key {} is missing", key(name)));
  return positive_or(name, 0);
}

float KeyReader::positive_or(std::string_view name, float otherwise) const {
  const auto value = gguf_.find_float(key(name));
  if (!value) return otherwise;
  const auto narrow = static_cast<float>(*value);
  if (!std::isfinite(narrow) || narrow <= 0) {
    refuse(name, fmt::format("{}", *value), "a positive number");
  }
  return narrow;
}

float KeyReader::finite_or(std::string_view name, float otherwise) const {
  const auto value = gguf_.find_float(key(name));
  if (!value) return otherwise;
  const auto narrow = static_cast<float>(*value);
  if (!std::isfinite(narrow)) refuse(name, fmt::format("{}", *value), "a finite number");
  return narrow;
}

bool KeyReader::flag_or(std::string_view name, bool otherwise) const {
  return gguf_.find_bool(key(name)).value_or(otherwise);
}

std::vector<bool> KeyReader::flags_or_empty(std::string_view name, int n_layer) const {
  const GgufValue* value = gguf_.find(key(name));
  if (value == nullptr) return {};
  const auto items = integers(*value);
  if (!items) refuse(name, "no array of integers or booleans", fmt::format("{} values", n_layer));
  const auto n = static_cast<std::size_t>(n_layer);
  if (items->size() < n) {
    refuse(name, fmt::format("an array of {}", items->size()), fmt::format("{} values", n));
  }
  std::vector<bool> flags;
  for (std::size_t i = 0; i < n; ++i) flags.push_back((*items)[i] != 0);
  return flags;
}

std::vector<bool> KeyReader::window_pattern(int n_layer, int otherwise) const {
  constexpr std::string_view kName = "attention.sliding_window_pattern";
  const GgufValue* value = gguf_.find(key(kName));
  if (value != nullptr && std::holds_alternative<GgufArray>(*value)) {
    return flags_or_empty(kName, n_layer);
  }
  const int period = natural_or(kName, 1 << 12, otherwise);
  std::vector<bool> slides;
  for (int il = 0; il < n_layer; ++il) slides.push_back(period == 0 || il % period < period - 1);
  return slides;
}

}  // namespace confab::engine
