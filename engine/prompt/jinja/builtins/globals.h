// SPDX-License-Identifier: MIT
// The names that a template finds without setting them: the functions range, dict, namespace,
// cycler, joiner, and those of Hugging Face transformers, raise_exception and strftime_now; and
// `loop`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// Empty when there is no such function.
std::optional<Value> find_global(Runtime& runtime, std::string_view name);

// The `loop` variable of a for loop.
class Loop : public Object {
 public:
  // What loop(items) prints in a recursive loop; empty when the loop is none.
  using Recurse = std::function<Value(const std::vector<Value>& items, int depth0)>;

  // depth0: how many loops this one is inside of, of the same recursive statement.
  Loop(std::vector<Value> items, int depth0, Recurse recurse)
      : items_(std::move(items)), depth0_(depth0), recurse_(std::move(recurse)) {}

  // Goes to the next item; false when there is none.
  bool advance() noexcept { return ++next_ <= items_.size(); }
  // Precondition: the last advance() was true.
  const Value& item() const noexcept { return items_[next_ - 1]; }

  std::string_view type_name() const noexcept override { return "LoopContext"; }
  std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
  std::optional<Value> call(Runtime& runtime, const Arguments& arguments) override;

 private:
  Value cycle(Runtime& runtime, const Arguments& arguments) const;
  Value changed(Runtime& runtime, const Arguments& arguments);

  std::vector<Value> items_;
  int depth0_;
  Recurse recurse_;
  std::size_t next_ = 0;
  std::optional<std::vector<Value>> last_changed_;
};

}  // namespace confab::engine::jinja
