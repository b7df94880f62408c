// SPDX-License-Identifier: MIT
// Conversations of years: 100,000 messages, 10,000 of them in one conversation. What opening,
// searching, appending, listing and deleting cost then. TMPDIR says on which disk: syncing it is
// most of what appending takes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/percentiles.h"
#include "bench/temp_dir.h"
#include "bench/words.h"
#include "sessions/conversations/catalog.h"
#include "sessions/conversations/store.h"

namespace confab::sessions {
namespace {

constexpr std::size_t kMessages = 100'000;
constexpr std::size_t kLongest = 10'000;
constexpr std::size_t kUsual = 60;  // messages of the other conversations

std::vector<NewMessage> conversation_of(std::size_t n, Words& words) {
  std::vector<NewMessage> messages(n);
  for (std::size_t i = 0; i < n; ++i) {
    NewMessage& message = messages[i];
    message.role = i % 2 == 0 ? Role::user : Role::assistant;
    message.content = words.text(i % 2 == 0 ? 25 : 150);
    message.model = "Some 8B Instruct";
    message.tokenizer_hash = "0123456789abcdef";
    if (i % 2 == 1)
      for (std::size_t at = 0; at < message.content.size(); at += 4)
        message.tokens.push_back(static_cast<std::int32_t>(at * 2654435761U % 128'000U));
  }
  return messages;
}

constexpr const char* kLongestTitle = "the longest";

// Made once, for all benchmarks; with CONFAB_BENCH_DATABASE=FILE, for all runs.
struct Years {
  Years() {
    if (const char* kept = std::getenv("CONFAB_BENCH_DATABASE")) file = kept;
    Store store(file);
    if (Catalog(store).find(kLongestTitle).empty()) {
      for (std::size_t n = kLongest; n < kMessages; n += kUsual)
        store.create_conversation(conversation_of(kUsual, words));
      store.create_conversation(conversation_of(kLongest, words), kLongestTitle);
    }
    const Conversation longest = Catalog(store).find(kLongestTitle).at(0);
    last = {.conversation = longest.id, .message = longest.head, .branched = false};
  }
  static Years& get() {
    static Years years;
    return years;
  }
  Store open() const { return Store(file); }

  Words words;
  TempDir dir;
  std::filesystem::path file = dir / "confab.db";
  Appended last{};
};

// From no connection to all messages of the longest conversation.
void open_longest(benchmark::State& state) {
  Years& years = Years::get();
  Percentiles times;
  std::size_t n = 0;
  for ([[maybe_unused]] auto _ : state)
    n = times.measure([&] { return years.open().messages(years.last.conversation).size(); });
  if (n < kLongest) state.SkipWithError("messages are missing");
  times.report(state);
}
BENCHMARK(open_longest)->Unit(benchmark::kMillisecond)->MinTime(2);

void append_message(benchmark::State& state) {
  Years& years = Years::get();
  Store store = years.open();
  const NewMessage message = conversation_of(2, years.words)[1];
  Percentiles times;
  for ([[maybe_unused]] auto _ : state)
    years.last = times.measure(
        [&] { return store.append_message(years.last.conversation, years.last.message, message); });
  times.report(state);
}
BENCHMARK(append_message)->Iterations(500)->Unit(benchmark::kMillisecond);

// A draft as it is written each second, and its end, which is what enters the index.
void stream_answer(benchmark::State& state) {
  Years& years = Years::get();
  Store store = years.open();
  const NewMessage answer = conversation_of(2, years.words)[1];
  Percentiles times;
  for ([[maybe_unused]] auto _ : state) {
    NewMessage draft;
    draft.role = Role::assistant;
    draft.state = MessageState::draft;
    years.last = store.append_message(years.last.conversation, years.last.message, draft);
    const AnswerContent content{.content = answer.content, .tokens = answer.tokens};
    times.measure([&] { return store.update_draft(years.last.message, content), 0; });
    times.measure([&] {
      return store.finish_message(years.last.message, MessageState::done, content, {}), 0;
    });
  }
  times.report(state);
}
BENCHMARK(stream_answer)->Iterations(200)->Unit(benchmark::kMillisecond);

void list_conversations(benchmark::State& state) {
  Store store = Years::get().open();
  Percentiles times;
  for ([[maybe_unused]] auto _ : state)
    benchmark::DoNotOptimize(
        times.measure([&] { return store.list(static_cast<int>(state.range(0))).size(); }));
  times.report(state);
}
BENCHMARK(list_conversations)->Arg(50)->Arg(-1)->Unit(benchmark::kMillisecond);

void search(benchmark::State& state, const std::string& query) {
  Store store = Years::get().open();
  Percentiles times;
  std::size_t n = 0;
  for ([[maybe_unused]] auto _ : state)
    n = times.measure([&] { return Catalog(store).search(query).size(); });
  state.counters["hits"] = static_cast<double>(n);
  times.report(state);
}

void delete_conversation(benchmark::State& state) {
  Years& years = Years::get();
  Store store = years.open();
  Percentiles times;
  for ([[maybe_unused]] auto _ : state) {
    const Appended made = store.create_conversation(conversation_of(kUsual, years.words));
    times.measure([&] { return store.remove(made.conversation), 0; });
  }
  times.report(state);
}
BENCHMARK(delete_conversation)->Iterations(10)->Unit(benchmark::kMillisecond);

[[maybe_unused]] const int registered = [] {
  const Words words;
  const auto add = [](const std::string& name, const std::string& query) {
    benchmark::RegisterBenchmark(("search/" + name).c_str(), search, query)
        ->Unit(benchmark::kMillisecond);
  };
  add("most_common_word", words.word(0));
  add("common_word", words.word(100));
  add("rare_word", words.word(20'000));
  add("three_words", words.word(30) + " " + words.word(200) + " " + words.word(900));
  add("two_most_common_words", words.word(0) + " " + words.word(1));
  add("phrase", '"' + words.word(0) + " " + words.word(1) + '"');
  add("prefix", words.word(3000).substr(0, 4));
  add("two_letters", words.word(3000).substr(0, 2));
  add("nothing", "dieswortgibtesnicht");
  return 0;
}();

}  // namespace
}  // namespace confab::sessions
