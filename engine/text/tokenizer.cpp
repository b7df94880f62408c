// SPDX-License-Identifier: MIT
#include "engine/text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/text/bpe.h"
#include "engine/text/spm.h"
#include "engine/text/vocab.h"

namespace confab::engine {
namespace {

class VocabTokenizer final : public Tokenizer {
 public:
  // pre is nullptr for SentencePiece.
  VocabTokenizer(const Gguf& gguf, const PreTokenizer* pre);

  using Tokenizer::encode;
  std::vector<Token> encode(std::string_view text,
                            std::span<const ByteSpan> literal) const override;
  std::span<const Token> prefix() const noexcept override { return vocab_.prefix(); }
  std::span<const Token> suffix() const noexcept override { return vocab_.suffix(); }
  std::string_view piece(Token token, bool show_special) const override;
  std::string decode(std::span<const Token> tokens, bool show_special) const override;
  std::string detokenize(std::span<const Token> tokens, bool show_special) const override;
  int n_vocab() const noexcept override { return vocab_.n_tokens(); }
  std::optional<Token> bos() const noexcept override { return vocab_.bos(); }
  std::optional<Token> eos() const noexcept override { return vocab_.eos(); }
  bool is_eog(Token token) const noexcept override { return vocab_.is_eog(token); }

 private:
  const PreTokenizer* pre_;
  Vocab vocab_;
  SpecialTokens special_;
  std::unique_ptr<const FragmentEncoder> encoder_;
  bool add_space_prefix_;
};

TokenizerModel model_of(const PreTokenizer* pre) {
  if (pre == nullptr) return TokenizerModel::spm;
  return pre->plain_text ? TokenizerModel::plain_bpe : TokenizerModel::bpe;
}

VocabTokenizer::VocabTokenizer(const Gguf& gguf, const PreTokenizer* pre)
    : pre_(pre),
      vocab_(gguf, model_of(pre), pre == nullptr || pre->add_bos, pre != nullptr && pre->gemma4),
      special_(vocab_.special_entries()),
      encoder_(pre_ == nullptr ? make_spm_encoder(gguf, vocab_)
                               : make_bpe_encoder(gguf, vocab_, *pre_)),
      add_space_prefix_(pre_ == nullptr &&
                        gguf.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)) {}

std::vector<Token> VocabTokenizer::encode(std::string_view text,
                                          std::span<const ByteSpan> literal) const {
  std::vector<Token> out;
  bool starts_text = true;
  for (const SpecialTokens::Fragment& fragment : special_.split(text, literal)) {
    if (fragment.token >= 0) {
      out.push_back(fragment.token);
    } else {
      encoder_->encode(fragment.text, starts_text, out);
    }
    starts_text = fragment.token >= 0;
  }
  return out;
}

std::string_view VocabTokenizer::piece(Token token, bool show_special) const {
  if (token < 0 || token >= n_vocab()) {
    throw ModelError(
        fmt::format("token {} is not in the vocabulary, expected 0 to {}", token, n_vocab() - 1));
  }
  const bool shown = !vocab_.is_silent(token) && (show_special || !vocab_.is_hidden(token));
  return shown ? vocab_.piece(token) : std::string_view();
}

std::string VocabTokenizer::decode(std::span<const Token> tokens, bool show_special) const {
  std::string out;
  bool drop_space = add_space_prefix_;
  for (const Token token : tokens) {
    std::string_view bytes = piece(token, show_special);
    if (drop_space && bytes.starts_with(' ')) bytes.remove_prefix(1);
    drop_space = false;
    out += bytes;
  }
  return out;
}

std::string VocabTokenizer::detokenize(std::span<const Token> tokens, bool show_special) const {
  std::string text = decode(tokens, show_special);
  return pre_ != nullptr && pre_->clean_spaces ? clean_spaces(text) : text;
}

// Tokenizers in GGUF files that are not supported: those of encoders and of models without
// attention.
std::string_view kind_of_other_model(std::string_view model) {
  if (model == "bert") return "WordPiece";
  if (model == "t5") return "a SentencePiece unigram model";
  if (model == "rwkv") return "RWKV's greedy tokenizer";
  if (model == "plamo2") return "PLaMo 2's unigram model";
  if (model == "hybriddna") return "for DNA";
  if (model == "whitespace") return "words separated by white space";
  if (model == "none" || model == "no_vocab") return "no tokenizer: the model takes token ids";
  return "";
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::load(const Gguf& gguf) {
  const auto model = gguf.find_string("tokenizer.ggml.model");
  if (!model) gguf.fail("tokenizer.ggml.model is missing, expected llama, gpt2 or gemma4");
  if (*model == "llama") return std::make_unique<VocabTokenizer>(gguf, nullptr);
  if (*model == "gpt2" || *model == "gemma4") {
    return std::make_unique<VocabTokenizer>(gguf, &pre_tokenizer_of(gguf));
  }
  const std::string_view kind = kind_of_other_model(*model);
  if (!kind.empty()) {
    gguf.fail(fmt::format("tokenizer \"{}\" ({}) is not supported, expected llama, gpt2 or gemma4",
                          printable(*model), kind));
  }
  gguf.fail(
      fmt::format("unknown tokenizer \"{}\" (tokenizer.ggml.model), expected llama, gpt2 or gemma4",
                  printable(*model)));
}

std::vector<Token> Tokenizer::encode(std::string_view text, bool parse_special) const {
  const ByteSpan all{0, text.size()};
  return encode(text, std::span(&all, parse_special ? 0 : 1));
}

namespace {

// Removes the space in " ?" and similar.
std::string before_punctuation(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool joins = std::string_view("?!.,").find(text[i]) != std::string_view::npos;
    if (joins && i > 0 && text[i - 1] == ' ') out.pop_back();
    out += text[i];
  }
  return out;
}

// Removes both spaces in " ' ".
std::string around_apostrophes(std::string_view text) {
  std::string out;
  bool space_before = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool lone = text[i] == '\'' && space_before && text.substr(i + 1, 1) == " ";
    if (lone) out.pop_back();
    out += text[i];
    if (lone) ++i;
    space_before = !lone && text[i] == ' ';
  }
  return out;
}

// Removes the space in " 's", " 'm", " 're" and " 've".
std::string before_contractions(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const bool joins = rest.starts_with("'s") || rest.starts_with("'m") ||
                       rest.starts_with("'re") || rest.starts_with("'ve");
    if (joins && i > 0 && text[i - 1] == ' ') out.pop_back();
    out += text[i];
  }
  return out;
}

}  // namespace

