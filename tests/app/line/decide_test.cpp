// SPDX-License-Identifier: MIT
// `confab --yes-no` and `--choose` as scripts use them: the built program on pipes.
#include "app/line/decide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/engine/remote/engine_server.h"

namespace confab::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(DecideTest, PrintsTheChoiceAndNothingElse) {
  const TempDir home;
  const RunResult result =
      run_program(home, {"--choose", "stones,water,bread,wood", "-p", "What do we drink?"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "water\n");
  EXPECT_EQ(result.err, "");
}

TEST(DecideTest, YesIsStatus0AndNoIsStatus1) {
  const TempDir home;
  for (const char* question : {"Is Paris the capital of France?", "Is fire cold?"}) {
    const RunResult result = run_program(home, {"--yes-no", question});
    EXPECT_EQ(result.err, "");
    ASSERT_TRUE(result.out == "yes\n" || result.out == "no\n") << result.out;
    EXPECT_EQ(result.status, result.out == "yes\n" ? 0 : 1);
  }
}

// Of an engine elsewhere, the likeliest counts as well, wherever it stands among the choices.
TEST(DecideTest, AnotherEngineDecidesAsItBelieves) {
  const engine::EngineServer server(
      engine::llama_server_pages(),
      [](const LoopbackRequest& request, LoopbackServer::Connection& to) {
        const bool is_begun = request.body.find("continue_final_message") != std::string::npos;
        const std::string top =
            is_begun ? R"({"token":"pe","logprob":-0.1},{"token":"t","logprob":-3})"
                     : R"({"token":"no","logprob":-1.6},{"token":"yes","logprob":-2.4})";
        to.reply(200, R"({"choices":[{"logprobs":{"content":[{"top_logprobs":[)" + top + "]}]}}]}");
      });
  const TempDir home;
  const std::string url = server.address().url;
  const RunResult no = run_program(home, {"-m", url, "--yes-no", "Is fire cold?", "--json"});
  EXPECT_EQ(no.status, 1) << no.err;
  EXPECT_EQ(json::parse(no.out)["answer"], "no");
  EXPECT_NEAR(json::parse(no.out)["probability"].get<double>(), 0.69, 0.01);
  EXPECT_NEAR(json::parse(no.out)["coverage"].get<double>(), 0.2925, 0.001);
  const RunResult alike = run_program(home, {"-m", url, "--choose", "not,nope,yes", "-p", "So?"});
  EXPECT_EQ(alike.out, "nope\n") << alike.err;
  const RunResult none = run_program(home, {"-m", url, "--choose", "up,down", "-p", "So?"});
  EXPECT_NE(none.err.find("none of the choices is among the likeliest"), std::string::npos);
  EXPECT_EQ(none.out, "");
  EXPECT_NE(none.status, 0);
}

TEST(DecideTest, TheQuestionMayStandInEachPlace) {
  const TempDir home;
  const std::string log = home.file("log.txt", "Everything is fine.\n");
  const std::string question = "Is this log healthy?";
  const auto probability = [&](const std::vector<std::string>& words, const std::string& input) {
    const RunResult result = run_program(home, words, input);
    EXPECT_EQ(result.err, "");
    return json::parse(result.out)["probabilities"]["yes"].get<double>();
  };
  const double want = probability({"--yes-no", question, "--json", log}, "");
  EXPECT_EQ(probability({"-p", question, "--json", "--yes-no", log}, ""), want);
  EXPECT_EQ(probability({"--yes-no", "-p", question, log, "--json"}, ""), want);
  EXPECT_EQ(probability({"--yes-no=" + question, "--json", log}, ""), want);
  const double piped = probability({"--yes-no", question, "--json"}, "Everything is fine.\n");
  EXPECT_EQ(probability({"-p", question, "--yes-no", "--json"}, "Everything is fine.\n"), piped);
  EXPECT_NE(piped, want) << "the name of the file is part of the prompt";
}

TEST(DecideTest, WithoutATextStandardInputIsTheQuestion) {
  const TempDir home;
  const RunResult named =
      run_program(home, {"--choose", "cats,dogs", "-p", "Who barks?", "--json"});
  const RunResult piped = run_program(home, {"--choose", "cats,dogs", "--json"}, "Who barks?\n");
  EXPECT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(json::parse(piped.out)["probabilities"], json::parse(named.out)["probabilities"]);
}

TEST(DecideTest, JsonHasTheProbabilities) {
  const TempDir home;
  const std::string choices =
      home.file("choices.txt", "stones\r\n\n  water  \nbread, and butter\n");
  const RunResult result =
      run_program(home, {"--choose-from", choices, "-p", "What do we drink?", "--json"});
  EXPECT_EQ(result.status, 0) << result.err;
  const json decision = json::parse(result.out);
  ASSERT_EQ(decision["probabilities"].size(), 3U);
  double total = 0;
  for (const auto& [name, p] : decision["probabilities"].items()) total += p.get<double>();
  EXPECT_NEAR(total, 1, 1e-9);
  EXPECT_TRUE(decision["probabilities"].contains("bread, and butter"));
  const std::string answer = decision["answer"];
  EXPECT_EQ(decision["probability"], decision["probabilities"][answer]);
  for (const auto& [name, p] : decision["probabilities"].items())
    EXPECT_LE(p.get<double>(), decision["probability"].get<double>()) << name;
  EXPECT_GT(decision["coverage"].get<double>(), 0);
  EXPECT_GT(decision["statistics"]["prompt_tokens"].get<int>(), 10);
}

TEST(DecideTest, BelowTheThresholdItIsUnsure) {
  const TempDir home;
  const std::vector<std::string> words{"--choose",     "heads,tails", "-p",
                                       "Flip a coin.", "--threshold", "1"};
  const RunResult plain = run_program(home, words);
  EXPECT_EQ(plain.status, 3);
  EXPECT_EQ(plain.out, "") << "a script that ignores the status gets no answer";
  EXPECT_THAT(plain.err, HasSubstr("unsure: "));
  EXPECT_THAT(plain.err, HasSubstr("below the threshold of 1"));
  std::vector<std::string> with_json = words;
  with_json.emplace_back("--json");
  const RunResult told = run_program(home, with_json);
  EXPECT_EQ(told.status, 3);
  EXPECT_TRUE(json::parse(told.out)["answer"].is_null());
  EXPECT_EQ(
      run_program(home, {"--choose", "heads,tails", "-p", "Flip a coin.", "--threshold", "0.5"})
          .status,
      0);
}

TEST(DecideTest, ErrorsAreOneLineAndNothingOnStdout) {
  const TempDir home;
  const RunResult large =
      run_program(home, {"--yes-no", "Is it long?", "-c", "64"}, std::string(4000, 'x') + "\n");
  EXPECT_EQ(large.status, 4);
  EXPECT_EQ(large.out, "");
  EXPECT_EQ(std::count(large.err.begin(), large.err.end(), '\n'), 1) << large.err;
  EXPECT_THAT(large.err, HasSubstr("do not fit in the context of 64"));
  EXPECT_THAT(large.err, HasSubstr("start confab with -c"));
  const RunResult nothing = run_program(home, {"--yes-no"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("--yes-no needs a question"));
}

// A script must not take a failure for the answer no.
TEST(DecideTest, AFailureOfYesNoHasNeitherOfItsStatuses) {
  const TempDir home;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--yes-no", "Is it?", "no-such-file.txt"},
        {"--yes-no", "Is it?", "-m", "http://127.0.0.1:9/v1#m"},
        {"--yes-no", "Is it?", "--system-file", "no-such-file.txt"}}) {
    const RunResult result = run_program(home, words);
    EXPECT_GT(result.status, 1) << words.back();
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err, "");
  }
}

TEST(DecideTest, TheSameTextAskedAboutAgainIsCached) {
  const TempDir home;
  std::string text;
  for (int i = 0; i < 60; ++i) text += "The fox ran over the hill and into the wood. ";
  const auto n_cached = [&](const std::string& question) {
    const RunResult result = run_program(home, {"--yes-no", question, "--json"}, text);
    return json::parse(result.out)["statistics"]["cached_tokens"].get<int>();
  };
  EXPECT_EQ(n_cached("Did the fox run?"), 0);
  EXPECT_GE(n_cached("Did the hen run?"), 256);
}

TEST(DecideTest, CtrlCIsStatus130) {
  const TempDir home;
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "word ";
  PipeProgram program(home, {"--yes-no", "Is it long?", "-t", "1", "-c", "2048", "-"});
  program.type(text);
  program.signal(SIGINT);
  program.end_input();
  EXPECT_EQ(program.wait_for_exit(), 130);
}

}  // namespace
}  // namespace confab::app
