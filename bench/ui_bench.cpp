// SPDX-License-Identifier: MIT
// What a token costs the interface: an answer of a given length grows by 4 bytes at a time and is
// asked for its lines at every token or at every fifth, as once a frame. The times must not depend
// on the length.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "ui/code/highlight.h"
#include "ui/markdown/markdown.h"
#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr Cols kWidth{80};
constexpr std::size_t kTokenBytes = 4;

// What models write: prose, lists, code, a table and formulas.
constexpr std::string_view kMixed = R"(## Reversing a list

There are *two* ways to do it, with `reversed` or with a **slice**; see
[the documentation](https://docs.python.org/3/) or https://example.org. Both take time in proportion
to the list, and it is only the memory that differs: a slice is a new list of as many elements, while
an iterator keeps nothing but its place.

1. Slicing copies the list:

   ```python
   print(xs[::-1])
   ```
2. `reversed()` returns an iterator.
   - It works on **sequences** only.
   - It is *not* a list: `list(reversed(xs))` makes one.

```python
def reverse(xs):
    """In place, in half as many steps as there are elements."""
    for i in range(len(xs) // 2):
        j = len(xs) - 1 - i
        xs[i], xs[j] = xs[j], xs[i]  # a swap
    return xs
```

| way          | time   | memory |
|:-------------|:------:|-------:|
| `xs[::-1]`   | $O(n)$ | $O(n)$ |
| `reversed()` | $O(n)$ | $O(1)$ |

The number of swaps is $\lfloor n/2 \rfloor$, since

$$
\sum_{i=1}^{n} i = \frac{n(n+1)}{2}
$$

> Slicing needs memory for the copy, and ~~never~~ seldom matters.

)";
constexpr std::string_view kTable = "| a cell | *another* cell with words | 12.5 | `code` |\n";
constexpr std::string_view kList = "- an item of a list that has *some* words in it and goes on\n";
constexpr std::string_view kCode = "    for (int i = 0; i < n; ++i) sum += x[i] * y[i];\n";
constexpr std::string_view kSentence = "A paragraph that *never* ends has `many` sentences in it. ";

struct Answer {
  std::string_view start;
  std::string_view unit;  // again and again
};

std::string answer_of(const Answer& answer, std::size_t n_bytes) {
  std::string text(answer.start);
  while (text.size() < n_bytes) text += answer.unit;
  return text;
}

// The answer has the length of the argument and grows by an eighth, token by token, at least by a
// few blocks; then it starts again, cold.
std::size_t growth_bytes(std::size_t length) {
  return std::max<std::size_t>(length / 8, 4096);
}

void grow(benchmark::State& state, const Answer& answer) {
  const std::int64_t n_tokens = state.range(1);  // from one layout to the next
  const std::string start = answer_of(answer, static_cast<std::size_t>(state.range(0)));
  std::string more;
  while (more.size() < growth_bytes(start.size())) more += answer.unit;
  std::size_t at = more.size();
  MarkdownView view;
  for (auto _ : state) {
    if (at >= more.size()) {
      state.PauseTiming();
      view = MarkdownView();
      view.append(start);
      view.layout(kWidth);
      at = 0;
      state.ResumeTiming();
    }
    view.append(std::string_view(more).substr(at, kTokenBytes));
    at += kTokenBytes;
    if (static_cast<std::int64_t>(at / kTokenBytes) % n_tokens == 0)
      benchmark::DoNotOptimize(view.layout(kWidth).lines.data());
  }
}

void BM_GrowMixed(benchmark::State& state) {
  grow(state, {"", kMixed});
}
void BM_GrowList(benchmark::State& state) {
  grow(state, {"", kList});
}
void BM_GrowFence(benchmark::State& state) {
  grow(state, {"```cpp\n", kCode});
}
void BM_GrowParagraph(benchmark::State& state) {
  grow(state, {"", kSentence});
}
void BM_GrowTable(benchmark::State& state) {
  grow(state, {"| a | b | c | d |\n|---|---|--:|---|\n", kTable});
}
void BM_GrowFormula(benchmark::State& state) {
  grow(state, {"$$\n", "\\alpha_{i} + x^2 &= \\frac{a}{b} \\\\\n"});
}

void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"bytes", "tokens"})
      ->ArgsProduct({{1 << 10, 10 << 10, 100 << 10, 1 << 20}, {1, 5}});
}
BENCHMARK(BM_GrowMixed)->Apply(lengths);
BENCHMARK(BM_GrowList)->Apply(lengths);
BENCHMARK(BM_GrowFence)->Apply(lengths);
BENCHMARK(BM_GrowParagraph)->Apply(lengths);
BENCHMARK(BM_GrowTable)->Apply(lengths);
BENCHMARK(BM_GrowFormula)->Apply(lengths);

// All at once, as when a conversation is opened or the width changes.
void BM_Render(benchmark::State& state) {
  const std::string text = answer_of({"", kMixed}, 100 << 10);
  for (auto _ : state) benchmark::DoNotOptimize(render_markdown(text, kWidth).lines.data());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(BM_Render)->Unit(benchmark::kMicrosecond);

void BM_Sanitize(benchmark::State& state, std::string_view unit) {
  const std::string text = answer_of({"", unit}, 100 << 10);
  for (auto _ : state) benchmark::DoNotOptimize(sanitize(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK_CAPTURE(BM_Sanitize, ascii, kSentence);
BENCHMARK_CAPTURE(BM_Sanitize, wide, "漢字とかなが混ざった文章は");

void BM_Highlight(benchmark::State& state, const char* language, std::string_view unit) {
  const std::string text = answer_of({"", unit}, 100 << 10);
  for (auto _ : state) {
    Highlighter highlighter(language);
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      benchmark::DoNotOptimize(highlighter.line(std::string_view(text).substr(at, end - at)));
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK_CAPTURE(BM_Highlight, cpp, "cpp", kCode);
BENCHMARK_CAPTURE(BM_Highlight, one_long_line, "cpp", "x[i] * y[i] ");

void BM_WrapWords(benchmark::State& state, std::string_view unit) {
  const std::string text = answer_of({"", unit}, 100 << 10);
  const std::vector<Span> spans = {{text, {}}};
  for (auto _ : state) benchmark::DoNotOptimize(wrap_words(spans, kWidth));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK_CAPTURE(BM_WrapWords, ascii, kSentence);
BENCHMARK_CAPTURE(BM_WrapWords, wide, "漢字とかなが混ざった文章は");

}  // namespace
}  // namespace confab::ui

BENCHMARK_MAIN();
