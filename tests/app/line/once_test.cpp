// SPDX-License-Identifier: MIT
// `confab -p` as scripts use it: the built program on pipes, or a model whose answers are known.
#include "app/line/once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "app/chat/backend.h"
#include "app/manners/caretaker.h"
#include "tests/app/line/scripted_model.h"
#include "tests/app/line/short_answer.h"
#include "tests/app/line/written.h"
#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"
#include "ui/terminal/signals.h"

namespace confab::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(OnceTest, TheAnswerAloneIsOnStdout) {
  const TempDir home;
  const RunResult result = run_program(home, with({"-p", "Say hello."}));
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(result.out.empty());
  EXPECT_EQ(result.out.back(), '\n');
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
}

TEST(OnceTest, WithoutATextStandardInputIsTheQuestion) {
  const TempDir home;
  const RunResult named = run_program(home, with({"-p", "Say hello."}));
  const RunResult piped = run_program(home, with({"-p"}), "Say hello.\n");
  EXPECT_TRUE(answered(piped)) << piped.err;
  EXPECT_EQ(piped.out, named.out);
}

TEST(OnceTest, StatsAreOneLineOfJsonOnStderr) {
  const TempDir home;
  const RunResult result =
      run_program(home, with({"-p", "Summarise", "--stats", "-q"}), "A fox ran.\n");
  EXPECT_TRUE(answered(result));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  const auto stats = nlohmann::json::parse(result.err);
  EXPECT_GT(stats["prompt_tokens"].get<int>(), 5);
  EXPECT_EQ(stats["cached_tokens"], 0);
  EXPECT_GT(stats["generated_tokens"].get<int>(), 0);
  for (const char* key : {"ttft_ms", "prefill_tps", "decode_tps"})
    EXPECT_GT(stats[key].get<double>(), 0) << key;
  EXPECT_EQ(stats["passes"].get<int>() + stats["lookup_accepted"].get<int>() +
                stats["draft_accepted"].get<int>() + stats["heads_accepted"].get<int>(),
            stats["generated_tokens"].get<int>() - 1);
  EXPECT_LE(stats["lookup_accepted"].get<int>(), stats["lookup_tokens"].get<int>());
  EXPECT_EQ(stats["heads_tokens"], 0);
}

// What was said before is guessed, and checked: the answer stays as it is.
TEST(OnceTest, LookingUpChangesNoAnswer) {
  const TempDir home;
  const std::string question = "Repeat: one two three four one two three four one two three four";
  const RunResult with_it = run_program(home, with({"-p", question, "--stats", "-q"}));
  const RunResult without =
      run_program(home, with({"-p", question, "--stats", "-q", "--no-lookup"}));
  EXPECT_TRUE(answered(with_it)) << with_it.err;
  EXPECT_EQ(without.out, with_it.out);
  EXPECT_EQ(nlohmann::json::parse(without.err)["lookup_tokens"], 0);
}

// The bundled model has a draft model.
TEST(OnceTest, DraftsChangeNoAnswer) {
  const TempDir home;
  const RunResult with_it =
      run_program(home, with({"-p", "Hello!", "--stats", "-q", "--no-lookup"}));
  const RunResult without =
      run_program(home, with({"-p", "Hello!", "--stats", "-q", "--no-lookup", "--no-draft"}));
  EXPECT_TRUE(answered(with_it)) << with_it.err;
  EXPECT_EQ(without.out, with_it.out);
  EXPECT_EQ(nlohmann::json::parse(without.err)["draft_tokens"], 0);
}

TEST(OnceTest, AMachineThatIsShortOfMemoryIsSparedWithTheSameAnswer) {
  const TempDir home;
  const RunResult usual = run_program(home, with({"-p", "Hello!"}));
  const RunResult sparing = run_program(home, with({"-p", "Hello!"}), {},
                                        {"CONFAB_PRESSURE=" + home.file("pressure", "some\n")});
  EXPECT_TRUE(answered(sparing)) << sparing.err;
  EXPECT_EQ(sparing.out, usual.out);
  EXPECT_EQ(sparing.err, usual.err);
  EXPECT_THAT(read_file(home / ".local/state/confab/log"), HasSubstr("drafts and reading ahead"));
}

