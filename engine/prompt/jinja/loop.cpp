// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/loop.h"

#include <algorithm>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/runtime.h"

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
  if (name == "depth") return std::int64_t{depth0_ + 1};
  if (name == "depth0") return std::int64_t{depth0_};
  if (name == "previtem") {
    return index > 1 ? items_[next_ - 2] : Value::undefined("no previous item");
  }
  if (name == "nextitem") {
    return index < n ? items_[next_] : Value::undefined("no next item");
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

std::optional<Value> Loop::call(Runtime& runtime, const Arguments& arguments) {
  if (recurse_ == nullptr) {
    runtime.fail("the loop must have the 'recursive' marker to be called recursively");
  }
  const Bound bound(runtime, "loop", arguments, {"iterable"});
  return recurse_(elements(runtime, bound.value(0)), depth0_ + 1);
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
