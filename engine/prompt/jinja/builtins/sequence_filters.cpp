// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/builtins/sequence_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "engine/prompt/jinja/builtins/string_methods.h"
#include "engine/prompt/jinja/operators.h"
#include "engine/prompt/jinja/repr.h"
#include "engine/prompt/jinja/runtime.h"

namespace confab::engine::jinja {
namespace {

// The value that sort and similar filters compare: the item or its attribute. Strings are compared
// without case unless `case_sensitive`.
Value sort_key(Runtime& runtime, const Value& item, const Value& attribute, bool case_sensitive) {
  const Value key = attribute.is_none() ? item : attribute_path(runtime, item, attribute);
  if (case_sensitive || !key.is_text()) return key;
  return runtime.text(lower(runtime, key.text()));
}

struct Keyed {
  Value key;
  Value item;
};

std::vector<Keyed> keyed(Runtime& runtime, const Value& self, const Value& attribute,
                         bool case_sensitive) {
  std::vector<Keyed> result;
  for (Value& item : elements(runtime, self)) {
    result.push_back({sort_key(runtime, item, attribute, case_sensitive), std::move(item)});
  }
  return result;
}

void sort_by_key(Runtime& runtime, std::vector<Keyed>& items, bool reverse) {
  std::stable_sort(items.begin(), items.end(), [&](const Keyed& a, const Keyed& b) {
    return reverse ? less(runtime, b.key, a.key) : less(runtime, a.key, b.key);
  });
}

Value items_of(Runtime& runtime, std::vector<Keyed> items, ListKind kind) {
  std::vector<Value> result;
  for (Keyed& entry : items) result.push_back(std::move(entry.item));
  return runtime.list(std::move(result), kind);
}

// The comma-separated parts of "a.b,c". An attribute that is not text is the only part.
std::vector<Value> attributes_of(Runtime& runtime, const Value& attribute) {
  if (!attribute.is_text()) return {attribute};
  std::vector<Value> parts;
  std::string_view rest = attribute.text().view();
  while (true) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    parts.push_back(runtime.text(std::string(rest.substr(0, comma)), {}));
    if (comma == rest.size()) return parts;
    rest.remove_prefix(comma + 1);
  }
}

// Keys are lists, because comparing lists does not ask equal elements for their order, which they
// may not have.
Value sort(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "sort", arguments, {"reverse", "case_sensitive", "attribute"});
  const std::vector<Value> attributes = attributes_of(runtime, bound.value_or(2, Value()));
  std::vector<Keyed> items;
  for (Value& item : elements(runtime, self)) {
    std::vector<Value> key;
    for (const Value& attribute : attributes) {
      key.push_back(sort_key(runtime, item, attribute, bound.flag_or(1, false)));
    }
    items.push_back({runtime.list(std::move(key)), std::move(item)});
  }
  sort_by_key(runtime, items, bound.flag_or(0, false));
  return items_of(runtime, std::move(items), ListKind::list);
}

Value unique(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "unique", arguments, {"case_sensitive", "attribute"});
  std::set<std::string> seen;
  std::vector<Keyed> kept;
  for (Keyed& entry : keyed(runtime, self, bound.value_or(1, Value()), bound.flag_or(0, false))) {
    if (seen.insert(hash_key(runtime, entry.key)).second) kept.push_back(std::move(entry));
  }
  return items_of(runtime, std::move(kept), ListKind::generator);
}

template <bool largest>
Value extreme(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, largest ? "max" : "min", arguments, {"case_sensitive", "attribute"});
  const std::vector<Keyed> items =
      keyed(runtime, self, bound.value_or(1, Value()), bound.flag_or(0, false));
  if (items.empty()) return Value::undefined("No aggregated item, sequence was empty.");
  const Keyed* best = &items[0];
  for (const Keyed& entry : items) {
    const bool better =
        largest ? less(runtime, best->key, entry.key) : less(runtime, entry.key, best->key);
    if (better) best = &entry;
  }
  return best->item;
}

