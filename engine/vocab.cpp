// SPDX-License-Identifier: MIT
#include "engine/vocab.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>

#include "engine/byte_unicode.h"
#include "engine/gguf.h"
#include "engine/text_table.h"

namespace confab::engine {
namespace {

constexpr std::string_view kSpmSpace = "\xE2\x96\x81";  // U+2581
constexpr std::size_t kMaxTokens = std::size_t{1} << 30;

// Texts of tokens that end a generation, and of those that a fill-in-the-middle model writes at the
// end of its part. Source: llama.cpp, src/llama-vocab.cpp.
constexpr std::string_view kEogTexts[] = {
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
};
// Control tokens by their text, that do not end a generation.
constexpr std::string_view kControlTexts[] = {
    "<|fim_prefix|>", "<fim-prefix>",    "<fim_prefix>",    "<｜fim▁begin｜>", "<PRE>",
    "▁<PRE>",         "<|code_prefix|>", "<|prefix|>",      "<|fim_suffix|>",  "<fim-suffix>",
    "<fim_suffix>",   "<｜fim▁hole｜>",  "<SUF>",           "▁<SUF>",          "<|code_suffix|>",
    "<|suffix|>",     "<|fim_middle|>",  "<fim-middle>",    "<fim_middle>",    "<｜fim▁end｜>",
    "<MID>",          "▁<MID>",          "<|code_middle|>", "<|middle|>",
};

TokenType type_of_number(std::int32_t number) {
  return number >= 1 && number <= 6 ? static_cast<TokenType>(number) : TokenType::undefined;
}

// "<0x0A>": 10.
std::optional<unsigned char> parse_byte(std::string_view text) {
  if (text.size() != 6 || text.substr(0, 3) != "<0x" || text[5] != '>') return std::nullopt;
  int value = 0;
  for (const char c : text.substr(3, 2)) {
    const auto digit = std::string_view("0123456789ABCDEF").find(c >= 'a' && c <= 'f' ? c - 32 : c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value * 16 + static_cast<int>(digit);
  }
  return static_cast<unsigned char>(value);
}

void append_unescaped(std::string_view text, std::string& out) {
  for (auto at = text.find(kSpmSpace); at != text.npos; at = text.find(kSpmSpace)) {
    out += text.substr(0, at);
    out += ' ';
    text.remove_prefix(at + kSpmSpace.size());
  }
  out += text;
}

// Phi-3's converter sets this for its special tokens, and no key of the file says so (llama.cpp
// goes by the name as well).
bool is_phi3(const Gguf& gguf) {
  std::string name(gguf.find_string("general.name").value_or(""));
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name.find("phi-3") != name.npos || name.find("phi3") != name.npos;
}

}  // namespace

Vocab::Vocab(const Gguf& gguf, TokenizerModel model, bool default_add_bos) {
  const auto* texts = gguf.find_array<std::string_view>("tokenizer.ggml.tokens");
  if (texts == nullptr) gguf.fail("tokenizer.ggml.tokens is missing");
  if (texts->empty()) gguf.fail("tokenizer.ggml.tokens is empty, expected at least one token");
  if (texts->size() > kMaxTokens) {
    gguf.fail(
        fmt::format("tokenizer.ggml.tokens has {} entries, expected at most 2^30", texts->size()));
  }
  byte_tokens_.fill(-1);
  read_types(gguf, texts->size());
  rstrip_ = is_phi3(gguf);
  read_special_ids(gguf, model);
  mark_by_text(*texts);
  read_pieces(gguf, model, *texts);
  if (bos_ && gguf.find_bool("tokenizer.ggml.add_bos_token").value_or(default_add_bos)) {
    prefix_ = {*bos_};
  }
  if (eos_ && gguf.find_bool("tokenizer.ggml.add_eos_token").value_or(false)) suffix_ = {*eos_};
}

void Vocab::read_types(const Gguf& gguf, std::size_t n) {
  types_.assign(n, TokenType::normal);
  const auto* numbers = gguf.find_array<std::int32_t>("tokenizer.ggml.token_type");
  if (numbers == nullptr) return;
  if (numbers->size() < n) {
    gguf.fail(fmt::format("tokenizer.ggml.token_type has {} entries, expected {} as in {}",
                          numbers->size(), n, "tokenizer.ggml.tokens"));
  }
  for (std::size_t i = 0; i < n; ++i) types_[i] = type_of_number((*numbers)[i]);
}

void Vocab::read_special_ids(const Gguf& gguf, TokenizerModel model) {
  const auto id = [&](std::string_view key, std::optional<Token> fallback) {
    const auto value = gguf.find_int(key);
    if (value && *value >= 0 && *value < n_tokens())
      return std::optional(static_cast<Token>(*value));
    return fallback && *fallback < n_tokens() ? fallback : std::nullopt;
  };
  // SentencePiece's own numbers, for files that leave them out.
  const auto by_model = [model](Token spm) {
    return model == TokenizerModel::spm ? std::optional(spm) : std::nullopt;
  };
  unk_ = id("tokenizer.ggml.unknown_token_id", by_model(0));
  bos_ = id("tokenizer.ggml.bos_token_id", by_model(1));
  eos_ = id("tokenizer.ggml.eos_token_id", by_model(2));
  const auto eot = id("tokenizer.ggml.eot_token_id", std::nullopt);
  const auto eom = id("tokenizer.ggml.eom_token_id", std::nullopt);
  for (const auto& token : {eos_, eot, eom}) {
    if (token) eog_.push_back(*token);
  }
}

void Vocab::mark_by_text(std::span<const std::string_view> texts) {
  TextTable eog(std::size(kEogTexts)), control(std::size(kControlTexts));
  for (const auto text : kEogTexts) eog.insert(text, 0);
  for (const auto text : kControlTexts) control.insert(text, 0);
  const std::size_t longest = std::max(eog.longest(), control.longest());

  bool has_call = false, has_return = false;
  std::optional<Token> end;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string_view text = texts[i];
    if (text.size() > longest || text.empty()) continue;
    // All of them start with one of these.
    if (std::string_view("<_[\xE2").find(text[0]) == std::string_view::npos) continue;
    const auto token = static_cast<Token>(i);
    if (control.find(text) >= 0) types_[i] = TokenType::control;
    if (eog.find(text) < 0) continue;
    types_[i] = TokenType::control;
    eog_.push_back(token);
    if (text == "<|end|>") end = token;
    has_call = has_call || text == "<|call|>" || text == "<|calls|>";
    has_return = has_return || text == "<|return|>" || text == "<|flush|>";
  }
  // In the harmony format <|end|> ends a message, and the answer goes on with the next one.
  if (has_call && has_return && end) std::erase(eog_, *end);
  std::sort(eog_.begin(), eog_.end());
}

void Vocab::read_pieces(const Gguf& gguf, TokenizerModel model,
                        std::span<const std::string_view> texts) {
  std::size_t n_bytes = 0;
  for (const auto text : texts) n_bytes += text.size();
  if (n_bytes > std::numeric_limits<std::uint32_t>::max()) {
    gguf.fail(
        fmt::format("tokenizer.ggml.tokens takes {} bytes, expected less than 4 GiB", n_bytes));
  }
  bytes_.reserve(n_bytes);
  mergeable_.resize(texts.size());
  begin_.reserve(texts.size() + 1);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    begin_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    mergeable_[i] = append_piece(model, static_cast<Token>(i), texts[i]) && !texts[i].empty();
  }
  begin_.push_back(static_cast<std::uint32_t>(bytes_.size()));
  bytes_.shrink_to_fit();
}

