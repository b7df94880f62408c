// SPDX-License-Identifier: MIT
#include "engine/ollama/translation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/engine/ollama/rewritten_file.h"

namespace confab::engine {
namespace {

Gguf some_file() {
  RewrittenFile file("llama-linear");
  file.set("llama.old", 5U).set("llama.gone", 1U).set("general.note", std::string_view("hello"));
  return file.open();
}

TEST(TranslationTest, KeysOfTheArchitectureFollowItsNameAndOthersStay) {
  Translation to(some_file(), "other");
  EXPECT_EQ(to.number("block_count"), 2);
  to.rename("old", "new");
  to.leave_out("gone");
  to.set("old.too", 2.5F);
  to.set_if_missing("block_count", 9U);
  to.set_if_missing("tokenizer.ggml.extra", "text");
  const Gguf got = std::move(to).finish();
  EXPECT_EQ(got.find_string("general.architecture"), "other");
  EXPECT_EQ(got.find_int("other.block_count"), 2);
  EXPECT_EQ(got.find("llama.block_count"), nullptr);
  EXPECT_EQ(got.find_int("other.new"), 5);
  EXPECT_EQ(got.find("other.old"), nullptr);
  EXPECT_EQ(got.find("other.gone"), nullptr);
  EXPECT_EQ(got.find_float("other.old.too"), 2.5);
  EXPECT_EQ(got.find_string("tokenizer.ggml.extra"), "text");
  EXPECT_EQ(got.find_string("general.note"), "hello");
}

TEST(TranslationTest, ANameThatIsTakenIsNotGivenAgain) {
  Translation to(some_file(), "llama");
  to.rename("gone", "old");
  const Gguf got = std::move(to).finish();
  EXPECT_EQ(got.find_int("llama.old"), 5);
  EXPECT_EQ(got.find_int("llama.gone"), 1);
}

TEST(TranslationTest, DataStayWhereTheyAreMapped) {
  Gguf file = some_file();
  const std::byte* const data = file.find_tensor("blk.1.attn_q.weight")->data.data();
  const std::size_t n = file.tensors().size();
  const std::string path = file.path(), identity = file.identity();
  Translation to(std::move(file), "llama");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNames = {
      {{"attn_q.weight", "attn_query.weight"}, {"token_embd.weight", "no"}}};
  to.rename_tensors(kNames);
  const Gguf got = std::move(to).finish();
  EXPECT_EQ(got.find_tensor("blk.1.attn_query.weight")->data.data(), data);
  EXPECT_EQ(got.find_tensor("blk.1.attn_q.weight"), nullptr);
  EXPECT_NE(got.find_tensor("token_embd.weight"), nullptr);  // of no layer
  EXPECT_EQ(got.tensors().size(), n);
  EXPECT_EQ(got.path(), path);
  EXPECT_EQ(got.identity(), identity);
}

TEST(TranslationTest, EmbeddedPartsAreSeenAndLeftOut) {
  RewrittenFile file("llama-linear");
  EXPECT_FALSE(has_embedded_parts(file.open()));
  for (const char* name : {"v.x", "mm.x", "a.x", "s.x", "mtp.x", "model.vision_tower.x"}) {
    RewrittenFile more = file;
    Gguf embedded = more.add_tensor(name, {4}).open();
    ASSERT_TRUE(has_embedded_parts(embedded)) << name;
    const Gguf got = Translation(std::move(embedded), "llama").finish();
    EXPECT_EQ(got.find_tensor(name), nullptr) << name;
    EXPECT_NE(got.find_tensor("output_norm.weight"), nullptr);
  }
}

TEST(TranslationTest, AFileWithoutAnArchitectureIsNamed) {
  RewrittenFile file("llama-linear");
  EXPECT_THAT(error_of([&] { Translation(file.drop("general.architecture").open(), "llama"); }),
              testing::HasSubstr("key general.architecture is missing"));
}

using testing::SizeIs;

Gguf translated(const RewrittenFile& file, void (*change)(Translation&)) {
  Translation to(file.open(), "llama");
  change(to);
  return std::move(to).finish();
}

TEST(OllamaTokenizerKeysTest, TokensWithoutARowAreLeftOut) {
  RewrittenFile file("llama-linear");  // 64 rows
  file.set_array("tokenizer.ggml.tokens", std::vector<std::string>(70, "x"))
      .set_array("tokenizer.ggml.token_type", std::vector<std::int32_t>(66, 1))
      .drop("tokenizer.ggml.scores");
  const Gguf cut = translated(file, cut_vocabulary);
  EXPECT_THAT(*cut.find_array<std::string_view>("tokenizer.ggml.tokens"), SizeIs(64));
  EXPECT_THAT(*cut.find_array<std::int32_t>("tokenizer.ggml.token_type"), SizeIs(64));
  EXPECT_EQ(cut.find("tokenizer.ggml.scores"), nullptr);
  file.set_array("tokenizer.ggml.tokens", std::vector<std::string>(60, "x"));
  const Gguf whole = translated(file, cut_vocabulary);
  EXPECT_THAT(*whole.find_array<std::string_view>("tokenizer.ggml.tokens"), SizeIs(60));
}

TEST(OllamaTokenizerKeysTest, OnlyARuleThatSaysNothingIsReplaced) {
  const auto named = [](std::string_view rule) {
    RewrittenFile file("llama-linear");
    file.set("tokenizer.ggml.pre", rule);
    const Gguf got = translated(file, [](Translation& to) { name_pre_tokenizer(to, "tekken"); });
    return std::string(*got.find_string("tokenizer.ggml.pre"));
  };
  EXPECT_EQ(named("default"), "tekken");
  EXPECT_EQ(named(""), "tekken");
  EXPECT_EQ(named("qwen2"), "qwen2");
}

}  // namespace
}  // namespace confab::engine
