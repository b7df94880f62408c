// SPDX-License-Identifier: MIT
// The names that a template can use without setting them: the functions range, dict, namespace,
// cycler and joiner, the functions raise_exception and strftime_now of Hugging Face transformers,
// and `loop`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/value.h"

namespace confab::engine::jinja {

// Returns nullopt if there is no such function.
std::optional<Value> find_global(Runtime& runtime, std::string_view name);

// The `loop` variable of a for loop.
class Loop : public Object {
 public:
  // Renders loop(items) in a recursive loop. Empty if the loop is not recursive.
  using Recurse = std::function<Value(const std::vector<Value>& items, int depth0)>;

  // depth0: the number of loops of the same recursive statement around this one.
  Loop(std::vector<Value> items, int depth0, Recurse recurse)
      : items_(std::move(items)), depth0_(depth0), recurse_(std::move(recurse)) {}

  // Advances to the next item. Returns false if there is none.
  bool advance() noexcept { return ++next_ <= items_.size(); }
  // Precondition: the last advance() returned true.
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
