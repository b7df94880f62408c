// SPDX-License-Identifier: MIT
#include "app/models/ollama_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/stores/fake_home.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRoot = "home/.ollama/models";
constexpr const char* kLibrary = "registry.ollama.ai/library/";

class OllamaDefaultsTest : public testing::Test {
 protected:
  // A model of these layers over the weights `1`.
  void add(const std::string& name, std::vector<std::pair<std::string, std::string>> layers) {
    layers.insert(layers.begin(), {"model", "1"});
    home_.ollama(kRoot, kLibrary + name, layers);
  }
  void blob(const std::string& hex, const std::string& text) {
    home_.text(".ollama/models/blobs/sha256-" + hex, text);
  }
  std::string weights() const { return home_.at(".ollama/models/blobs/sha256-1"); }
  OllamaDefaults defaults(const std::string& asked) const {
    return ollama_defaults(home_.places(), asked, weights());
  }
  FakeHome home_;
};

TEST_F(OllamaDefaultsTest, AreThoseOfTheNameThatWasAskedFor) {
  blob("a1", R"({"temperature": 0.25, "stop": ["<a>", "<b>"], "num_ctx": 4096})");
  blob("b1", R"({"top_k": 7})");
  blob("c1", "You are Mario.");
  add("llama3.2/3b", {{"params", "a1"}});
  add("mario/latest", {{"params", "b1"}, {"system", "c1"}});
  const auto llama = defaults("llama3.2:3b").recommended, mario = defaults("Mario").recommended;
  ASSERT_EQ(llama.sampling.size(), 1u);
  EXPECT_EQ(llama.sampling[0].name, "temperature");
  EXPECT_EQ(llama.sampling[0].value, 0.25);
  EXPECT_THAT(llama.stop, ElementsAre("<a>", "<b>"));
  EXPECT_EQ(llama.n_ctx, 4096);
  EXPECT_EQ(llama.system, "");
  EXPECT_EQ(mario.sampling[0].name, "top_k");
  EXPECT_EQ(mario.system, "You are Mario.");
  EXPECT_EQ(defaults(weights()).recommended.n_ctx, 4096);  // the first of that file
}

TEST_F(OllamaDefaultsTest, OtherFilesHaveNone) {
  blob("a1", R"({"temperature": 0.25})");
  add("llama3.2/3b", {{"params", "a1"}});
  const std::string other = home_.model("x/model.gguf");
  EXPECT_THAT(ollama_defaults(home_.places(), "model", other).recommended.sampling, IsEmpty());
  const std::string orphan = home_.model("x/sha256-77");
  EXPECT_THAT(ollama_defaults(home_.places(), "model", orphan).recommended.sampling, IsEmpty());
}

TEST_F(OllamaDefaultsTest, ATemplateIsTakenOnlyWhereTheFileHasNone) {
  blob("d1", "{{ if .System }}<|start_header_id|>system<|end_header_id|>{{ end }}");
  engine::GgufWriter writer = engine::tiny_model();
  blob("1", writer.bytes());
  add("own/latest", {{"template", "d1"}});
  EXPECT_EQ(defaults("own").chat_template, "");
  writer.remove("tokenizer.chat_template");
  blob("1", writer.bytes());
  EXPECT_EQ(defaults("own").chat_template, "llama3");
  EXPECT_EQ(defaults("own").recommended.notice, "");
}

TEST_F(OllamaDefaultsTest, ATemplateThatIsNotRecognisedIsTold) {
  engine::GgufWriter writer = engine::tiny_model();
  blob("1", writer.remove("tokenizer.chat_template").bytes());
  blob("d1", "{{ .Prompt }} ->");
  add("odd/latest", {{"template", "d1"}});
  EXPECT_EQ(defaults("odd").chat_template, "");
  EXPECT_THAT(defaults("odd").recommended.notice,
              HasSubstr("odd:latest has a chat template that only Ollama can read"));
  EXPECT_THAT(defaults("odd").recommended.notice, HasSubstr("--chat-template NAME"));
}

TEST(OllamaParametersTest, NonsenseSaysNothing) {
  for (const char* text :
       {"", "{", "[]", "3", R"({"stop": 3, "num_ctx": "many", "temperature": "hot"})",
        R"({"stop": [1, ""], "num_ctx": -4})", R"({"num_ctx": 1e300})"}) {
    const engine::Recommended read = recommended_by(text);
    EXPECT_THAT(read.sampling, IsEmpty()) << text;
    EXPECT_THAT(read.stop, IsEmpty()) << text;
    EXPECT_EQ(read.n_ctx, 0) << text;
  }
  EXPECT_THAT(recommended_by(R"({"stop": "x"})").stop, ElementsAre("x"));
}

TEST(OllamaTemplateTest, FamiliesAreToldByTheirMarkers) {
  EXPECT_EQ(builtin_for("<|im_start|>{{ .Role }}"), "chatml");
  EXPECT_EQ(builtin_for("<|im_start|>system<|im_sep|>"), "phi4");
  EXPECT_EQ(builtin_for("<start_of_turn>user"), "gemma");
  EXPECT_EQ(builtin_for("[INST] <<SYS>>{{ .System }}<</SYS>>"), "llama2");
  EXPECT_EQ(builtin_for("[INST] {{ .Prompt }} [/INST]"), "mistral-v3");
  EXPECT_EQ(builtin_for("[SYSTEM_PROMPT] {{ .System }}[/SYSTEM_PROMPT]"), "mistral-v7");
  EXPECT_EQ(builtin_for("[SYSTEM_PROMPT]{{ .System }}[/SYSTEM_PROMPT]"), "mistral-v7-tekken");
  EXPECT_EQ(builtin_for("<|start|>user<|message|>{{ .Prompt }}<|end|>"), "gpt-oss");
  EXPECT_EQ(builtin_for("<|turn>user\n{{ .Prompt }}<turn|>"), "gemma4");
  EXPECT_EQ(builtin_for("<|user|>\n{{ .Prompt }}<|end|>"), "phi3");
  EXPECT_EQ(builtin_for("USER: {{ .Prompt }} ASSISTANT: "), "vicuna");
  EXPECT_EQ(builtin_for("{{ .Prompt }}"), "");
}

}  // namespace
}  // namespace confab::app
