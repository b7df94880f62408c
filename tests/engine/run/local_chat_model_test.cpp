// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "engine/error.h"
#include "engine/run/local_chat_model.h"
#include "engine/utf8.h"
#include "kernels/thread_pool.h"
#include "tests/engine/cache/memory_block_store.h"
#include "tests/engine/nextn_model.h"
#include "tests/engine/run/chat_model_rig.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using namespace front;

using testing::HasSubstr;
using testing::StartsWith;

std::string load_error(const LoadOptions& options) {
  try {
    load_chat_model(options);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "loaded";
}

// A model that never ends an answer by itself, with room for more than any test waits for: the
// rows of its special tokens, the last of output.weight and of the file, are zero.
std::unique_ptr<ChatModel> load_endless_model(const std::string& path, BlockStore* store) {
  std::string bytes = tiny_model({.n_ctx = 65536}).bytes();
  std::fill(bytes.end() - 3 * 64 * static_cast<int>(sizeof(float)), bytes.end(), '\0');
  std::ofstream(path, std::ios::binary) << bytes;
  return load_chat_model({.path = path, .n_ctx = 65536, .n_threads = 2, .store = store});
}

class LocalChatModelTest : public testing::Test {
 protected:
  std::unique_ptr<ChatModel> load(LoadOptions options = {}) const {
    options.path = file.path();
    if (options.n_threads == 0) options.n_threads = 2;
    return load_chat_model(options);
  }

  const TinyModelFile file{{.n_ctx = 8192}};
};

TEST_F(LocalChatModelTest, SaysWhatItIs) {
  const auto model = load({.n_ctx = 1000, .n_threads = 1, .isa = "scalar"});
  const ModelInfo& info = model->info();
  EXPECT_EQ(info.path, file.path());
  EXPECT_EQ(info.name, "Tiny Test");
  EXPECT_EQ(info.architecture, "llama");
  EXPECT_EQ(info.file_bytes, std::filesystem::file_size(file.path()));
  EXPECT_EQ(info.n_ctx, 1000);
  EXPECT_EQ(info.n_ctx_train, 8192);
  EXPECT_EQ(info.n_threads, 1);
  EXPECT_EQ(info.kv_types, "q8_0/q8_0");
  EXPECT_EQ(info.isa, "scalar");
  // Two embeddings of [300, 64]; a layer has q, k, v, o, three of the feed-forward, two norms.
  EXPECT_EQ(info.n_params, 2 * 300 * 64 + 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 96 + 128));
  EXPECT_EQ(info.tokenizer_hash.size(), 16U);
  EXPECT_EQ(info.chat_template, "the file's own");
}

// Loaded side by side, each answers as it does alone.
TEST_F(LocalChatModelTest, ModelsThatShareATeamAnswerAtOnce) {
  const TinyModelFile other_file({.seed = 5, .n_ctx = 8192});
  const auto team = std::make_shared<kernels::ThreadPool>(3);
  const auto one = load({.team = team}),
             other = load_chat_model({.path = other_file.path(), .team = team});
  EXPECT_EQ(one->info().n_threads, 3);
  EXPECT_EQ(other->info().n_threads, 3);
  const GenerateRequest request = ask("tell me of the sea", 60);
  const auto alone = [&](ChatModel& model) {
    model.generate(request);
    return collect(model).text;
  };
  const std::string first = alone(*one), second = alone(*other);
  EXPECT_NE(first, second);
  for (int i = 0; i < 3; ++i) {
    one->generate(request);
    other->generate(request);
    EXPECT_EQ(collect(*one).text, first);
    EXPECT_EQ(collect(*other).text, second);
  }
}

