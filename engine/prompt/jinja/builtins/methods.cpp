// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/methods.h"

#include <algorithm>
#include <array>

#include "engine/prompt/jinja/builtins/string_methods.h"
#include "engine/prompt/jinja/builtins/string_search.h"

namespace confab::engine::jinja {
namespace {

Value dict_get(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "dict.get", arguments, {"key", "default"});
  const Value* found = self.dict()->find_hashed(hash_key(runtime, bound.value(0)));
  return found == nullptr ? bound.value_or(1, Value()) : *found;
}

Value dict_items(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "dict.items", arguments, {});
  std::vector<Value> pairs;
  for (const auto& [key, value] : self.dict()->items) {
    pairs.push_back(runtime.list({key, value}, ListKind::tuple));
  }
  return runtime.list(std::move(pairs), ListKind::view, "dict_items");
}

Value dict_keys(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "dict.keys", arguments, {});
  return runtime.list(elements(runtime, self), ListKind::view, "dict_keys");
}

Value dict_values(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "dict.values", arguments, {});
  std::vector<Value> values;
  for (const auto& item : self.dict()->items) values.push_back(item.second);
  return runtime.list(std::move(values), ListKind::view, "dict_values");
}

// Values do not change, so a copy is the value itself.
Value copy(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "copy", arguments, {});
  return self;
}

Value list_count(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "list.count", arguments, {"value"});
  const auto& items = self.list()->items;
  return static_cast<std::int64_t>(
      std::count_if(items.begin(), items.end(),
                    [&](const Value& item) { return equal(runtime, item, bound.value(0)); }));
}

Value list_index(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "list.index", arguments, {"value"});
  const auto& items = self.list()->items;
  const auto found = std::find_if(items.begin(), items.end(), [&](const Value& item) {
    return equal(runtime, item, bound.value(0));
  });
  if (found == items.end()) runtime.fail("list.index: the value is not in the list");
  return static_cast<std::int64_t>(found - items.begin());
}

constexpr std::array<NamedFunction, 5> kDictMethods = {{
    {"copy", copy},
    {"get", dict_get},
    {"items", dict_items},
    {"keys", dict_keys},
    {"values", dict_values},
}};

constexpr std::array<NamedFunction, 3> kListMethods = {{
    {"copy", copy},
    {"count", list_count},
    {"index", list_index},
}};

constexpr std::array<std::string_view, 6> kUnsafeDictMethods = {"clear",   "fromkeys",   "pop",
                                                                "popitem", "setdefault", "update"};
constexpr std::array<std::string_view, 8> kUnsafeListMethods = {
    "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"};

template <class Methods>
Function find_in(const Methods& methods, std::string_view name) {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [name](const NamedFunction& m) { return m.name == name; });
  return found == methods.end() ? Function() : found->function;
}

}  // namespace

Function find_method(const Value& self, std::string_view name) {
  if (self.is_text()) {
    const Function searching = find_in(string_search_methods(), name);
    return searching ? searching : find_in(string_methods(), name);
  }
  if (self.dict() != nullptr) return find_in(kDictMethods, name);
  const List* list = self.list();
  if (list == nullptr || list->kind == ListKind::view || list->kind == ListKind::generator) {
    return {};
  }
  return find_in(kListMethods, name);
}

bool is_unsafe_method(const Value& self, std::string_view name) {
  const auto is_in = [name](const auto& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (self.dict() != nullptr) return is_in(kUnsafeDictMethods);
  return self.list() != nullptr && is_in(kUnsafeListMethods);
}

}  // namespace confab::engine::jinja
