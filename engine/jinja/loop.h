// SPDX-License-Identifier: MIT
// The `loop` variable of a for loop.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/jinja/value.h"

namespace confab::engine::jinja {

class Loop : public Object {
 public:
  explicit Loop(std::vector<Value> items) : items_(std::move(items)) {}

  // Goes to the next item; false when there is none.
  bool advance() noexcept { return ++next_ <= items_.size(); }
  // Precondition: the last advance() was true.
  const Value& item() const noexcept { return items_[next_ - 1]; }

  std::string_view type_name() const noexcept override { return "LoopContext"; }
  std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;

 private:
  Value cycle(Runtime& runtime, const Arguments& arguments) const;
  Value changed(Runtime& runtime, const Arguments& arguments);

  std::vector<Value> items_;
  std::size_t next_ = 0;
  std::optional<std::vector<Value>> last_changed_;
};

}  // namespace confab::engine::jinja