// The prompt ends inside a span that this model never closes.
TEST_F(LocalChatModelTest, ReasoningComesAsItsOwnEvents) {
  const std::string source(kTinyTemplate);
  const auto plain = load({.chat_template = source + "{{ 'THINK' }}"});
  const auto thinking = load({.chat_template = source + "{{ '<think>' }}"});
  plain->generate(ask("<think> is no marker here </think>", 20));
  const Answer answer = collect(*plain);
  EXPECT_FALSE(answer.text.empty());
  EXPECT_TRUE(answer.reasoning.empty());
  thinking->generate(ask("hello", 20));
  const Answer thought = collect(*thinking);
  ASSERT_TRUE(thought.end) << thought.error;
  EXPECT_TRUE(thought.text.empty());
  EXPECT_FALSE(thought.reasoning.empty());
  EXPECT_EQ(thought.end->tokens.size(), 20U);
  EXPECT_EQ(thought.end->answer_begin, 20);  // none of them is the answer's
  EXPECT_EQ(thought.end->stats.n_generated, 20);
  EXPECT_TRUE(thinking->info().can_reason);
  EXPECT_FALSE(plain->info().can_reason);
  GenerateRequest limited = ask("hello", 60);
  limited.reasoning_budget = 10;
  thinking->generate(limited);
  const Answer answered = collect(*thinking);
  EXPECT_FALSE(answered.reasoning.empty());
  EXPECT_FALSE(answered.text.empty());
}

TEST_F(LocalChatModelTest, AnswersThroughEvents) {
  const auto model = load();
  EXPECT_FALSE(model->next_event());
  const GenerateRequest request = ask("hello", 20);
  model->generate(request);
  const Answer answer = collect(*model);
  ASSERT_TRUE(answer.end) << answer.error;
  EXPECT_EQ(answer.end->reason, FinishReason::length);
  EXPECT_EQ(answer.end->stats.n_generated, 20);
  EXPECT_EQ(answer.end->stats.n_prompt, model->count_tokens(request.turns));
  EXPECT_FALSE(answer.text.empty());
  EXPECT_FALSE(model->next_event());
}

