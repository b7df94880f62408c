// SPDX-License-Identifier: MIT
// What a token costs the interface: an answer of a given length grows by 4 bytes and is asked for
// its lines, as once a frame. The times must not depend on the length.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "ui/highlight.h"
#include "ui/markdown.h"
#include "ui/text.h"
#include "ui/wrap.h"

namespace confab::ui {
namespace {

constexpr Cols kWidth{80};
constexpr std::size_t kTokenBytes = 4;

constexpr std::string_view kMixed =
    "## Reversing a list\n\nThere are *two* ways to do it, with `reversed` or with a **slice**; "
    "see "
    "[the documentation](https://docs.python.org/3/).\n\n1. Slicing copies the list:\n\n   "
    "```python\n   print(xs[::-1])\n   ```\n2. `reversed()` returns an iterator.\n\n> Slicing "
    "needs memory for the copy.\n\n";
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

// The answer has the length of the argument and grows by kGrowthBytes, token by token; then it
// starts again, cold.
constexpr std::size_t kGrowthBytes = 16000;

void grow(benchmark::State& state, const Answer& answer) {
  const std::string start = answer_of(answer, static_cast<std::size_t>(state.range(0)));
  std::string more;
  while (more.size() < kGrowthBytes) more += answer.unit;
  std::size_t at = more.size();
  MarkdownView view;
  for (auto _ : state) {
    if (at >= more.size()) {
      state.PauseTiming();
      view = MarkdownView();
      view.append(start);
      view.lines(kWidth);
      at = 0;
      state.ResumeTiming();
    }
    view.append(std::string_view(more).substr(at, kTokenBytes));
    benchmark::DoNotOptimize(view.lines(kWidth).size());
    at += kTokenBytes;
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

void lengths(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1 << 10)->Arg(10 << 10)->Arg(100 << 10)->Arg(1 << 20);
}
BENCHMARK(BM_GrowMixed)->Apply(lengths);
BENCHMARK(BM_GrowList)->Apply(lengths);
BENCHMARK(BM_GrowFence)->Apply(lengths);
BENCHMARK(BM_GrowParagraph)->Apply(lengths);

// All at once, as when a conversation is opened or the width changes.
void BM_Render(benchmark::State& state) {
  const std::string text = answer_of({"", kMixed}, 100 << 10);
  for (auto _ : state) benchmark::DoNotOptimize(render_markdown(text, kWidth));
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
