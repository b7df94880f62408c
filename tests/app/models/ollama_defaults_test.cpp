// SPDX-License-Identifier: MIT
#include "app/models/ollama_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/program.h"
#include "tests/app/stores/fake_home.h"
#include "tests/engine/ollama/rewritten_file.h"
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
              HasSubstr("odd:latest has no chat template that confab can read"));
  EXPECT_THAT(defaults("odd").recommended.notice, HasSubstr("--chat-template NAME"));
}

TEST_F(OllamaDefaultsTest, WithoutATemplateTheFamilyTells) {
  add("new/latest", {});  // no layer
  const std::map<std::string, std::string> wanted = {{"gemma3-pattern", "gemma"},
                                                     {"gemma4", "gemma4"},
                                                     {"gpt-oss-other-sizes", "gpt-oss"},
                                                     {"mistral3-temperature", "mistral-v7-tekken"},
                                                     {"olmo3", "chatml"},
                                                     {"qwen35", "chatml"},
                                                     {"qwen3next", "chatml"}};
  for (const auto& [golden, name] : wanted) {
    blob("1", engine::RewrittenFile(golden).writer().bytes());
    EXPECT_EQ(defaults("new").chat_template, name) << golden;
    EXPECT_EQ(defaults("new").recommended.notice, "") << golden;
  }
  engine::RewrittenFile mixture("qwen3next");
  blob("1", mixture.architecture("qwen3next", "qwen35moe").writer().bytes());
  EXPECT_EQ(defaults("new").chat_template, "chatml");
  blob("1", engine::RewrittenFile("granite").writer().bytes());
  EXPECT_EQ(defaults("new").chat_template, "");
  EXPECT_THAT(defaults("new").recommended.notice, HasSubstr("--chat-template-file FILE"));
  blob("d1", "{{ .Prompt }}");
  add("old/latest", {{"template", "d1"}});
  blob("1", engine::RewrittenFile("gemma4").writer().bytes());
  EXPECT_EQ(defaults("old").chat_template, "gemma4");
}

// The same weights in a store as llama.cpp has them and as Ollama has them, with a picture's tensor
// and without a template: found by name, they answer in the same words.
class OllamaProgramTest : public testing::Test {
 protected:
  OllamaProgramTest() {
    llamas_.drop("tokenizer.chat_template");
    ollamas_.drop("tokenizer.chat_template")
        .rename_tensors("ssm_dt.bias", "ssm_dt")
        .set_array("qwen35.attention.head_count_kv", std::vector<std::uint32_t>{0, 1})
        .set("qwen35.vision.block_count", 1U)
        .add_tensor("v.blk.0.attn_q.weight", {4, 4});
  }
  RunResult run(const std::string& name, const engine::RewrittenFile& file,
                std::vector<std::string> words) {
    home_.file(".ollama/models/blobs/sha256-" + name, file.writer().bytes());
    home_.file(".ollama/models/manifests/registry.ollama.ai/library/" + name + "/latest",
               R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest":
                  "sha256:)" +
                   name + R"("}]})");
    return run_program(home_, words);
  }
  RunResult answer(const std::string& name, const engine::RewrittenFile& file) {
    return run(name, file, {"-m", name, "-p", "Say hello.", "-n", "12", "--temp", "0", "-t", "1"});
  }

  engine::TinyModelFile tiny_{{.architecture = "qwen35"}};
  engine::RewrittenFile llamas_{engine::Gguf(tiny_.path())}, ollamas_ = llamas_;
  TempDir home_;
};

TEST_F(OllamaProgramTest, ItsOwnFileAnswersAsTheSameWeightsInLlamaCppsForm) {
  const RunResult llama = answer("aa", llamas_), ollama = answer("bb", ollamas_);
  EXPECT_FALSE(llama.out.empty());
  EXPECT_EQ(ollama.out, llama.out);
  EXPECT_EQ(ollama.err, llama.err);
  EXPECT_EQ(ollama.status, llama.status);
}

TEST_F(OllamaProgramTest, WhatIsRefusedIsNamedAndSaysWhatToDo) {
  ollamas_.set("qwen35.ssm.v_head_reordered", false);
  const RunResult ran = answer("cc", ollamas_);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("its value heads are in an order that is not read"));
  EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
  ollamas_.architecture("qwen35", "qwen25vl");
  EXPECT_THAT(answer("dd", ollamas_).err, HasSubstr("is a qwen25vl model as Ollama packs it"));
}

TEST_F(OllamaProgramTest, AQuantisedCopyIsInLlamaCppsForm) {
  const std::string out = (home_ / "small.gguf").string();
  const std::string blob = (home_ / ".ollama/models/blobs/sha256-ee").string();
  EXPECT_EQ(run("ee", ollamas_, {"quantize", blob, out, "Q8_0"}).status, 0);
  engine::Gguf small(out);
  EXPECT_NE(small.find_tensor("blk.0.ssm_dt.bias"), nullptr);
  EXPECT_EQ(small.find_tensor("v.blk.0.attn_q.weight"), nullptr);
  EXPECT_EQ(engine::Hparams::load(small).n_layer, 2);
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
