// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/selection_filters.h"

#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "engine/prompt/jinja/builtins/filters.h"
#include "engine/prompt/jinja/builtins/tests.h"
#include "engine/prompt/jinja/operators.h"

namespace confab::engine::jinja {
namespace {

// The name of a filter or test, and what is left of the arguments for it.
std::pair<std::string, Arguments> take_name(Runtime& runtime, const Arguments& arguments,
                                            std::size_t n_taken) {
  const Value& name = arguments.positional[n_taken];
  if (!name.is_text()) runtime.fail("expected the name of a filter or test");
  Arguments rest;
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(n_taken) + 1,
                         arguments.positional.end());
  rest.named = arguments.named;
  return {std::string(name.text().view()), std::move(rest)};
}

// These filters take whatever is false (none, 0) for an empty list.
std::vector<Value> elements_or_none(Runtime& runtime, const Value& value) {
  return value.truth() ? elements(runtime, value) : std::vector<Value>{};
}

Value map_attribute(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "map", arguments, {"attribute", "default"});
  std::vector<Value> mapped;
  for (const Value& item : elements_or_none(runtime, self)) {
    Value value = attribute_path(runtime, item, bound.value(0));
    mapped.push_back(value.is_undefined() && bound.has(1) ? bound.value(1) : std::move(value));
  }
  return runtime.list(std::move(mapped), ListKind::generator);
}

Value map(Runtime& runtime, const Value& self, const Arguments& arguments) {
  if (arguments.positional.empty()) {
    Arguments named;
    named.named = arguments.named;
    return map_attribute(runtime, self, named);
  }
  const auto [name, rest] = take_name(runtime, arguments, 0);
  const Function filter = find_filter(runtime, name);
  std::vector<Value> mapped;
  for (const Value& item : elements_or_none(runtime, self)) {
    runtime.step();
    mapped.push_back(filter(runtime, item, rest));
  }
  return runtime.list(std::move(mapped), ListKind::generator);
}

// select and reject test the item, selectattr and rejectattr an attribute of it; without the name
// of a test, whether it is true.
template <bool by_attribute, bool wanted>
Value choose(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const std::size_t n_taken = by_attribute ? 1 : 0;
  if (arguments.positional.size() < n_taken) runtime.fail("expected the name of an attribute");
  TestFunction test;
  Arguments rest;
  if (arguments.positional.size() > n_taken) {
    std::string name;
    std::tie(name, rest) = take_name(runtime, arguments, n_taken);
    test = find_test(runtime, name);
  }
  std::vector<Value> chosen;
  for (Value& item : elements_or_none(runtime, self)) {
    runtime.step();
    const Value tested =
        by_attribute ? attribute_path(runtime, item, arguments.positional[0]) : item;
    const bool holds = !test ? tested.truth() : test(runtime, tested, rest);
    if (holds == wanted) chosen.push_back(std::move(item));
  }
  return runtime.list(std::move(chosen), ListKind::generator);
}

constexpr std::array<NamedFunction, 5> kFilters = {{
    {"map", map},
    {"reject", choose<false, false>},
    {"rejectattr", choose<true, false>},
    {"select", choose<false, true>},
    {"selectattr", choose<true, true>},
}};

}  // namespace

std::span<const NamedFunction> selection_filters() noexcept {
  return kFilters;
}

Value attribute_path(Runtime& runtime, const Value& item, const Value& path) {
  if (!path.is_text()) return subscript(runtime, item, path);
  Value value = item;
  std::string_view rest = path.text().view();
  while (true) {
    runtime.step();
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string part(rest.substr(0, dot));
    runtime.work(part.size());
    std::int64_t index = 0;
    const char* end = part.data() + part.size();
    const bool is_index = std::from_chars(part.data(), end, index).ptr == end && !part.empty();
    value = subscript(runtime, value, is_index ? Value(index) : Value::plain(part));
    if (dot == rest.size()) return value;
    rest.remove_prefix(dot + 1);
  }
}

}  // namespace confab::engine::jinja
