// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/globals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <string>

#include "engine/prompt/jinja/arguments.h"
#include "engine/prompt/jinja/runtime.h"

namespace confab::engine::jinja {
namespace {

class Namespace : public Object {
 public:
  std::string_view type_name() const noexcept override { return "Namespace"; }
  std::optional<Value> attribute(Runtime&, std::string_view name) override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }
  bool can_assign() const noexcept override { return true; }
  void assign(std::string_view name, Value value) override {
    values_.insert_or_assign(std::string(name), std::move(value));
  }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// Returns its values in turn, and starts over after the last one.
class Cycler : public Object {
 public:
  explicit Cycler(std::vector<Value> values) : values_(std::move(values)) {}
  std::string_view type_name() const noexcept override { return "Cycler"; }
  std::optional<Value> attribute(Runtime& runtime, std::string_view name) override {
    if (name == "current") return values_[place_];
    if (name == "next") return method(runtime, &Cycler::advance);
    if (name == "reset") return method(runtime, &Cycler::reset);
    return std::nullopt;
  }

 private:
  Value advance() {
    const Value current = values_[place_];
    place_ = (place_ + 1) % values_.size();
    return current;
  }
  Value reset() {
    place_ = 0;
    return {};
  }
  Value method(Runtime& runtime, Value (Cycler::*action)()) {
    return runtime.callable(
        "cycler", [this, action](Runtime&, const Arguments&) { return (this->*action)(); });
  }

  std::vector<Value> values_;
  std::size_t place_ = 0;
};

// Builds a dict from (mapping or pairs, **named), the arguments of both dict and namespace.
DictBuilder build_dict(Runtime& runtime, const Arguments& arguments) {
  DictBuilder built;
  if (arguments.positional.size() > 1) runtime.fail("dict: expected at most one argument");
  for (const Value& source : arguments.positional) {
    if (const Dict* dict = source.dict()) {
      for (const auto& [key, value] : dict->items) built.set(runtime, key, value);
      continue;
    }
    for (const Value& item : elements(runtime, source)) {
      const std::vector<Value> pair = elements(runtime, item);
      if (pair.size() != 2) runtime.fail("dict: expected pairs");
      built.set(runtime, pair[0], pair[1]);
    }
  }
  for (const auto& [name, value] : arguments.named) built.set(runtime, Value::plain(name), value);
  return built;
}

Value dict(Runtime& runtime, const Value&, const Arguments& arguments) {
  return runtime.dict(build_dict(runtime, arguments));
}

Value make_namespace(Runtime& runtime, const Value&, const Arguments& arguments) {
  auto& made = runtime.object<Namespace>();
  const Dict initial = build_dict(runtime, arguments).take();
  for (const auto& [key, value] : initial.items) {
    if (key.is_text()) made.assign(key.text().view(), value);
  }
  return made;
}

Value cycler(Runtime& runtime, const Value&, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.named.empty()) {
    runtime.fail("cycler: expected at least one item");
  }
  return runtime.object<Cycler>(arguments.positional);
}

// The joiner returns nothing at its first call, then the separator.
Value joiner(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Bound bound(runtime, "joiner", arguments, {"sep"});
  const Value separator = bound.value_or(0, Value::plain(", "));
  return runtime.callable(
      "joiner",
      [separator, used = std::make_shared<bool>(false)](Runtime&, const Arguments&) {
        return std::exchange(*used, true) ? separator : Value::plain("");
      },
      &separator);
}

Value range(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Bound bound(runtime, "range", arguments, {"start", "stop", "step"});
  const bool has_start = bound.has(1);
  const std::int64_t start = has_start ? bound.integer(0) : 0;
  const std::int64_t stop = bound.integer(has_start ? 1 : 0);
  const std::int64_t step = bound.has(2) ? bound.integer(2) : 1;
  if (step == 0) runtime.fail("range() arg 3 must not be zero");
  std::vector<Value> numbers;
  for (std::int64_t i = start; step > 0 ? i < stop : i > stop;) {
    if (numbers.size() >= kMaxRange) {
      runtime.fail(fmt::format("range: found more than {} numbers", kMaxRange));
    }
    numbers.emplace_back(i);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  std::string shown = fmt::format("range({}, {}", start, stop);
  shown += step == 1 ? ")" : fmt::format(", {})", step);
  return runtime.list(std::move(numbers), ListKind::range, std::move(shown));
}

Value raise_exception(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Bound bound(runtime, "raise_exception", arguments, {"message"});
  const Value& message = bound.value(0);
  runtime.fail(message.is_text() ? message.text().view() : "the template raised an exception");
}

Value strftime_now(Runtime& runtime, const Value&, const Arguments& arguments) {
  const Bound bound(runtime, "strftime_now", arguments, {"format"});
  const std::string format(bound.text(0).view());
  if (format.empty()) return Value::plain("");
  std::array<char, 1024> buffer{};
  const std::size_t n = std::strftime(buffer.data(), buffer.size(), format.c_str(), &runtime.now());
  if (n == 0) runtime.fail("strftime_now: the result is longer than 1 KiB");
  return runtime.text(std::string(buffer.data(), n), bound.text(0).source());
}

constexpr std::array<NamedFunction, 7> kGlobals = {{
    {"cycler", cycler},
    {"dict", dict},
    {"joiner", joiner},
    {"namespace", make_namespace},
    {"raise_exception", raise_exception},
    {"range", range},
    {"strftime_now", strftime_now},
}};

}  // namespace

std::optional<Value> find_global(Runtime& runtime, std::string_view name) {
  const auto found = std::find_if(kGlobals.begin(), kGlobals.end(),
                                  [name](const NamedFunction& g) { return g.name == name; });
  if (found == kGlobals.end()) return std::nullopt;
  return runtime.callable(std::string(name),
                          [function = found->function](Runtime& at_call, const Arguments& given) {
                            return function(at_call, Value(), given);
                          });
}

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