std::string clean_spaces(const std::string& text) {
  return before_contractions(around_apostrophes(before_punctuation(text)));
}

namespace {

// Returns true if all tokens from this one on are fillers, which have no text.
bool are_fillers(const Tokenizer& tokenizer, Token first) {
  for (Token token = first; token < tokenizer.n_vocab(); ++token)
    if (!tokenizer.piece(token, true).empty() || tokenizer.is_eog(token)) return false;
  return true;
}

// Writes the bytes of a token as one line of ASCII.
std::string quoted(std::string_view piece) {
  std::string text;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }
  return "\"" + text + "\"";
}

std::string name_of(std::optional<Token> token) {
  return token ? fmt::format("token {}", *token) : "none";
}

std::optional<std::string> special_difference(const Tokenizer& model, const Tokenizer& other) {
  if (model.bos() != other.bos())
    return fmt::format("the token that begins a text is {}, not {}", name_of(other.bos()),
                       name_of(model.bos()));
  if (model.eos() != other.eos())
    return fmt::format("the token that ends a text is {}, not {}", name_of(other.eos()),
                       name_of(model.eos()));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> vocabulary_difference(const Tokenizer& model, const Tokenizer& other) {
  const Token n_both = std::min(model.n_vocab(), other.n_vocab());
  if (!are_fillers(model, n_both) || !are_fillers(other, n_both))
    return fmt::format("it has {} tokens, not {}", other.n_vocab(), model.n_vocab());
  for (Token token = 0; token < n_both; ++token) {
    const std::string_view wanted = model.piece(token, true), found = other.piece(token, true);
    if (wanted != found)
      return fmt::format("token {} is {}, not {}", token, quoted(found), quoted(wanted));
    if (model.piece(token, false).empty() != other.piece(token, false).empty())
      return fmt::format("token {}, {}, is {} token", token, quoted(wanted),
                         other.piece(token, false).empty() ? "a control" : "no control");
    if (model.is_eog(token) != other.is_eog(token))
      return fmt::format("token {}, {}, {} an answer", token, quoted(wanted),
                         other.is_eog(token) ? "ends" : "does not end");
  }
  return special_difference(model, other);
}

}  // namespace confab::engine