TEST(OnceTest, ADraftModelWithOtherTokensIsRefused) {
  const TempDir home;
  const engine::TinyModelFile other;
  const RunResult result = run_program(home, with({"-p", "Hello!", "-md", other.path()}));
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("cannot draft for"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("it has 300 tokens, not 16384"), std::string::npos) << result.err;
}

TEST(OnceTest, TheSameFileAskedAboutAgainIsCached) {
  const TempDir home;
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The fox ran over the hill and into the wood. ";
  const std::string file = home.file("story.txt", text);
  const auto first = run_program(home, with({"-p", "Who ran?", file, "--stats", "-q"}));
  ASSERT_TRUE(answered(first)) << first.err;
  const auto second = run_program(home, with({"-p", "Who ran?", file, "--stats", "-q"}));
  ASSERT_TRUE(answered(second)) << second.err;
  EXPECT_EQ(second.out, first.out);
  const auto cold = nlohmann::json::parse(first.err), warm = nlohmann::json::parse(second.err);
  EXPECT_EQ(warm["prompt_tokens"], cold["prompt_tokens"]);
  EXPECT_GE(warm["cached_tokens"].get<int>(), warm["prompt_tokens"].get<int>() - 32);
}

TEST(OnceTest, IncognitoLeavesNothingBehind) {
  const TempDir home;
  EXPECT_TRUE(answered(run_program(home, with({"-p", "Hi.", "--incognito"}))));
  EXPECT_EQ(run_program(home, with({"--plain", "--incognito"}), "Hi.\n/new\nHo.\n").status, 0);
  EXPECT_TRUE(std::filesystem::is_empty(home.path()));
}

TEST(OnceTest, ContinueAddsToTheLastConversation) {
  const TempDir home;
  EXPECT_EQ(run_program(home, with({"-C", "-p", "Hi."})).status, 1);  // there is none yet
  ASSERT_EQ(run_program(home, with({"--plain"}),
                        "Write a short story about a fox and a hen who lived in a wood.\n")
                .status,
            0);
  const RunResult result = run_program(home, with({"-C", "-p", "And then?", "--stats", "-q"}));
  ASSERT_TRUE(answered(result)) << result.err;
  EXPECT_GT(nlohmann::json::parse(result.err)["cached_tokens"].get<int>(), 0);
}

TEST(OnceTest, FaultsAreOneLineAndAStatus) {
  const TempDir home;
  const auto expect = [&](const std::vector<std::string>& words, int status,
                          const std::string& part, const std::string& input = {}) {
    const RunResult result = run_program(home, words, input);
    EXPECT_EQ(result.status, status) << part;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  expect({"--nonsense"}, 2, "--nonsense");
  expect({"-p", "x", "/no/such/file"}, 1, "/no/such/file");
  expect({"-p", "x", "-m", "/no/such.gguf"}, 5, "/no/such.gguf");
  expect({"-p", ""}, 2, "needs a question");
  expect({"-p"}, 2, "needs a question");
  expect({"-p", "x", "-", "--no-stdin"}, 2, "--no-stdin");
  expect({"-p", "x"}, 1, "standard input", std::string("a\0b", 3));
  expect({"-p", "x", "-m", home.file("t.gguf", "GGUF")}, 1, "t.gguf");
  expect({"-p", "x", "-m", home.file("t.txt", "not a model at all")}, 1, "t.txt");
  expect({"-p", "x", "-c", "64"}, 4,
         "; for a larger context, start confab with -c N (up to 2048)\n", std::string(4000, 'a'));
}

TEST(OnceTest, SeveralAnswersStandBelowEachOther) {
  const TempDir home;
  const std::vector<std::string> words{"-n", "12", "-t", "1", "--temp", "1", "--seed", "7"};
  std::vector<std::string> all = words;
  all.insert(all.end(), {"-p", "Say hello.", "--n", "3", "--stats", "-q"});
  const RunResult result = run_program(home, all);
  EXPECT_TRUE(answered(result)) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 3) << result.err;
  std::string want;
  for (int i = 0; i < 3; ++i) {
    std::vector<std::string> one = words;
    one.back() = std::to_string(7 + i);
    one.insert(one.end(), {"-p", "Say hello."});
    want += "=== answer " + std::to_string(i + 1) + " of 3 ===\n" + run_program(home, one).out;
  }
  EXPECT_EQ(result.out, want) << "each is what it would be alone";
}

