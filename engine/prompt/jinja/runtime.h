// SPDX-License-Identifier: MIT
// The state of one rendering: its limits, its position in the template, and the objects it has
// made.
//
// A template is untrusted. Every statement, expression and loop iteration counts as a step, and
// every byte read or written in bulk counts as work. The clock is checked once per MiB of work.
// Three places make sure that nothing is missed: calling a Function counts the strings passed to it
// (arguments.h), a TextBuilder counts what is appended, and the functions of Runtime count what
// they make. Confined to one rendering.
#pragma once

#include <chrono>
#include <cstddef>
#include <ctime>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/prompt/jinja/text.h"
#include "engine/prompt/jinja/unicode.h"
#include "engine/prompt/jinja/value.h"
#include "engine/prompt/render_watch.h"

namespace confab::engine::jinja {

// The maximum nesting of parentheses, blocks, macro calls and lists in lists.
inline constexpr int kMaxNesting = 64;
inline constexpr std::size_t kMaxTextBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMaxElements = std::size_t{1} << 20U;
// The longest range that Jinja's sandbox allows.
inline constexpr std::size_t kMaxRange = 100'000;

struct Limits {
  std::size_t steps = 1'000'000;
  // Bytes that operations on strings and lists may touch. This also bounds the memory they fill.
  std::size_t work_bytes = std::size_t{256} << 20U;
  std::chrono::nanoseconds time = std::chrono::milliseconds(500);
  std::size_t output_bytes = kMaxTextBytes;
};

class Runtime {
 public:
  Runtime(Limits limits, std::tm now, RenderWatch watch = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Throws ModelError "line N: message". Control characters in the message become spaces, and a
  // long message is cut.
  [[noreturn]] void fail(std::string_view message) const;
  void at(int line) noexcept { line_ = line; }
  int line() const noexcept { return line_; }
  // The maximum size of the output.
  std::size_t output_bytes() const noexcept { return limits_.output_bytes; }
  // The local time that strftime_now shows.
  const std::tm& now() const noexcept { return now_; }

  // Throw ModelError if a limit is exceeded, and Stopped if the rendering is stopped.
  void step(std::size_t n = 1);
  void work(std::size_t n_bytes);

  // A pseudo-random number below n, n > 0. Every rendering draws the same numbers, because a prompt
  // that changed at random would void its cache.
  std::size_t draw(std::size_t n) noexcept { return rng_() % n; }

  // Make values whose size is checked and counted.
  Value text(Text text);
  Value text(std::string bytes, std::optional<int> source) {
    return this->text(Text(std::move(bytes), source));
  }
  Value list(std::vector<Value> items, ListKind kind = ListKind::list);
  Value list(std::vector<Value> items, ListKind kind, std::string shown_as);
  Value dict(DictBuilder builder);
  Value callable(std::string name, Callable::Function function, const Value* self = nullptr);
  // Objects live until the end of the rendering, because they may refer to each other in cycles.
  template <class T, class... Args>
  T& object(Args&&... args) {
    work(sizeof(T) + 64);
    auto owned = std::make_unique<T>(std::forward<Args>(args)...);
    T& made = *owned;
    objects_.push_back(std::move(owned));
    return made;
  }

 private:
  void watch(std::size_t n_bytes);
  void look();

  Limits limits_;
  std::tm now_;
  RenderWatch watch_;
  std::chrono::nanoseconds deadline_;
  std::size_t until_look_;
  int line_ = 1;
  std::minstd_rand rng_;
  std::vector<std::unique_ptr<Object>> objects_;
};

// Whether one character is of a class. A character that is not ASCII counts as work.
bool is_of_class(Runtime& runtime, std::string_view character, CharClass char_class);

// Builds a text from parts. Each part is counted as work, and the length is checked at every step.
class TextBuilder {
 public:
  // The runtime must outlive the object.
  explicit TextBuilder(Runtime& runtime) : runtime_(runtime) {}

  // Throw ModelError if the text becomes longer than kMaxTextBytes.
  void append(std::string_view bytes);
  void append(const Text& text) { append(text, 0, text.size()); }
  // Bytes [begin, end) of the text.
  void append(const Text& text, std::size_t begin, std::size_t end);
  void append_times(const Text& text, std::size_t n);

  bool empty() const noexcept { return text_.empty(); }
  Text take() && { return std::move(text_); }
  Value finish(bool is_markup = false) && {
    return runtime_.text(std::move(text_).as_markup(is_markup));
  }

 private:
  void count(std::size_t n_bytes);

  Runtime& runtime_;
  Text text_;
};

}  // namespace confab::engine::jinja
