// SPDX-License-Identifier: MIT
#include "app/models/template_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/error.h"
#include "app/models/inference.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

ModelOptions with_template(const std::string& text, const std::string& file = {}) {
  ModelOptions options;
  options.chat_template = text;
  options.chat_template_file = file;
  return options;
}

std::string fault_of(const ModelOptions& options) {
  try {
    chosen_template(options);
  } catch (const UsageError& fault) {
    return fault.what();
  }
  return "no error";
}

TEST(TemplateChoiceTest, IsANameOrJinja) {
  EXPECT_EQ(chosen_template({}), "");
  EXPECT_EQ(chosen_template(with_template("chatml")), "chatml");
  for (const char* text : {"{{ messages[0].content }}", "a{% for m in messages %}b{% endfor %}"})
    EXPECT_EQ(chosen_template(with_template(text)), text);
}

TEST(TemplateChoiceTest, AnotherNameGetsTheList) {
  EXPECT_EQ(fault_of(with_template("lama4")),
            "no chat template 'lama4'; confab has chatml, gemma, gemma4, gpt-oss, granite, llama2, "
            "llama3, mistral-v3, mistral-v7, mistral-v7-tekken, phi3, phi4, vicuna, and takes "
            "Jinja");
  EXPECT_EQ(fault_of(with_template("two\nlines")).find('\n'), std::string::npos);
  EXPECT_EQ(fault_of(with_template("Hello", "a.txt")),
            "a.txt: is not a chat template: it has no {{ or {%");
}

TEST(TemplateChoiceTest, TheEngineIsGivenIt) {
  const engine::TinyModelFile model;
  ModelOptions options = with_template("chatml");
  options.path = model.path();
  EXPECT_EQ(load_options(options).chat_template, "chatml");
  options.chat_template = "unheard of";
  EXPECT_THROW(load_options(options), UsageError);
}

}  // namespace
}  // namespace confab::app
