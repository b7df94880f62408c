// SPDX-License-Identifier: MIT
#include "engine/jinja/loop.h"

#include <algorithm>

#include "engine/jinja/runtime.h"

namespace confab::engine::jinja {

std::optional<Value> Loop::attribute(Runtime& runtime, std::string_view name) {
  const auto n = static_cast<std::int64_t>(items_.size());
  const auto index = static_cast<std::int64_t>(next_);
  if (name == "index") return index;
  if (name == "index0") return index - 1;
  if (name == "revindex") return n - index + 1;
  if (name == "revindex0") return n - index;
  if (name == "first") return index == 1;
  if (name == "last") return index == n;
  if (name == "length") return n;
  // Only recursive loops, which we do not have, go deeper.
  if (name == "depth") return std::int64_t{1};
  if (name == "depth0") return std::int64_t{0};
  if (name == "previtem") {
    return index > 1 ? items_[next_ - 2] : Value::undefined("there is no previous item");
  }
  if (name == "nextitem") {
    return index < n ? items_[next_] : Value::undefined("there is no next item");
  }
  if (name == "cycle") {
    return runtime.callable("cycle", [this](Runtime& at_call, const Arguments& arguments) {
      return cycle(at_call, arguments);
    });
  }
  if (name == "changed") {
    return runtime.callable("changed", [this](Runtime& at_call, const Arguments& arguments) {
      return changed(at_call, arguments);
    });
  }
  return std::nullopt;
}

Value Loop::cycle(Runtime& runtime, const Arguments& arguments) const {
  if (arguments.positional.empty()) runtime.fail("no items for cycling given");
  return arguments
      .positional[(next_ + arguments.positional.size() - 1) % arguments.positional.size()];
}

Value Loop::changed(Runtime& runtime, const Arguments& arguments) {
  const auto& values = arguments.positional;
  const bool same =
      last_changed_ && last_changed_->size() == values.size() &&
      std::equal(values.begin(), values.end(), last_changed_->begin(),
                 [&](const Value& a, const Value& b) { return equal(runtime, a, b); });
  last_changed_ = values;
  return !same;
}

}  // namespace confab::engine::jinja