Value dictsort(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "dictsort", arguments, {"case_sensitive", "by", "reverse"});
  if (self.is_undefined()) runtime.fail(self.undefined_message());
  if (self.dict() == nullptr) runtime.fail("dictsort: expected a mapping");
  const Text by = bound.text_or(1, "key");
  if (by.view() != "key" && by.view() != "value") {
    runtime.fail("You can only sort by either \"key\" or \"value\"");
  }
  std::vector<Keyed> pairs;
  for (const auto& [key, value] : self.dict()->items) {
    const Value& compared = by.view() == "key" ? key : value;
    pairs.push_back({sort_key(runtime, compared, Value(), bound.flag_or(0, false)),
                     runtime.list({key, value}, ListKind::tuple)});
  }
  sort_by_key(runtime, pairs, bound.flag_or(2, false));
  return items_of(runtime, std::move(pairs), ListKind::list);
}

Value first(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "first", arguments, {});
  if (self.is_text()) {
    if (!self.text().empty()) return subscript(runtime, self, std::int64_t{0});
  } else if (const std::vector<Value> items = elements(runtime, self); !items.empty()) {
    return items.front();
  }
  return Value::undefined("No first item, sequence was empty.");
}

Value last(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "last", arguments, {});
  if (self.is_text()) {
    if (!self.text().empty()) return subscript(runtime, self, std::int64_t{-1});
  } else if (const std::vector<Value> items = elements(runtime, self); !items.empty()) {
    return items.back();
  }
  return Value::undefined("No last item, sequence was empty.");
}

Value length_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "length", arguments, {});
  if (const auto n = length(runtime, self)) return static_cast<std::int64_t>(*n);
  runtime.fail(fmt::format("object of type '{}' has no len()", self.type_name()));
}

Value list(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "list", arguments, {});
  return runtime.list(elements(runtime, self));
}

Value items(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "items", arguments, {});
  if (!self.is_undefined() && self.dict() == nullptr) {
    runtime.fail("Can only get item pairs from a mapping.");
  }
  std::vector<Value> pairs;
  if (self.dict() != nullptr) {
    for (const auto& [key, value] : self.dict()->items) {
      pairs.push_back(runtime.list({key, value}, ListKind::tuple));
    }
  }
  return runtime.list(std::move(pairs), ListKind::generator);
}

Value join(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "join", arguments, {"d", "attribute"});
  const Text separator = to_text(runtime, bound.value_or(0, Value::plain("")));
  const Value attribute = bound.value_or(1, Value());
  TextBuilder joined(runtime);
  bool is_first = true;
  for (const Value& item : elements(runtime, self)) {
    if (!is_first) joined.append(separator);
    is_first = false;
    joined.append(
        to_text(runtime, attribute.is_none() ? item : attribute_path(runtime, item, attribute)));
  }
  return std::move(joined).finish();
}

Value reverse(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "reverse", arguments, {});
  if (self.is_text()) return slice(runtime, self, {Value(), Value(), std::int64_t{-1}});
  std::vector<Value> items = elements(runtime, self);
  std::reverse(items.begin(), items.end());
  return runtime.list(std::move(items), ListKind::generator);
}

Value sum(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "sum", arguments, {"attribute", "start"});
  const Value attribute = bound.value_or(0, Value());
  Value total = bound.value_or(1, std::int64_t{0});
  for (const Value& item : elements(runtime, self)) {
    total = apply(runtime, BinaryOp::add, total,
                  attribute.is_none() ? item : attribute_path(runtime, item, attribute));
  }
  return total;
}

