// SPDX-License-Identifier: MIT
#include "engine/prompt/jinja/runtime.h"

#include <fmt/format.h>
#include <time.h>  // clock_gettime is POSIX, not ISO C++

#include <algorithm>
#include <utility>

#include "engine/error.h"

namespace confab::engine::jinja {
namespace {

// The cost of a step in bytes of work. A step takes about 64 ns.
constexpr std::size_t kStepBytes = 64;
// The work between two checks of the clock, about a millisecond.
constexpr std::size_t kLookEvery = std::size_t{1} << 20U;
constexpr std::size_t kMaxMessageBytes = 1000;
// The cost of asking PCRE2 for the class of one character, in bytes of work.
constexpr std::size_t kClassBytes = 256;

std::chrono::nanoseconds thread_time() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

RenderWatch with_clock(RenderWatch watch) {
  if (!watch.clock) watch.clock = thread_time;
  return watch;
}

// The nesting of a container of `items`. Fails if it is too deep.
template <class Items, class Depth>
int nesting(const Runtime& runtime, const Items& items, Depth depth_of) {
  int depth = 0;
  for (const auto& item : items) depth = std::max(depth, depth_of(item));
  if (depth >= kMaxNesting) {
    runtime.fail(fmt::format("values nest deeper than {}", kMaxNesting));
  }
  return depth + 1;
}

constexpr std::size_t kAppendBytes = 8;  // counted as work for each append, besides the bytes

}  // namespace

Runtime::Runtime(Limits limits, std::tm now, RenderWatch watch)
    : limits_(limits),
      now_(now),
      watch_(with_clock(std::move(watch))),
      deadline_(watch_.clock() + limits.time),
      until_look_(kLookEvery) {}

void Runtime::fail(std::string_view message) const {
  const bool is_long = message.size() > kMaxMessageBytes;
  std::string line(message.substr(0, kMaxMessageBytes));
  if (is_long) line.resize(char_begin(line, line.size()));
  if (is_long) line += "...";
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  throw ModelError(fmt::format("line {}: {}", line_, line));
}

void Runtime::step(std::size_t n) {
  if (n > limits_.steps) fail("the template runs too long: it reached its step limit");
  limits_.steps -= n;
  watch(n * kStepBytes);
}

void Runtime::work(std::size_t n_bytes) {
  if (n_bytes > limits_.work_bytes)
    fail("the template handles too much data: it reached its limit");
  limits_.work_bytes -= n_bytes;
  watch(n_bytes);
}

void Runtime::watch(std::size_t n_bytes) {
  if (n_bytes < until_look_) {
    until_look_ -= n_bytes;
    return;
  }
  until_look_ = kLookEvery;
  look();
}

void Runtime::look() {
  if (watch_.stop.stop_requested()) throw Stopped("the chat template was stopped");
  if (watch_.clock() <= deadline_) return;
  fail(fmt::format("the template runs too long: it may take {:.1f} s",
                   std::chrono::duration<double>(limits_.time).count()));
}

Value Runtime::text(Text text) {
  if (text.size() > kMaxTextBytes) {
    fail(fmt::format("a string of {} bytes is longer than {}", text.size(), kMaxTextBytes));
  }
  work(text.cost() + sizeof(Text));
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

bool is_of_class(Runtime& runtime, std::string_view character, CharClass char_class) {
  if (const auto known = ascii_class(character, char_class)) return *known;
  runtime.work(kClassBytes);
  return all_of_class(character, char_class);
}

void TextBuilder::count(std::size_t n_bytes) {
  runtime_.work(n_bytes + kAppendBytes);
  if (n_bytes > kMaxTextBytes - text_.size()) {
    runtime_.fail(fmt::format("a string becomes longer than {} bytes", kMaxTextBytes));
  }
}

void TextBuilder::append(std::string_view bytes) {
  count(bytes.size());
  text_.append(bytes);
}

void TextBuilder::append(const Text& text, std::size_t begin, std::size_t end) {
  count(end - begin);
  text_.append(text, begin, end);
}

void TextBuilder::append_times(const Text& text, std::size_t n) {
  const bool is_too_long = !text.empty() && n > kMaxTextBytes / text.size();
  count(is_too_long ? kMaxTextBytes + 1 : text.size() * n);
  text_.append(repeat(text, n));
}

}  // namespace confab::engine::jinja
