// SPDX-License-Identifier: MIT
// Tiny random models for tests: real GGUF files of a few hundred kilobytes, the same on every
// machine for the same seed, with a byte-level BPE vocabulary and a ChatML template. What they say
// is noise.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/isa.h"
#include "tests/engine/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {

struct TinyModelOptions {
  std::string architecture = "llama";  // or "qwen2"
  std::uint32_t seed = 20250611;
  std::uint32_t n_layer = 2;
  std::uint32_t n_embd = 64;
  std::uint32_t n_head = 2;
  std::uint32_t n_head_kv = 1;
  std::uint32_t n_ff = 96;
  std::uint32_t n_ctx = 512;
  bool tied = false;                     // no output.weight
  bool biases = false;                   // on q, k, v, output and the feed-forward matrices
  std::vector<float> rope_factors = {};  // rope_freqs.weight, head_dim / 2 of them
  std::string rope_scaling = {};         // "linear" or "yarn"
  float rope_scale_factor = 4;
  std::uint32_t rope_n_ctx_orig = 32;
  bool quantised = false;  // matrices as Q8_0; n_embd and n_ff are multiples of 32 then
};

// 256 bytes, 41 merges, <|endoftext|> (EOS), <|im_start|>, <|im_end|>: 300 tokens.
struct TinyVocab {
  std::vector<std::string> tokens;
  std::vector<std::int32_t> types;  // 1 normal, 3 control
  std::vector<std::string> merges;
};

inline constexpr std::uint32_t kTinyEndOfText = 297;
inline constexpr std::uint32_t kTinyImStart = 298;
inline constexpr std::uint32_t kTinyImEnd = 299;

inline constexpr std::string_view kTinyTemplate =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + "
    "message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