TEST(OnceTest, AnswersThatWouldBeTheSameAreRefused) {
  const TempDir home;
  const RunResult same = run_program(home, with({"-p", "Say hello.", "--n", "2"}));
  EXPECT_EQ(same.status, 1);
  EXPECT_NE(same.err.find("would be the same at temperature 0"), std::string::npos) << same.err;
  EXPECT_EQ(same.out, "");
  const RunResult chat = run_program(home, with({"--n", "2"}));
  EXPECT_EQ(chat.status, 2);
  EXPECT_NE(chat.err.find("/retry N"), std::string::npos) << chat.err;
}

TEST(OnceTest, ABrokenConfigurationIsAUsageError) {
  const TempDir home;
  home.file(".config/confab/config.toml", "ctx_size = \n");
  const RunResult result = run_program(home, {"-p", "x"});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("config.toml:1"), std::string::npos) << result.err;
  EXPECT_EQ(run_program(home, {"--help"}).status, 0);
}

TEST(OnceTest, WhatIsSaidOfTheAnswersEndHasALineOfItsOwn) {
  const TempDir home;
  PipeProgram program(
      home, {"-p", "Write a very long story about a fox.", "-c", "128", "--temp", "0", "-t", "1"});
  program.end_input();
  ASSERT_TRUE(program.wait_for("the context of 128 tokens is full")) << program.output();
  EXPECT_NE(program.output().find("\nconfab: the context of"), std::string::npos)
      << program.output();
  EXPECT_EQ(program.wait_for_exit(), 6);
}

TEST(OnceTest, CtrlZStopsItAndItGoesOn) {
  const TempDir home;
  PipeProgram program(home, {"-p", "Write a very long story.", "--temp", "0", "-n", "2000"});
  program.end_input();
  ASSERT_TRUE(program.wait_for(" "));
  program.signal(SIGTSTP);
  ASSERT_TRUE(program.wait_until_stopped()) << program.output();
  program.signal(SIGCONT);
  ASSERT_TRUE(program.wait_for(" "));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait_for_exit(), 130);
}

TEST(OnceTest, APipeThatNobodyWritesToHoldsNothingUp) {
  const TempDir home;
  for (const std::string& word : {home.file("a.txt", "A fox ran."), std::string("--no-stdin")}) {
    PipeProgram program(home, with({"-p", "Who ran?", word}));
    const int status = program.wait_for_exit();
    EXPECT_TRUE(status == 0 || status == 6) << program.output();
    EXPECT_EQ(program.output().find("ignoring standard input") != std::string::npos,
              word != "--no-stdin");
  }
}

TEST(OnceTest, AWriterThatIsSlowIsWaitedForAndThatIsTold) {
  const TempDir home;
  PipeProgram program(home, with({"-p", "Who ran?", "--stats"}));
  ASSERT_TRUE(program.wait_for("waiting for standard input to end"));
  program.type("A fox ran over the hill and into the wood, and a hen ran after it.\n");
  program.end_input();
  ASSERT_TRUE(program.wait_for("\"prompt_tokens\":")) << program.output();
  EXPECT_GT(std::stoi(program.output().substr(program.output().rfind("prompt_tokens\":") + 15)),
            20);
}

TEST(OnceTest, TheFileDashIsStandardInputInItsPlace) {
  const TempDir home;
  const std::string file = home.file("a.txt", "A fox ran.");
  const RunResult named =
      run_program(home, with({"-p", "Who ran?", file, "-", "--stats", "-q"}), "A hen.");
  const RunResult piped =
      run_program(home, with({"-p", "Who ran?", file, "--stats", "-q"}), "A hen.");
  ASSERT_TRUE(answered(named) && answered(piped)) << named.err << piped.err;
  EXPECT_EQ(nlohmann::json::parse(named.err)["prompt_tokens"],
            nlohmann::json::parse(piped.err)["prompt_tokens"]);
  const RunResult nothing = run_program(home, with({"-p", "Who ran?", "-"}));
  EXPECT_EQ(nothing.status, 1);
  EXPECT_EQ(nothing.err, "confab: -: standard input is empty\n");
}

