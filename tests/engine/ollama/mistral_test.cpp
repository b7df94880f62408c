// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

using testing::HasSubstr;

RewrittenFile llamas() {
  RewrittenFile file("mistral3-temperature");
  file.set("tokenizer.ggml.pre", std::string_view("tekken"));
  return file;
}

// As convert_mistral.go wrote it at a838421ea (December 2025), with pictures.
RewrittenFile ollamas() {
  RewrittenFile file("mistral3-temperature");
  file.rename("mistral3.rope.scaling.yarn_beta_fast", "mistral3.rope.scaling.beta_fast")
      .rename("mistral3.rope.scaling.yarn_beta_slow", "mistral3.rope.scaling.beta_slow")
      .rename("mistral3.rope.scaling.yarn_log_multiplier", "mistral3.rope.scaling.mscale_all_dim")
      .rename("mistral3.attention.temperature_scale", "mistral3.rope.scaling_beta")
      .set("mistral3.rope.scaling.mscale", 1.0F)
      .set("mistral3.mm.projector_bias", false)
      .add_tensor("v.patch_conv.weight", {4, 4})
      .add_tensor("mm.linear_1.weight", {4, 4});
  return file;
}

TEST(OllamaMistral3Test, IsTheSameModelWithoutItsPictures) {
  expect_same_model(ollamas(), llamas());
}

// Each name alone makes a difference: none is passed over.
TEST(OllamaMistral3Test, EachNameCounts) {
  for (const char* key : {"beta_fast", "beta_slow", "mscale_all_dim"}) {
    RewrittenFile file = ollamas();
    file.drop(std::string("mistral3.rope.scaling.") + key);
    EXPECT_FALSE(same_bits(golden_logits_of(file.open()), golden_logits_of(llamas().open())))
        << key;
  }
  RewrittenFile file = ollamas();
  file.drop("mistral3.rope.scaling_beta");
  EXPECT_FALSE(same_bits(golden_logits_of(file.open()), golden_logits_of(llamas().open())));
}

// Mistral Small 3.2 has no YaRN, and a converter that writes its keys all the same.
TEST(OllamaMistral3Test, EmptyScalingIsNone) {
  RewrittenFile file("mistral3-temperature"), plain = llamas();
  for (const char* key : {"yarn_beta_fast", "yarn_beta_slow", "factor"}) {
    file.set(std::string("mistral3.rope.scaling.") + key, 0.0F);
    plain.drop(std::string("mistral3.rope.scaling.") + key);
  }
  file.set("mistral3.rope.scaling.type", std::string_view(""))
      .drop("mistral3.rope.scaling.yarn_log_multiplier");
  plain.drop("mistral3.rope.scaling.type").drop("mistral3.rope.scaling.yarn_log_multiplier");
  expect_same_model(file, plain);
}

TEST(OllamaMistral3Test, ATokenizerThatIsNamedStays) {
  RewrittenFile file = ollamas();
  file.set("tokenizer.ggml.pre", std::string_view("llama-bpe"));
  EXPECT_EQ(file.open().find_string("tokenizer.ggml.pre"), "llama-bpe");
}

TEST(OllamaMistral3Test, DamageIsNamed) {
  RewrittenFile file = ollamas();
  file.drop("mistral3.rope.scaling.beta_fast")
      .set("mistral3.rope.scaling.beta_fast", std::string_view("fast"));
  EXPECT_THAT(fault_of(file),
              HasSubstr("key mistral3.rope.scaling.yarn_beta_fast is a string, expected a number"));
}

}  // namespace
}  // namespace confab::engine