// The character that stands for a byte in byte-level BPE vocabularies (Radford 2019): printable
// bytes stand for themselves, the others for U+0100 onwards.
inline std::string byte_character(int byte) {
  const auto is_printable = [](int b) {
    return (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || (b >= 0xAE && b <= 0xFF);
  };
  int code = byte;
  if (!is_printable(byte)) {
    code = 256;
    for (int b = 0; b < byte; ++b) code += is_printable(b) ? 0 : 1;
  }
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

inline TinyVocab tiny_vocab() {
  TinyVocab vocab;
  for (int byte = 0; byte < 256; ++byte) vocab.tokens.push_back(byte_character(byte));
  const std::string s = byte_character(' ');
  const std::array<std::array<std::string, 2>, 41> merges{{
      {s, "t"},   {"h", "e"},      {s, "a"},        {"i", "n"}, {s + "t", "he"}, {"r", "e"},
      {"o", "n"}, {s, "s"},        {s, "w"},        {"e", "r"}, {"n", "d"},      {"a", "t"},
      {s, "o"},   {"o", "u"},      {s + "a", "nd"}, {"i", "s"}, {s, "b"},        {"e", "n"},
      {"l", "l"}, {s, "c"},        {"in", "g"},     {s, "f"},   {"i", "t"},      {"o", "r"},
      {s, "h"},   {"e", "s"},      {s + "t", "o"},  {s, "m"},   {"u", "s"},      {"e", "l"},
      {"a", "s"}, {s, "p"},        {s, "d"},        {"a", "n"}, {"l", "e"},      {s, "in"},
      {s, "y"},   {s + "y", "ou"}, {"us", "er"},    {s, "is"},  {"e", "d"},
  }};
  for (const auto& [left, right] : merges) {
    vocab.tokens.push_back(left + right);
    vocab.merges.push_back(left + " " + right);
  }
  vocab.types.assign(vocab.tokens.size(), 1);
  for (const char* special : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) {
    vocab.tokens.emplace_back(special);
    vocab.types.push_back(3);
  }
  return vocab;
}

inline void add_tiny_metadata(GgufWriter& gguf, const TinyModelOptions& o) {
  const std::string a = o.architecture + ".";
  const TinyVocab vocab = tiny_vocab();
  gguf.add("general.architecture", o.architecture).add("general.name", "Tiny Test");
  gguf.add(a + "block_count", o.n_layer).add(a + "context_length", o.n_ctx);
  gguf.add(a + "embedding_length", o.n_embd).add(a + "feed_forward_length", o.n_ff);
  gguf.add(a + "attention.head_count", o.n_head).add(a + "attention.head_count_kv", o.n_head_kv);
  gguf.add(a + "attention.layer_norm_rms_epsilon", 1e-5F).add(a + "rope.freq_base", 10000.0F);
  gguf.add(a + "rope.dimension_count", o.n_embd / o.n_head);
  if (!o.rope_scaling.empty()) {
    gguf.add(a + "rope.scaling.type", o.rope_scaling);
    gguf.add(a + "rope.scaling.factor", o.rope_scale_factor);
    gguf.add(a + "rope.scaling.original_context_length", o.rope_n_ctx_orig);
  }
  gguf.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", "gpt-2");
  gguf.add_array("tokenizer.ggml.tokens", vocab.tokens);
  gguf.add_array("tokenizer.ggml.token_type", vocab.types);
  gguf.add_array("tokenizer.ggml.merges", vocab.merges);
  gguf.add("tokenizer.ggml.bos_token_id", kTinyEndOfText);
  gguf.add("tokenizer.ggml.eos_token_id", kTinyImEnd);
  gguf.add("tokenizer.ggml.add_bos_token", false);
  gguf.add("tokenizer.chat_template", kTinyTemplate);
}

// Adds random tensors; values are uniform, so that they do not depend on the standard library.
class TinyTensors {
 public:
  TinyTensors(GgufWriter& gguf, const TinyModelOptions& options)
      : gguf_(gguf), rng_(options.seed), quantised_(options.quantised) {}

  void matrix(const std::string& name, std::int64_t n_cols, std::int64_t n_rows) {
    add(name, {n_cols, n_rows}, 0, 1.7F / std::sqrt(static_cast<float>(n_cols)));
  }
  void norm(const std::string& name, std::int64_t n) { add(name, {n}, 1, 0.3F); }
  void bias(const std::string& name, std::int64_t n) { add(name, {n}, 0, 0.3F); }

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, float mean,
           float spread) {
    std::size_t n = 1;
    for (const std::int64_t dim : shape) n *= static_cast<std::size_t>(dim);
    std::vector<float> values(n);
    for (float& value : values) {
      const float unit = static_cast<float>(rng_() >> 8) / static_cast<float>(1 << 23) - 1;
      value = mean + spread * unit;
    }
    if (quantised_ && shape.size() == 2) return add_q8_0(name, shape, values);
    gguf_.add_tensor(name, shape, values);
  }

  void add_q8_0(const std::string& name, const std::vector<std::int64_t>& shape,
                const std::vector<float>& values) {
    const auto n = static_cast<std::int64_t>(values.size());
    std::string bytes(kernels::row_bytes(kernels::Dtype::Q8_0, n), '\0');
    kernels::kernel_table(kernels::Isa::scalar)
        ->encode_row(kernels::Dtype::Q8_0, values.data(), n,
                     reinterpret_cast<std::byte*>(bytes.data()));
    gguf_.add_tensor(name, static_cast<std::uint32_t>(kernels::Dtype::Q8_0), shape, bytes);
  }

  GgufWriter& gguf_;
  std::mt19937 rng_;
  bool quantised_;
};

inline GgufWriter tiny_model(const TinyModelOptions& o = {}) {
  GgufWriter gguf;
  add_tiny_metadata(gguf, o);
  TinyTensors tensors(gguf, o);
  const std::int64_t n_embd = o.n_embd, n_kv = n_embd / o.n_head * o.n_head_kv, n_vocab = 300;
  tensors.matrix("token_embd.weight", n_embd, n_vocab);
  for (std::uint32_t il = 0; il < o.n_layer; ++il) {
    const std::string b = "blk." + std::to_string(il) + ".";
    const auto linear = [&](const std::string& name, std::int64_t n_cols, std::int64_t n_rows,
                            bool bias) {
      tensors.matrix(b + name + ".weight", n_cols, n_rows);
      if (bias) tensors.bias(b + name + ".bias", n_rows);
    };
    const bool qkv_bias = o.biases || o.architecture == "qwen2";
    tensors.norm(b + "attn_norm.weight", n_embd);
    linear("attn_q", n_embd, n_embd, qkv_bias);
    linear("attn_k", n_embd, n_kv, qkv_bias);
    linear("attn_v", n_embd, n_kv, qkv_bias);
    linear("attn_output", n_embd, n_embd, o.biases);
    tensors.norm(b + "ffn_norm.weight", n_embd);
    linear("ffn_gate", n_embd, o.n_ff, o.biases);
    linear("ffn_up", n_embd, o.n_ff, o.biases);
    linear("ffn_down", o.n_ff, n_embd, o.biases);
  }
  tensors.norm("output_norm.weight", n_embd);
  if (!o.tied) tensors.matrix("output.weight", n_embd, n_vocab);
  if (!o.rope_factors.empty()) {
    gguf.add_tensor("rope_freqs.weight", {static_cast<std::int64_t>(o.rope_factors.size())},
                    o.rope_factors);
  }
  return gguf;
}

// A folder of one test, with paths as the strings that the engine takes.
class TemporaryFolder {
 public:
  std::string path() const { return dir_.path().string(); }
  std::string operator/(std::string_view name) const { return dir_ / std::string(name); }

 private:
  TempDir dir_;
};

// A tiny model in a file that lives as long as the object.
class TinyModelFile {
 public:
  explicit TinyModelFile(const TinyModelOptions& options = {}) {
    tiny_model(options).write(path());
  }
  std::string path() const { return folder_ / "tiny.gguf"; }

 private:
  TemporaryFolder folder_;
};

}  // namespace confab::engine