TEST(OnceTest, AnInterruptStopsWithTheTextSoFar) {
  const TempDir home;
  PipeProgram program(home, {"-p", "Write a very long story.", "--temp", "0", "-n", "2000"});
  program.end_input();
  ASSERT_TRUE(program.wait_for(" "));
  program.signal(SIGINT);
  EXPECT_EQ(program.wait_for_exit(), 130);
  EXPECT_GT(program.output().size(), 1U);
}

// A question, and a model that answers as it is written down. form: empty: none is expected.
struct AskedInForm {
  AskedInForm(const std::string& form, std::vector<ScriptedModel::Answer> answers) {
    auto scripted = std::make_unique<ScriptedModel>(std::move(answers));
    model = scripted.get();
    Backend backend;
    backend.model = std::move(scripted);
    ChatOptions options;
    options.stats = true;
    if (!form.empty()) options.once.expected = parse_expectation(form);
    Question question("Which?", {sessions::make_attachment("a.txt", "A fox ran.")});
    ui::Signals signals;
    Caretaker care(backend, "");
    status = answer_once({.backend = backend,
                          .signals = signals,
                          .out = written.out,
                          .side = written.side,
                          .care = care},
                         options, std::move(question));
    for (const engine::GenerateRequest& request : model->requests) {
      EXPECT_EQ(request.turns.size(), 1U) << "each try is asked anew";
      prompts.push_back(request.turns.back().message.content);
    }
    written_model = std::move(backend.model);
  }
  Written written;
  ScriptedModel* model = nullptr;
  std::unique_ptr<engine::ChatModel> written_model;
  std::vector<std::string> prompts;
  int status = -1;
};

TEST(OnceTest, ARefusedAnswerIsAskedForAgainWithWhatWasWrong) {
  const AskedInForm asked("list:3", {{"Sure! A, b and c."}, {"- a\n- b"}, {"- a\n- b\n- c"}});
  EXPECT_EQ(asked.status, 0);
  EXPECT_EQ(asked.written.answer(), "- a\n- b\n- c\n");
  ASSERT_EQ(asked.prompts.size(), 3U);
  EXPECT_THAT(asked.prompts[0], HasSubstr("A fox ran."));
  EXPECT_THAT(asked.prompts[0], HasSubstr("Which?\n\nAnswer with a list of exactly 3 items"));
  EXPECT_THAT(asked.prompts[1], StartsWith(asked.prompts[0])) << "which is cached";
  EXPECT_THAT(asked.prompts[1], HasSubstr("refused: it is not a list."));
  EXPECT_THAT(asked.prompts[2], StartsWith(asked.prompts[0]));
  EXPECT_THAT(asked.prompts[2], HasSubstr("list.\nAn earlier answer was refused: it has 2 items"));
  const std::string lines = asked.written.lines();
  EXPECT_THAT(lines, StartsWith("confab: attempt 1 of at most 3 is refused: it is not a list\n{"));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 5) << "two refusals, three statistics";
}

TEST(OnceTest, AnAnswerThatStaysInItsReasoningIsNone) {
  const AskedInForm asked("", {{.text = "", .thoughts = {{"The answer is 4.", 5}}}});
  EXPECT_EQ(asked.status, 3);
  EXPECT_EQ(asked.written.answer(), "");
  EXPECT_THAT(asked.written.lines(),
              StartsWith("The answer is 4.\nconfab: the model ended inside"));
  const AskedInForm back("", {{.text = "Hm.", .thoughts = {{.text = "", .takes_back = true}}}});
  EXPECT_EQ(back.status, 3) << "what was shown was reasoning";
}