TEST_F(LocalChatModelTest, TheSameSeedGivesTheSameTextWithAnyNumberOfThreads) {
  std::vector<std::string> texts;
  for (const int n_threads : {1, 2, 3}) {
    const auto model = load({.n_threads = n_threads});
    GenerateRequest request = ask("hello", 50);
    request.sampling = {.seed = 11};
    model->generate(request);
    texts.push_back(collect(*model).text);
  }
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST_F(LocalChatModelTest, ACancelledAnswerEndsAndTheNextOneGoesOnFromIt) {
  const TemporaryFolder folder;
  const auto model = load_endless_model(folder / "endless.gguf", nullptr);
  GenerateRequest request = ask("hello", -1);
  const AnswerId id = model->generate(request);
  Answer answer;
  while (answer.text.empty()) {
    const Event event = next(*model);
    if (const auto* text = std::get_if<TextDelta>(&event)) answer.text += text->text;
  }
  model->cancel(id);
  model->cancel(id);
  const Answer rest = collect(*model);
  ASSERT_TRUE(rest.end) << rest.error;
  ASSERT_EQ(rest.end->reason, FinishReason::cancelled);
  EXPECT_LT(rest.end->n_ctx_used, 65536);

  request.turns.push_back({{"assistant", answer.text + rest.text}, rest.end->tokens});
  request.turns.push_back({{"user", "and"}});
  request.n_predict = 3;
  model->generate(request);
  const Answer second = collect(*model);
  ASSERT_TRUE(second.end) << second.error;
  EXPECT_EQ(second.end->reason, FinishReason::length);
  EXPECT_EQ(second.end->stats.n_cached, rest.end->n_ctx_used);
}

TEST_F(LocalChatModelTest, WhatACancelledAnswerComputedIsKept) {
  const TemporaryFolder folder;
  MemoryBlockStore store;
  int n_prompt = 0, n_ctx_used = 0;
  {
    const auto model = load_endless_model(folder / "endless.gguf", &store);
    const GenerateRequest request = ask(std::string(400, 'x'), -1);
    n_prompt = model->count_tokens(request.turns);
    const AnswerId id = model->generate(request);
    while (!std::holds_alternative<TextDelta>(next(*model))) {
    }
    model->cancel(id);
    const Answer rest = collect(*model);
    ASSERT_TRUE(rest.end) << rest.error;
    ASSERT_EQ(rest.end->reason, FinishReason::cancelled);
    n_ctx_used = rest.end->n_ctx_used;
  }
  ASSERT_FALSE(store.blocks.empty());
  const int n_kept = static_cast<int>(store.blocks.back().tokens.size());
  EXPECT_GE(n_kept, n_prompt);
  EXPECT_LE(n_ctx_used - n_kept, 31);  // less is not worth it
}

TEST_F(LocalChatModelTest, CountsWhileItAnswers) {
  const TemporaryFolder folder;
  const auto model = load_endless_model(folder / "endless.gguf", nullptr);
  const GenerateRequest request = ask("hello", -1);
  const AnswerId id = model->generate(request);
  while (!std::holds_alternative<TextDelta>(next(*model))) {
  }
  const int n = model->count_tokens(request.turns);
  EXPECT_FALSE(model->prompt_text(request.turns).empty());
  model->count({.number = 5, .turns = request.turns});
  std::optional<Counted> counted;
  while (!counted) {
    const Event event = next(*model);
    ASSERT_FALSE(std::holds_alternative<Finished>(event));
    if (const auto* found = std::get_if<Counted>(&event)) counted = *found;
  }
  EXPECT_EQ(counted->number, 5U);
  EXPECT_EQ(counted->n_tokens, n);
  model->cancel(id);
  EXPECT_EQ(collect(*model).end->reason, FinishReason::cancelled);
}

// The rendering would take some hundred milliseconds.
TEST_F(LocalChatModelTest, AnAnswerCanBeCancelledWhileItsTemplateIsRendered) {
  const auto model =
      load({.chat_template = "{% set b = 'x' * 1000000 %}{% for i in range(100000) %}"
                             "{{ b.split('y') and '' }}{% endfor %}"});
  model->cancel(model->generate(ask(std::string(1'000'000, 'x'), 3)));
  const Answer answer = collect(*model);
  ASSERT_TRUE(answer.end) << answer.error;
  EXPECT_EQ(answer.end->reason, FinishReason::cancelled);
  EXPECT_EQ(answer.end->n_ctx_used, 0);
}

TEST_F(LocalChatModelTest, ACancelBeforeAnythingRunsDoesNotCarryOver) {
  const auto model = load();
  model->cancel(AnswerId::none);
  model->cancel(AnswerId{1});
  model->generate(ask("hello", 3));
  EXPECT_EQ(collect(*model).end->reason, FinishReason::length);
}

TEST_F(LocalChatModelTest, AFailureIsAnEventAndTheModelCanBeUsedAgain) {
  const auto model = load({.n_ctx = 64});
  model->generate(ask(std::string(500, 'x'), 3));
  EXPECT_THAT(collect(*model).error, HasSubstr("64"));
  GenerateRequest request = ask("hello", 3);
  request.sampling.temperature = -1;
  model->generate(request);
  EXPECT_THAT(collect(*model).error, StartsWith("temperature"));
  model->generate(ask("hello", 3));
  EXPECT_TRUE(collect(*model).end);
}

// A store that has the model file overwritten when it is asked what it knows about it: between the
// time when the file was opened and the one when it is read as a whole.
class OverwritingStore : public MemoryBlockStore {
 public:
  explicit OverwritingStore(std::string path) : path_(std::move(path)) {}
  std::optional<std::string> recall(const std::string& name) override {
    std::fstream(path_, std::ios::in | std::ios::out) << "GGUF";
    return MemoryBlockStore::recall(name);
  }

 private:
  std::string path_;
};

TEST_F(LocalChatModelTest, OfAFileThatWasChangedNothingIsRememberedAndEachAnswerFails) {
  namespace fs = std::filesystem;
  fs::last_write_time(file.path(), fs::file_time_type::clock::now() - std::chrono::hours(24));
  OverwritingStore store(file.path());
  const auto model = load({.store = &store});
  for (int i = 0; i < 2; ++i) {
    model->generate(ask(std::string(400, 'x'), 3));
    const Answer answer = collect(*model);
    EXPECT_FALSE(answer.end);
    EXPECT_THAT(answer.error, StartsWith(file.path() + ": the file was overwritten"));
    EXPECT_FALSE(model->next_event());
  }
  EXPECT_TRUE(store.facts.empty());
  EXPECT_TRUE(store.blocks.empty());
}

// The team reads what is gone, and so does the thread that asks for the hash of all of it.
TEST_F(LocalChatModelTest, AFileThatIsCutShortEndsEachAnswerAndNotTheProgram) {
  MemoryBlockStore store;
  const auto model = load({.n_threads = 3, .store = &store});
  std::filesystem::resize_file(file.path(), 0);
  for (int i = 0; i < 2; ++i) {
    model->prepare({.turns = {{{"user", "hello"}}}, .draft = "and"});
    model->generate(ask("hello", 3));
    EXPECT_THAT(collect(*model).error, StartsWith(file.path() + ": the file was overwritten"));
  }
}

TEST_F(LocalChatModelTest, CanBeDestroyedWhileItGenerates) {
  const auto begin = std::chrono::steady_clock::now();
  {
    const TemporaryFolder folder;
    const auto model = load_endless_model(folder / "endless.gguf", nullptr);
    model->generate(ask("hello", -1));
    next(*model);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST_F(LocalChatModelTest, TheNextProgramFindsWhatThisOneComputed) {
  MemoryBlockStore store;
  std::string text;
  for (int i = 0; i < 60; ++i) text += "word " + std::to_string(i) + ", ";
  GenerateRequest request = ask(text, 10);
  {
    const auto model = load({.store = &store});
    model->generate(request);
    const Answer first = collect(*model);
    ASSERT_TRUE(first.end) << first.error;
    request.turns.push_back({{"assistant", first.text}, first.end->tokens});
    request.turns.push_back({{"user", "more"}});
  }
  std::vector<std::string> answers;
  for (BlockStore* given : {static_cast<BlockStore*>(&store), static_cast<BlockStore*>(nullptr)}) {
    const auto model = load({.store = given});
    model->generate(request);
    const Answer answer = collect(*model);
    ASSERT_TRUE(answer.end) << answer.error;
    EXPECT_EQ(answer.end->stats.n_cached > 256, given != nullptr);
    answers.push_back(answer.text);
  }
  EXPECT_EQ(answers[0], answers[1]);
}

// A store that tells when it remembers the weights of two models.
class RememberingStore : public MemoryBlockStore {
 public:
  void remember(const std::string& name, const std::string& value) override {
    MemoryBlockStore::remember(name, value);
    if (facts.size() == 2) both.set_value();
  }
  std::promise<void> both;
};

// While nobody waits for an answer.
TEST_F(LocalChatModelTest, TheWeightsOfADraftModelAreReadToo) {
  const TinyModelFile draft{{.seed = 7, .n_layer = 1, .n_ctx = 8192}};
  RememberingStore store;
  auto model =
      load({.draft = {.path = draft.path(), .wanted = true, .p_min = 0.5F}, .store = &store});
  EXPECT_EQ(store.both.get_future().wait_for(std::chrono::minutes(1)), std::future_status::ready);
  model.reset();
  ASSERT_EQ(store.facts.size(), 2U);
  EXPECT_NE(store.facts.begin()->second, store.facts.rbegin()->second);
}

TEST_F(LocalChatModelTest, WhatCannotBeLoadedIsSaidInOneLine) {
  const TemporaryFolder folder;
  EXPECT_THAT(load_error({.path = folder / "none.gguf"}), StartsWith(folder / "none.gguf"));
  EXPECT_THAT(load_error({.path = file.path(), .isa = "z80"}), HasSubstr("z80"));
  EXPECT_THAT(load_error({.path = file.path(), .n_ctx = 9000}), StartsWith(file.path() + ": "));
  const std::string bad_template = load_error({.path = file.path(), .chat_template = "{% bad"});
  EXPECT_THAT(bad_template, StartsWith("chat template that was given: line 1"));
  EXPECT_EQ(bad_template.find('\n'), std::string::npos);
  GgufWriter writer = tiny_model();
  writer.remove("tokenizer.chat_template").add("tokenizer.chat_template", "{% bad");
  writer.write(folder / "bad.gguf");
  const std::string own = load_error({.path = folder / "bad.gguf"});
  EXPECT_THAT(own, StartsWith((folder / "bad.gguf") + ": chat template: line 1"));
  EXPECT_THAT(own, HasSubstr("--chat-template gives it another"));
  EXPECT_THAT(load_error({.path = file.path(), .chat_template = "Hello"}),
              HasSubstr("it leaves the question out of the prompt"));
}

TEST(BundledModelTest, WritesEnglishThatAnswersTheQuestion) {
  const std::string path = CONFAB_SOURCE_DIR "/models/confab-demo.gguf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto model = load_chat_model({.path = path});
  model->generate(ask("What is the capital of France?", 40));
  const Answer fact = collect(*model);
  ASSERT_TRUE(fact.end) << fact.error;
  EXPECT_EQ(fact.end->reason, FinishReason::end_of_turn);
  EXPECT_THAT(fact.text, HasSubstr("Paris"));

  model->generate(ask("Write a story about a dog named Max.", 32));
  const Answer story = collect(*model);
  ASSERT_TRUE(story.end) << story.error;
  EXPECT_EQ(story.end->stats.n_generated, 32);
  EXPECT_THAT(story.text, HasSubstr("Max"));
  std::string valid;
  Utf8Stream().push(story.text, valid);
  EXPECT_EQ(valid, story.text);
  EXPECT_EQ(valid.find("\uFFFD"), std::string::npos);
}

TEST_F(LocalChatModelTest, AModelWithRecurrentLayersLooksUpAndIsDraftedFor) {
  const TinyModelFile tiny(circling_model("qwen35"));
  const DraftOptions itself{.path = tiny.path(), .p_min = 0};
  const auto plain = load_chat_model({.path = tiny.path(), .lookup = false});
  const auto lookup = load_chat_model({.path = tiny.path()});
  const auto drafted = load_chat_model({.path = tiny.path(), .lookup = false, .draft = itself});
  EXPECT_EQ(drafted->info().draft, "Tiny Test");
  for (ChatModel* model : {plain.get(), lookup.get(), drafted.get()})
    model->generate(ask("again and again and again", 120));
  const Answer want = collect(*plain), looked_up = collect(*lookup), guessed = collect(*drafted);
  EXPECT_EQ(want.end->stats.n_drafted, 0);
  EXPECT_EQ(looked_up.end->tokens, want.end->tokens);
  EXPECT_GT(looked_up.end->stats.by_lookup.n_accepted, 0);
  EXPECT_EQ(guessed.end->tokens, want.end->tokens);
  EXPECT_GT(guessed.end->stats.by_model.n_accepted, 0);
}

TEST_F(LocalChatModelTest, AModelWithAHeadGuessesItselfUnlessADraftModelIsNamed) {
  const TemporaryFolder folder;
  const TinyModelFile tiny({.architecture = "glm4moe"});
  const std::string path = folder / "m.gguf";
  with_nextn(Gguf(tiny.path()), {.own_norm = false, .knows = true}).write(path);
  const auto with = load_chat_model({.path = path, .lookup = false, .draft = {.p_min = 0}});
  EXPECT_TRUE(with->info().drafts_itself);
  const auto without = load_chat_model({.path = path, .lookup = false, .draft = {.heads = false}});
  EXPECT_FALSE(without->info().drafts_itself);
  for (ChatModel* model : {with.get(), without.get()}) model->generate(ask("hello", 60));
  const Answer guessed = collect(*with), plain = collect(*without);
  EXPECT_EQ(guessed.text, plain.text);
  EXPECT_GT(guessed.end->stats.by_heads.n_accepted, 0);
  EXPECT_EQ(plain.end->stats.n_drafted, 0);
  const auto drafted = load_chat_model({.path = path, .draft = {.path = tiny.path()}});
  EXPECT_FALSE(drafted->info().drafts_itself);
  EXPECT_EQ(drafted->info().draft, "Tiny Test");
}

}  // namespace
}  // namespace confab::engine