Value batch(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "batch", arguments, {"linecount", "fill_with"});
  const auto n = static_cast<std::size_t>(std::clamp<std::int64_t>(bound.integer(0), 1, 100'000));
  const std::vector<Value> all = elements(runtime, self);
  std::vector<Value> batches;
  for (std::size_t begin = 0; begin < all.size(); begin += n) {
    const std::size_t end = std::min(begin + n, all.size());
    std::vector<Value> row(all.begin() + static_cast<std::ptrdiff_t>(begin),
                           all.begin() + static_cast<std::ptrdiff_t>(end));
    const Value fill = bound.value_or(1, Value());
    if (!fill.is_none()) row.resize(n, fill);
    batches.push_back(runtime.list(std::move(row)));
  }
  return runtime.list(std::move(batches), ListKind::generator);
}

// Makes `slices` lists of about equal length. The first lists take the remainder.
Value slice_filter(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "slice", arguments, {"slices", "fill_with"});
  const std::int64_t n_slices = bound.integer(0);
  if (n_slices == 0) runtime.fail("slice: division by zero");
  if (n_slices > static_cast<std::int64_t>(kMaxRange)) runtime.fail("slice: too many slices");
  const std::vector<Value> all = elements(runtime, self);
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(n_slices, 0));
  const Value fill = bound.value_or(1, Value());
  std::vector<Value> slices;
  auto begin = all.begin();
  for (std::size_t i = 0; i < n; ++i) {
    const bool has_extra = i < all.size() % n;
    const auto end = begin + static_cast<std::ptrdiff_t>(all.size() / n + (has_extra ? 1 : 0));
    std::vector<Value> part(begin, end);
    if (!fill.is_none() && !has_extra) part.push_back(fill);
    slices.push_back(runtime.list(std::move(part)));
    begin = end;
  }
  return runtime.list(std::move(slices), ListKind::generator);
}

Value group(Runtime& runtime, Value key, std::vector<Value> items) {
  const Value list = runtime.list(std::move(items));
  const Value pair = runtime.list({std::move(key), list}, ListKind::tuple);
  List named = *pair.list();
  named.is_group = true;
  return {std::make_shared<const List>(std::move(named))};
}

// Sorts by an attribute, and returns one (grouper, list) for each of its values.
Value groupby(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "groupby", arguments, {"attribute", "default", "case_sensitive"});
  const Value fallback = bound.value_or(1, Value());
  const auto attribute_of = [&](const Value& item) {
    const Value value = attribute_path(runtime, item, bound.value(0));
    return value.is_undefined() && !fallback.is_none() ? fallback : value;
  };
  std::vector<Keyed> items;
  for (Value& item : elements(runtime, self)) {
    const Value key = sort_key(runtime, attribute_of(item), Value(), bound.flag_or(2, false));
    items.push_back({key, std::move(item)});
  }
  sort_by_key(runtime, items, false);
  std::vector<Value> groups;
  for (auto begin = items.begin(); begin != items.end();) {
    const auto end = std::find_if(begin, items.end(), [&](const Keyed& entry) {
      return !equal(runtime, entry.key, begin->key);
    });
    std::vector<Value> members;
    for (auto entry = begin; entry != end; ++entry) members.push_back(entry->item);
    const Value key = attribute_of(members[0]);
    groups.push_back(group(runtime, key, std::move(members)));
    begin = end == begin ? end + 1 : end;  // a NaN does not equal itself
  }
  return runtime.list(std::move(groups));
}

Value random(Runtime& runtime, const Value& self, const Arguments& arguments) {
  const Bound bound(runtime, "random", arguments, {});
  if (self.dict() != nullptr) runtime.fail("random: found dict, expected a sequence");
  const std::vector<Value> all = elements(runtime, self);
  if (all.empty()) return Value::undefined("No random item, sequence was empty.");
  return all[runtime.draw(all.size())];
}

constexpr std::array<NamedFunction, 18> kFilters = {{
    {"batch", batch},
    {"count", length_filter},
    {"dictsort", dictsort},
    {"first", first},
    {"groupby", groupby},
    {"items", items},
    {"join", join},
    {"last", last},
    {"length", length_filter},
    {"list", list},
    {"max", extreme<true>},
    {"min", extreme<false>},
    {"random", random},
    {"reverse", reverse},
    {"slice", slice_filter},
    {"sort", sort},
    {"sum", sum},
    {"unique", unique},
}};

}  // namespace

std::span<const NamedFunction> sequence_filters() noexcept {
  return kFilters;
}

}  // namespace confab::engine::jinja
