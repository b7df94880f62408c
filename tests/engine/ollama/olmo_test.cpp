// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

constexpr float kMagnitude = 1.2079441F;  // 1 + 0.1 ln 8, as config.json has it

RewrittenFile llamas() {
  RewrittenFile file("olmo3");
  file.set("tokenizer.ggml.pre", std::string_view("dbrx"));
  return file;
}

// As convert_olmo.go wrote it at ffbe8e076 (December 2025).
RewrittenFile ollamas() {
  RewrittenFile file("olmo3");
  file.architecture("olmo2", "olmo3")
      .drop("olmo3.rope.scaling.yarn_attn_factor")
      .drop("olmo3.rope.scaling.yarn_beta_fast")
      .drop("olmo3.rope.scaling.yarn_beta_slow")
      .set("olmo3.rope.scaling.attn_factor", kMagnitude);
  return file;
}

TEST(OllamaOlmo3Test, IsTheSameModel) {
  expect_same_model(ollamas(), llamas());
}

TEST(OllamaOlmo3Test, TheMagnitudeIsTheWholeOfIt) {
  RewrittenFile twice = ollamas(), want = llamas();
  twice.set("olmo3.rope.scaling.attn_factor", 2 * kMagnitude);
  want.set("olmo2.rope.scaling.attn_factor", 2.0F);
  expect_same_model(twice, want);
  EXPECT_FALSE(same_bits(golden_logits_of(twice.open()), golden_logits_of(llamas().open())));
}

TEST(OllamaOlmo3Test, WithoutScalingNothingIsDivided) {
  RewrittenFile file = ollamas(), want = llamas();
  for (const char* key : {"type", "factor", "attn_factor", "original_context_length"})
    file.drop(std::string("olmo3.rope.scaling.") + key);
  for (const char* key : {"type", "factor", "yarn_attn_factor", "yarn_beta_fast", "yarn_beta_slow",
                          "original_context_length"})
    want.drop(std::string("olmo2.rope.scaling.") + key);
  expect_same_model(file, want);
}

TEST(OllamaOlmo3Test, DamageIsNamed) {
  RewrittenFile file = ollamas();
  EXPECT_THAT(fault_of(file.drop("olmo3.context_length")),
              HasSubstr("key olmo2.context_length is missing"));
  file = ollamas();
  file.set("olmo3.rope.scaling.attn_factor", std::string_view("much"));
  EXPECT_THAT(fault_of(file), HasSubstr("rope.scaling.attn_factor is a string"));
}

}  // namespace
}  // namespace confab::engine
