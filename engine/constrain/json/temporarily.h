// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

namespace confab::engine {

// Gives a variable another value while the object exists, then restores it.
template <class Value>
class Temporarily {
 public:
  Temporarily(Value& variable, Value value)
      : variable_(variable), before_(std::exchange(variable, std::move(value))) {}
  Temporarily(const Temporarily&) = delete;
  Temporarily& operator=(const Temporarily&) = delete;
  ~Temporarily() { variable_ = std::move(before_); }

 private:
  Value& variable_;
  Value before_;
};

}  // namespace confab::engine
