// SPDX-License-Identifier: MIT
#include "app/tools/debug.h"

#include <gtest/gtest.h>

#include <sstream>

#include "app/error.h"
#include "engine/error.h"
#include "tests/app/home_dir.h"
#include "tests/app/tools/cut_file.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

class DebugTextTest : public ::testing::Test {
 protected:
  DebugTextTest() { options_.model.path = model_.path(); }
  std::string tokenize(const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    debug_tokenize(options_, in, out);
    return out.str();
  }
  std::string detokenize(const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out;
    debug_detokenize(options_, in, out);
    return out.str();
  }
  int render(const std::string& input) {
    std::istringstream in(input);
    std::ostringstream out, err;
    const int status = debug_render(options_, in, out, err);
    out_ = out.str();
    err_ = err.str();
    return status;
  }
  engine::TinyModelFile model_;
  DebugOptions options_;
  HomeDir dir_;
  std::string out_, err_;
};

TEST_F(DebugTextTest, SpecialTextIsTextUnlessAskedFor) {
  EXPECT_NE(tokenize("<|im_end|>"), "[299]\n");
  options_.special = true;
  EXPECT_EQ(tokenize("<|im_end|>"), "[299]\n");
}

TEST_F(DebugTextTest, RoundTripThroughJsonLines) {
  options_.jsonl = true;
  const std::string ids = tokenize("\"the sand\\n\"\n{\"hex\": \"c3a900\"}\n");
  EXPECT_EQ(detokenize(ids), "{\"hex\":\"7468652073616e640a\"}\n{\"hex\":\"c3a900\"}\n");
}

TEST_F(DebugTextTest, PlainRoundTrip) {
  EXPECT_EQ(detokenize(tokenize("in and out of the sand\n")), "in and out of the sand\n");
}

TEST_F(DebugTextTest, NothingIsToldOfAFileThatWasCutShort) {
  for (const auto debug : {debug_tokenize, debug_detokenize}) {
    const engine::TinyModelFile model;
    options_.model.path = model.path();
    CutFile cut(model.path(), "[1, 2]");
    std::istream in(&cut);
    std::ostringstream out;
    EXPECT_THROW(debug(options_, in, out), engine::ModelError);
    EXPECT_EQ(out.str(), "");
  }
}

TEST_F(DebugTextTest, FaultsInTheInputAreNamed) {
  options_.jsonl = true;
  EXPECT_THROW(tokenize("not json\n"), UserError);
  EXPECT_THROW(tokenize("{\"hex\": \"f\"}\n"), UserError);
  EXPECT_THROW(tokenize("{\"hex\": \"zz\"}\n"), UserError);
  EXPECT_THROW(tokenize("17\n"), UserError);
  EXPECT_THROW(detokenize("[1, 300]\n"), UserError);
  EXPECT_THROW(detokenize("[-1]\n"), UserError);
  EXPECT_THROW(detokenize("{}\n"), UserError);
}

TEST_F(DebugTextTest, RendersWithTheModelsOwnTemplate) {
  EXPECT_EQ(render(R"({"messages": [{"role": "user", "content": "Hi"}],
                       "add_generation_prompt": true})"),
            0);
  EXPECT_EQ(out_, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(DebugTextTest, RendersWithATemplateFile) {
  dir_.file("t.jinja",
            "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ eos_token }}");
  options_.template_file = "~/t.jinja";
  options_.bos_token = "<s>";
  options_.eos_token = "</s>";
  EXPECT_EQ(render(R"({"messages": [{"role": "user", "content": "Hi"}]})"), 0);
  EXPECT_EQ(out_, "<s>Hi</s>");
}

TEST_F(DebugTextTest, ATemplatesOwnErrorIsStatusOne) {
  options_.template_file = dir_.file("t.jinja", "{{ raise_exception('no tools here') }}");
  EXPECT_EQ(render(R"({"messages": []})"), 1);
  EXPECT_NE(err_.find("no tools here"), std::string::npos);
  options_.jsonl = true;
  EXPECT_EQ(render("{\"messages\": []}\nnonsense\n"), 0);
  EXPECT_NE(out_.find("\"error\""), std::string::npos);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2);
}

TEST_F(DebugTextTest, AMissingTemplateFileIsNamed) {
  options_.template_file = "/no/such/file.jinja";
  EXPECT_THROW(render("{}"), UserError);
}

}  // namespace
}  // namespace confab::app
