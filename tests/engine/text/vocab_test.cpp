// SPDX-License-Identifier: MIT
#include "engine/text/vocab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/error.h"
#include "tests/engine/text/tiny_vocabularies.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kBpe = TokenizerModel::bpe;
constexpr auto kSpm = TokenizerModel::spm;

Vocab load(const GgufWriter& writer, TokenizerModel model, bool default_add_bos = false) {
  return Vocab(*WrittenGguf(writer), model, default_add_bos);
}

GgufWriter list(const std::vector<std::string>& tokens,
                const std::vector<std::int32_t>& types = {}) {
  GgufWriter gguf;
  gguf.add_array("tokenizer.ggml.tokens", tokens);
  if (!types.empty()) gguf.add_array("tokenizer.ggml.token_type", types);
  return gguf;
}

TEST(VocabTest, PiecesOfBpeAreBytes) {
  const Vocab vocab =
      load(list({"ĠHi", "Ċ", "a b", "Ã©", "<|x|>", "Ġ", ""}, {1, 1, 1, 1, 3, 4, 1}), kBpe);
  EXPECT_EQ(vocab.piece(0), " Hi");
  EXPECT_EQ(vocab.piece(1), "\n");
  EXPECT_EQ(vocab.piece(2), "a b");  // not in the byte alphabet: as it is, and out of reach
  EXPECT_FALSE(vocab.is_mergeable(2));
  EXPECT_EQ(vocab.piece(3), "é");
  EXPECT_EQ(vocab.piece(4), "<|x|>");
  EXPECT_EQ(vocab.piece(5), "Ġ");  // user-defined: as it is
  EXPECT_EQ(vocab.piece(6), "");
  EXPECT_FALSE(vocab.is_mergeable(6));
}

TEST(VocabTest, PiecesOfSpmHaveSpacesAndBytes) {
  const Vocab vocab =
      load(list({"\u2581a\u2581", "<0x0a>", "<0xZZ>", "<unk>"}, {1, 6, 6, 2}), kSpm);
  EXPECT_EQ(vocab.piece(0), " a ");
  EXPECT_EQ(vocab.piece(1), "\n");
  EXPECT_EQ(vocab.byte_token('\n'), 1);
  EXPECT_EQ(vocab.byte_token('Z'), -1);
  EXPECT_EQ(vocab.piece(2), "<0xZZ>");
  EXPECT_TRUE(vocab.is_hidden(3));
}

TEST(VocabTest, SpecialIds) {
  GgufWriter gguf = list({"a", "b", "c"});
  EXPECT_EQ(load(gguf, kSpm).bos(), 1);
  EXPECT_EQ(load(gguf, kSpm).eos(), 2);
  EXPECT_EQ(load(gguf, kSpm).unk(), 0);
  EXPECT_EQ(load(list({"a"}), kSpm).eos(), std::nullopt);
  gguf.add("tokenizer.ggml.bos_token_id", std::uint32_t{99999});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint32_t{0xFFFFFFFF});
  gguf.add("tokenizer.ggml.eot_token_id", std::int32_t{-7});
  const Vocab vocab = load(gguf, kBpe, true);
  EXPECT_EQ(vocab.bos(), std::nullopt);
  EXPECT_EQ(vocab.eos(), std::nullopt);
  EXPECT_TRUE(vocab.prefix().empty());
}

TEST(VocabTest, PrefixAndSuffix) {
  GgufWriter gguf = list({"a", "b", "c"});
  gguf.add("tokenizer.ggml.bos_token_id", std::uint32_t{0});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint32_t{1});
  EXPECT_THAT(load(gguf, kBpe, true).prefix(), ElementsAre(0));
  EXPECT_THAT(load(gguf, kBpe, true).suffix(), ElementsAre());
  EXPECT_THAT(load(gguf, kBpe, false).prefix(), ElementsAre());
  gguf.add("tokenizer.ggml.add_bos_token", false).add("tokenizer.ggml.add_eos_token", true);
  EXPECT_THAT(load(gguf, kBpe, true).prefix(), ElementsAre());
  EXPECT_THAT(load(gguf, kBpe, true).suffix(), ElementsAre(1));
}

TEST(VocabTest, EndOfGenerationByIdAndByText) {
  GgufWriter gguf = list({"a", "b", "c", "<|im_end|>", "<|eot_id|>", "</s>", "<|im_start|>"},
                         {1, 1, 1, 3, 1, 4, 3});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint32_t{0});
  gguf.add("tokenizer.ggml.eot_token_id", std::uint32_t{1});
  gguf.add("tokenizer.ggml.eom_token_id", std::uint32_t{2});
  const Vocab vocab = load(gguf, kBpe);
  for (Token token = 0; token < 6; ++token) EXPECT_TRUE(vocab.is_eog(token)) << token;
  EXPECT_FALSE(vocab.is_eog(6));
  EXPECT_FALSE(vocab.is_eog(-1));
  EXPECT_FALSE(vocab.is_eog(1 << 20));
  // A text that ends generation makes a control token, so that no user can type it.
  EXPECT_EQ(vocab.type(4), TokenType::control);
  EXPECT_EQ(vocab.type(5), TokenType::control);
}

TEST(VocabTest, AllEndsThatTheFileNamesAreEnds) {
  GgufWriter gguf = list({"a", "b", "c", "d", "e", "f"});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint32_t{0});
  gguf.add_array("tokenizer.ggml.eos_token_ids", std::vector<std::int64_t>{0, 2, 3, 4, -1, 99});
  const Vocab vocab = load(gguf, kBpe);
  for (Token token = 0; token < 6; ++token)
    EXPECT_EQ(vocab.is_eog(token), token != 1 && token != 5) << token;
}