TEST(OnceTest, AnAnswerWithoutAWordIsNone) {
  for (const char* text : {"", " \n"}) {
    const AskedInForm asked("", {{.text = text}});
    EXPECT_EQ(asked.status, 3);
    EXPECT_THAT(asked.written.lines(), StartsWith("confab: the model ended its answer without a"));
  }
  const AskedInForm cut_off("", {{.text = "", .reason = engine::FinishReason::context_full}});
  EXPECT_EQ(cut_off.status, 6) << "which is told by itself";
}

TEST(OnceTest, WhereNoAnswerIsAcceptedTheStatusSaysSo) {
  const AskedInForm asked("json", {{"no"}, {"{"}, {"Sorry."}});
  EXPECT_EQ(asked.status, 3);
  EXPECT_EQ(asked.written.answer(), "");
  EXPECT_EQ(asked.model->requests.size(), 3U);
  EXPECT_THAT(asked.written.lines(),
              HasSubstr("\nSorry.\nconfab: no answer has the form json after 3 "
                        "attempts; of the last one: it is not valid JSON"));
}

TEST(OnceTest, AnAnswerThatWasCutOffIsRefusedAndTheNextOneIsNot) {
  const AskedInForm asked("list", {{"- a\n- b", engine::FinishReason::length}, {"- a\n- b"}});
  EXPECT_EQ(asked.status, 0) << "what was refused does not count";
  EXPECT_EQ(asked.written.answer(), "- a\n- b\n");
}

TEST(OnceTest, WhatHasNoLimitIsCutOffByTheContext) {
  const AskedInForm asked("", {{"{}", engine::FinishReason::length}});
  EXPECT_EQ(asked.status, 6);
  EXPECT_EQ(asked.written.answer(), "{}\n");
  EXPECT_THAT(asked.written.lines(), StartsWith("confab: the context of 2048 tokens is full"));
}

TEST(OnceTest, TheBuiltProgramChecksItsAnswer) {
  const TempDir home;
  const std::vector<std::string> words{"-p", "Say hello.", "--temp",    "0",
                                       "-t", "1",          "--retries", "1"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_program(home, more);
  };
  const RunResult refused = run({"--expect", "code:cobol"});
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, StartsWith("confab: attempt 1 of at most 2 is refused: it has no cobol "
                                      "code block\n"));
  EXPECT_THAT(refused.err,
              HasSubstr("\nconfab: no answer has the form code:cobol after 2 attempts; "
                        "of the last one: it has no cobol code block\n"));
  const RunResult quiet = run({"--expect", "code:cobol", "-q", "--json"});
  EXPECT_EQ(quiet.status, 3);
  EXPECT_EQ(quiet.err.find("attempt 1"), std::string::npos) << quiet.err;
  EXPECT_TRUE(nlohmann::json::parse(quiet.out).at("answer").is_null());
}

TEST(OnceTest, AShapeThatCannotBeSoShortIsRefused) {
  const TempDir home;
  const RunResult result = run_program(home, {"-p", "Spell.", "--regex", "[a-z]{90}!", "-n", "2"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("tokens, and it may have 2; allow more tokens with -n"));
}

// What is read of the prompt again is the last lines of it, and no more.
TEST(OnceTest, AnotherTryUsesThePromptThatHasBeenRead) {
  const TempDir home;
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The fox ran over the hill and into the wood. ";
  const RunResult result =
      run_program(home, {"-p", "Who ran?", home.file("a.txt", text), "--expect", "code:cobol",
                         "--retries", "1", "--stats", "-q", "--temp", "0", "-t", "1"});
  EXPECT_EQ(result.status, 3) << result.err;
  const auto statistics_from = [&](std::size_t at) {
    return nlohmann::json::parse(result.err.substr(at, result.err.find('\n', at) - at));
  };
  const std::size_t first = result.err.find("{\"prompt"), last = result.err.rfind("{\"prompt");
  ASSERT_NE(first, last) << result.err;
  EXPECT_EQ(statistics_from(first).at("cached_tokens"), 0);
  EXPECT_GT(statistics_from(last).at("cached_tokens").get<int>(),
            statistics_from(first).at("prompt_tokens").get<int>() - 20);
}

}  // namespace
}  // namespace confab::app