bool Vocab::append_piece(TokenizerModel model, Token token, std::string_view text) {
  const bool is_spm = model == TokenizerModel::spm;
  switch (type(token)) {
    case TokenType::unknown:
    case TokenType::control:
      bytes_ += text;
      return false;
    case TokenType::user_defined:  // as it is, in either model
      bytes_ += text;
      return is_spm;
    case TokenType::byte:
      if (const auto byte = parse_byte(text)) {
        if (byte_tokens_[*byte] < 0) byte_tokens_[*byte] = token;
        bytes_ += static_cast<char>(*byte);
        return false;
      }
      [[fallthrough]];
    default:
      if (is_spm) {
        append_unescaped(text, bytes_);
        return true;
      }
      if (append_bytes(text, bytes_)) return true;
      bytes_ += text;
      return false;
  }
}

std::string_view Vocab::piece(Token token) const {
  assert(token >= 0 && token < n_tokens());
  const auto i = static_cast<std::size_t>(token);
  return std::string_view(bytes_).substr(begin_[i], begin_[i + 1] - begin_[i]);
}

bool Vocab::is_hidden(Token token) const {
  return type(token) == TokenType::control || type(token) == TokenType::unknown;
}

bool Vocab::is_eog(Token token) const noexcept {
  return std::binary_search(eog_.begin(), eog_.end(), token);
}

std::vector<SpecialTokens::Entry> Vocab::special_entries() const {
  std::vector<SpecialTokens::Entry> entries;
  for (Token token = 0; token < n_tokens(); ++token) {
    if (!is_hidden(token) && type(token) != TokenType::user_defined) continue;
    const std::string_view text = piece(token);
    // Phi-3 excepts these three.
    const bool keeps_space = text == "<unk>" || text == "<s>" || text == "<|endoftext|>";
    entries.push_back({std::string(text), token, is_hidden(token), rstrip_ && !keeps_space});
  }
  return entries;
}

std::string hash_of_vocabulary(const Gguf& gguf) {
  std::uint64_t hash = 0;
  const auto add_bytes = [&](std::string_view bytes) { hash = hash_bytes(bytes, hash); };
  const auto add_int = [&](std::uint64_t value) {
    add_bytes({reinterpret_cast<const char*>(&value), sizeof value});
  };
  for (const auto key : {"tokenizer.ggml.model", "tokenizer.ggml.pre"}) {
    add_bytes(gguf.find_string(key).value_or(""));
  }
  for (const auto key : {"tokenizer.ggml.tokens", "tokenizer.ggml.merges"}) {
    const auto* texts = gguf.find_array<std::string_view>(key);
    add_int(texts == nullptr ? 0 : texts->size());
    if (texts == nullptr) continue;
    for (const std::string_view text : *texts) add_bytes(text);
  }
  if (const auto* scores = gguf.find_array<float>("tokenizer.ggml.scores")) {
    add_bytes({reinterpret_cast<const char*>(scores->data()), scores->size() * sizeof(float)});
  }
  if (const auto* types = gguf.find_array<std::int32_t>("tokenizer.ggml.token_type")) {
    add_bytes(
        {reinterpret_cast<const char*>(types->data()), types->size() * sizeof(types->front())});
  }
  for (const auto key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id",
                         "tokenizer.ggml.unknown_token_id"}) {
    add_int(static_cast<std::uint64_t>(gguf.find_int(key).value_or(-1)));
  }
  for (const auto key : {"tokenizer.ggml.add_bos_token", "tokenizer.ggml.add_eos_token",
                         "tokenizer.ggml.add_space_prefix"}) {
    const auto flag = gguf.find_bool(key);
    add_int(!flag ? 2U : *flag ? 1U : 0U);
  }
  add_int(is_phi3(gguf) ? 1 : 0);
  return fmt::format("{:016x}", hash);
}

}  // namespace confab::engine