template <typename T>
TokenType second_type() {
  GgufWriter gguf = list({"a", "<c>"});
  gguf.add_array("tokenizer.ggml.token_type", std::vector<T>{1, 3});
  return load(gguf, kBpe).type(1);
}

TEST(VocabTest, TypesAreIntegersOfAnySize) {
  EXPECT_EQ(second_type<std::uint32_t>(), TokenType::control);
  EXPECT_EQ(second_type<std::int64_t>(), TokenType::control);
  EXPECT_EQ(second_type<std::uint64_t>(), TokenType::control);
  EXPECT_EQ(second_type<std::uint8_t>(), TokenType::control);
  EXPECT_EQ(second_type<std::int16_t>(), TokenType::control);
  GgufWriter floats = list({"a", "<c>"});
  floats.add_array("tokenizer.ggml.token_type", std::vector<float>{1, 3});
  EXPECT_THAT([&] { load(floats, kBpe); },
              testing::Throws<ModelError>(testing::Property(
                  &ModelError::what, HasSubstr("token_type is an array of the wrong type"))));
}

TEST(VocabTest, IdsThatAreNoIdsCountAsAbsent) {
  GgufWriter gguf = list({"a", "b"});
  gguf.add("tokenizer.ggml.eos_token_id", std::uint64_t{0xFFFFFFFFFFFFFFFFU});
  EXPECT_EQ(load(gguf, kBpe).eos(), std::nullopt);
  EXPECT_EQ(load(gguf, kBpe).bos(), std::nullopt);
}

TEST(VocabTest, InTheHarmonyFormatTheEndOfAMessageIsNotTheEnd) {
  const Vocab harmony = load(list({"<|end|>", "<|call|>", "<|return|>"}), kBpe);
  EXPECT_FALSE(harmony.is_eog(0));
  EXPECT_TRUE(harmony.is_eog(1));
  EXPECT_TRUE(harmony.is_eog(2));
  EXPECT_TRUE(load(list({"<|end|>", "<|call|>"}), kBpe).is_eog(0));
}

TEST(VocabTest, SpecialEntries) {
  const auto entries = load(list({"a", "<c>", "<u>", "<k>"}, {1, 3, 4, 2}), kBpe).special_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_TRUE(entries[0].control);
  EXPECT_FALSE(entries[1].control);
  EXPECT_TRUE(entries[2].control);
  EXPECT_FALSE(entries[0].rstrip);
}

TEST(VocabTest, Phi3StripsBehindSpecialTokensButThree) {
  GgufWriter gguf = list({"<s>", "<|user|>", "<unk>"}, {3, 3, 2});
  gguf.add("general.name", "My Phi-3 mini");
  const auto entries = load(gguf, kSpm).special_entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_FALSE(entries[0].rstrip);
  EXPECT_TRUE(entries[1].rstrip);
  EXPECT_FALSE(entries[2].rstrip);
}

TEST(VocabTest, UnknownTypeNumbersAreHarmless) {
  const Vocab vocab = load(list({"a", "b"}, {12345, -1}), kBpe);
  EXPECT_EQ(vocab.type(0), TokenType::undefined);
  EXPECT_TRUE(vocab.is_mergeable(1));
}

std::string error_of(const GgufWriter& gguf) {
  try {
    load(gguf, kBpe);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(VocabTest, BrokenListsAreRefused) {
  EXPECT_THAT(error_of(GgufWriter()), HasSubstr("tokenizer.ggml.tokens is missing"));
  EXPECT_THAT(error_of(list({})), HasSubstr("tokenizer.ggml.tokens is empty"));
  EXPECT_THAT(error_of(list({"a", "b"}, {1})),
              HasSubstr("tokenizer.ggml.token_type has 1 entries, expected 2"));
  GgufWriter numbers;
  numbers.add_array("tokenizer.ggml.tokens", std::vector<std::uint32_t>{1, 2});
  EXPECT_THAT(error_of(numbers), HasSubstr("tokenizer.ggml.tokens"));
  GgufWriter texts = list({"a"});
  texts.add_array("tokenizer.ggml.token_type", std::vector<std::string>{"normal"});
  EXPECT_THAT(error_of(texts), HasSubstr("tokenizer.ggml.token_type"));
  GgufWriter id = list({"a"});
  id.add("tokenizer.ggml.bos_token_id", "zero");
  EXPECT_THAT(error_of(id), HasSubstr("tokenizer.ggml.bos_token_id"));
}

TEST(ByteUnicodeTest, EveryByteHasItsCharacter) {
  std::string written, bytes;
  for (int byte = 0; byte < 256; ++byte) {
    written += byte_character(byte);
    bytes += static_cast<char>(byte);
  }
  std::string out = "before ";
  EXPECT_TRUE(append_bytes(written, out));
  EXPECT_EQ(out, "before " + bytes);
}

TEST(ByteUnicodeTest, KnownCharacters) {
  std::string out;
  EXPECT_TRUE(append_bytes("ĠHelloĊ", out));
  EXPECT_EQ(out, " Hello\n");
}

TEST(ByteUnicodeTest, OtherCharactersAreRefused) {
  // A space, U+0144, U+00AD, U+2581, half a character.
  for (const char* text : {"a b", "a\u0144", "\u00AD", "\u2581", "a\xC4", "\xC4z", "\x80"}) {
    std::string out = "kept";
    EXPECT_FALSE(append_bytes(text, out)) << text;
    EXPECT_EQ(out, "kept");
  }
}

}  // namespace
}  // namespace confab::engine
