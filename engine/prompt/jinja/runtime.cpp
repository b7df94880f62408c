// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/runtime.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/error.h"

namespace confab::engine::jinja {
namespace {

// The nesting of a container of `values`.
template <class Items, class Depth>
int nesting(const Runtime& runtime, const Items& items, Depth depth_of) {
  int depth = 0;
  for (const auto& item : items) depth = std::max(depth, depth_of(item));
  if (depth >= kMaxNesting) {
    runtime.fail(fmt::format("values nest deeper than {}", kMaxNesting));
  }
  return depth + 1;
}

}  // namespace

void Runtime::fail(std::string_view message) const {
  std::string line(message);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  throw ModelError(fmt::format("line {}: {}", line_, line));
}

void Runtime::step(std::size_t n) {
  if (n > limits_.steps) fail("the template runs too long: its limit of steps is used up");
  limits_.steps -= n;
}

void Runtime::work(std::size_t n_bytes) {
  if (n_bytes > limits_.work_bytes) fail("the template handles too much data: limit reached");
  limits_.work_bytes -= n_bytes;
}

Value Runtime::text(Text text) {
  if (text.size() > kMaxTextBytes) {
    fail(fmt::format("a string of {} bytes is longer than {}", text.size(), kMaxTextBytes));
  }
  work(text.size() + text.marks().size() * sizeof(Mark) + sizeof(Text));
  return Value(std::make_shared<const Text>(std::move(text)));
}

Value Runtime::list(std::vector<Value> items, ListKind kind) {
  return list(std::move(items), kind, "");
}

Value Runtime::list(std::vector<Value> items, ListKind kind, std::string shown_as) {
  if (items.size() > kMaxElements) {
    fail(fmt::format("a list of {} elements is longer than {}", items.size(), kMaxElements));
  }
  work(sizeof(List) + items.size() * sizeof(Value));
  const int depth = nesting(*this, items, [](const Value& item) { return item.depth(); });
  return Value(
      std::make_shared<const List>(List{std::move(items), kind, depth, std::move(shown_as)}));
}

Value Runtime::dict(DictBuilder builder) {
  Dict dict = std::move(builder).take();
  if (dict.items.size() > kMaxElements) {
    fail(fmt::format("a dict of {} keys is longer than {}", dict.items.size(), kMaxElements));
  }
  work(sizeof(Dict) + dict.items.size() * 4 * sizeof(Value));
  dict.depth = nesting(*this, dict.items, [](const std::pair<Value, Value>& item) {
    return std::max(item.first.depth(), item.second.depth());
  });
  return Value(std::make_shared<const Dict>(std::move(dict)));
}

Value Runtime::callable(std::string name, Callable::Function function, const Value* self) {
  work(sizeof(Callable) + 64);
  const int depth = self == nullptr ? 0 : self->depth() + 1;
  if (depth > kMaxNesting) fail(fmt::format("values nest deeper than {}", kMaxNesting));
  return Value(
      std::make_shared<const Callable>(Callable{std::move(name), std::move(function), depth}));
}

}  // namespace confab::engine::jinja
