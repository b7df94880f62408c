// SPDX-License-Identifier: MIT
#include "engine/text/bpe.h"

#include <gmock/gmock.h>

#include "engine/error.h"
#include "tests/engine/text/tiny_vocabularies.h"

namespace confab::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Bpe {
 public:
  explicit Bpe(const GgufWriter& writer)
      : gguf_(writer),
        vocab_(*gguf_, TokenizerModel::bpe, false),
        encoder_(make_bpe_encoder(*gguf_, vocab_, pre_tokenizer_of(*gguf_))) {}

  std::vector<Token> operator()(std::string_view text) const {
    std::vector<Token> ids;
    encoder_->encode(text, true, ids);
    return ids;
  }
  std::vector<std::string> pieces(std::string_view text) const {
    std::vector<std::string> out;
    for (const Token id : (*this)(text)) out.emplace_back(vocab_.piece(id));
    return out;
  }

 private:
  WrittenGguf gguf_;
  Vocab vocab_;
  std::unique_ptr<const FragmentEncoder> encoder_;
};

TEST(BpeTest, MergesWithinWordsOnly) {
  const Bpe bpe(bpe_vocabulary());
  EXPECT_THAT(bpe.pieces(" the and the"), ElementsAre(" the", " and", " the"));
  EXPECT_THAT(bpe.pieces("the"), ElementsAre("t", "he"));
  EXPECT_THAT(bpe.pieces("user!in"), ElementsAre("user", "!", "in"));
  EXPECT_THAT(bpe(""), ElementsAre());
}

TEST(BpeTest, BytesStandForThemselvesAndBadOnesForTheReplacement) {
  const Bpe bpe(bpe_vocabulary());
  EXPECT_THAT(bpe("\n"), ElementsAre(10));
  EXPECT_THAT(bpe("é"), ElementsAre(0xC3, 0xA9));
  EXPECT_THAT(bpe("\x80"), ElementsAre(0xEF, 0xBF, 0xBD));
  EXPECT_THAT(bpe(std::string_view("\0", 1)), ElementsAre(0));
}

// A whole word that is a token, though no merges lead to it.
GgufWriter with_unmergeable_token(const std::string& pre, std::int32_t type = 1) {
  TinyVocab vocab = tiny_vocab();
  vocab.tokens.emplace_back("xyz");
  vocab.types.push_back(type);
  GgufWriter gguf = bpe_vocabulary(pre);
  gguf.remove("tokenizer.ggml.tokens").add_array("tokenizer.ggml.tokens", vocab.tokens);
  gguf.remove("tokenizer.ggml.token_type").add_array("tokenizer.ggml.token_type", vocab.types);
  return gguf;
}

TEST(BpeTest, IgnoreMergesTakesWholeWords) {
  EXPECT_THAT(Bpe(with_unmergeable_token("llama-bpe"))("xyz"), ElementsAre(300));
  EXPECT_THAT(Bpe(with_unmergeable_token("qwen2"))("xyz"), ElementsAre('x', 'y', 'z'));
}

TEST(BpeTest, NoWordBecomesAControlToken) {
  EXPECT_THAT(Bpe(with_unmergeable_token("llama-bpe", 3))("xyz"), ElementsAre('x', 'y', 'z'));
  GgufWriter merged = with_unmergeable_token("qwen2", 3);
  merged.remove("tokenizer.ggml.merges");
  merged.add_array("tokenizer.ggml.merges", std::vector<std::string>{"x y", "xy z"});
  EXPECT_THAT(Bpe(merged)("xyz"), ElementsAre('x', 'y', 'z'));
}

TEST(BpeTest, ResultsThatAreNoTokensAreWrittenAsBytes) {
  GgufWriter gguf = bpe_vocabulary();
  gguf.remove("tokenizer.ggml.merges");
  gguf.add_array("tokenizer.ggml.merges", std::vector<std::string>{"q q"});
  EXPECT_THAT(Bpe(gguf)("qq"), ElementsAre('q', 'q'));
}

TEST(BpeTest, BytesThatAreNoTokensBecomeUnknownOrNothing) {
  GgufWriter gguf;
  gguf.add("tokenizer.ggml.model", "gpt2");
  gguf.add_array("tokenizer.ggml.tokens", std::vector<std::string>{"a", "?"});
  gguf.add_array("tokenizer.ggml.merges", std::vector<std::string>{});
  EXPECT_THAT(Bpe(gguf)("aba"), ElementsAre(0, 0));
  gguf.add("tokenizer.ggml.unknown_token_id", std::uint32_t{1});
  EXPECT_THAT(Bpe(gguf)("aba"), ElementsAre(0, 1, 0));
}

TEST(BpeTest, UnknownPreTokenizerIsNamedWithTheKnownOnes) {
  try {
    const Bpe bpe(bpe_vocabulary("mystery\n"));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("unknown pre-tokenizer \"mystery\\x0a\""));
    EXPECT_THAT(error.what(), HasSubstr("llama-bpe"));
  }
}

TEST(BpeTest, LongTextsEqualTheirPartsDoneOneByOne) {
  const Bpe bpe(bpe_vocabulary());
  const std::string sentence = " You and the user said it is on the other side,";
  std::vector<Token> want;
  std::string text;
  for (int i = 0; i < 500; ++i) {
    const std::string part = sentence + " " + std::to_string(i * 37 % 91);
    const auto ids = bpe(part);
    want.insert(want.end(), ids.begin(), ids.end());
    text += part;
  }
  EXPECT_EQ(bpe(text), want);
}

// A quadratic merge would take a quarter of an hour.
TEST(BpeTest, OneWordOfAMillionLetters) {
  GgufWriter gguf = bpe_vocabulary();
  gguf.remove("tokenizer.ggml.merges");
  gguf.add_array("tokenizer.ggml.merges", std::vector<std::string>{"l l"});
  EXPECT_EQ(Bpe(gguf)(std::string(1'000'000, 'l')).size(), 500'000U);
}

}  // namespace
}  // namespace confab::engine
