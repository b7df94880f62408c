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
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {

// How the experts of a layer lie in the file: gate, up and down in a tensor each; gate and up in
// one; or every matrix of every expert in its own, as in the first files of Mixtral.
enum class TinyExperts { stacked, fused, apart };

struct TinyModelOptions {
  // Or "qwen2", "qwen2moe"; "qwen35" and "qwen3next", where every other layer is recurrent;
  // "starcoder2", with layer_norms and biases and without gated, where every layer has a window.
  std::string architecture = "llama";
  std::uint32_t seed = 20250611;
  std::uint32_t n_layer = 2;
  std::uint32_t n_embd = 64;
  std::uint32_t n_head = 2;
  std::uint32_t n_head_kv = 1;
  std::uint32_t n_ff = 96;
  std::uint32_t n_ctx = 512;
  bool tied = false;                     // no output.weight
  bool biases = false;                   // on q, k, v, output and the feed-forward matrices
  bool layer_norms = false;              // LayerNorm with biases instead of RMSNorm
  bool gated = true;                     // the feed-forward has ffn_gate
  std::vector<float> rope_factors = {};  // rope_freqs.weight, head_dim / 2 of them
  std::string rope_scaling = {};         // "linear" or "yarn"
  float rope_scale_factor = 4;
  std::uint32_t rope_n_ctx_orig = 32;
  bool quantised = false;      // matrices as Q8_0; n_embd and n_ff are multiples of 32 then
  std::uint32_t n_expert = 0;  // the feed-forwards are mixtures of so many, of n_ff each
  std::uint32_t n_expert_used = 2;
  std::uint32_t n_ff_shared = 0;  // a shared expert of this size, with a gate
  TinyExperts experts = TinyExperts::stacked;
  std::uint32_t window = 0;  // attention.sliding_window; 0: not in the file
  float added = 1;           // what the layers add is multiplied by this, but for experts

  bool is_recurrent() const { return architecture == "qwen35" || architecture == "qwen3next"; }
};

// Each kind of what a model remembers of its tokens.
inline constexpr const char* kDraftedArchitectures[] = {"llama", "qwen35"};
// One that soon goes in circles when it writes greedily, so that much can be looked up.
inline TinyModelOptions circling_model(const std::string& architecture) {
  if (architecture != "qwen35") return {.architecture = architecture, .n_ctx = 2048};
  return {.architecture = architecture, .seed = 20250601, .n_ctx = 2048, .added = 0.03F};
}
// For INSTANTIATE_TEST_SUITE_P.
inline constexpr auto architecture_name = [](const auto& param) {
  return std::string(param.param);
};

// Of the delta nets of those that are recurrent.
inline constexpr std::uint32_t kTinyConv = 4, kTinyState = 32;
inline constexpr std::uint32_t kTinyKeyHeads = 2, kTinyValueHeads = 4;

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
  gguf.add(
      a + (o.layer_norms ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon"),
      1e-5F);
  gguf.add(a + "rope.freq_base", 10000.0F);
  gguf.add(a + "rope.dimension_count", o.n_embd / o.n_head);
  if (!o.rope_scaling.empty()) {
    gguf.add(a + "rope.scaling.type", o.rope_scaling);
    gguf.add(a + "rope.scaling.factor", o.rope_scale_factor);
    gguf.add(a + "rope.scaling.original_context_length", o.rope_n_ctx_orig);
  }
  if (o.window > 0) gguf.add(a + "attention.sliding_window", o.window);
  if (o.is_recurrent()) {
    gguf.add(a + "full_attention_interval", 2U).add(a + "ssm.conv_kernel", kTinyConv);
    gguf.add(a + "ssm.state_size", kTinyState).add(a + "ssm.group_count", kTinyKeyHeads);
    gguf.add(a + "ssm.time_step_rank", kTinyValueHeads);
    gguf.add(a + "ssm.inner_size", kTinyValueHeads * kTinyState);
  }
  if (o.n_expert > 0) {
    gguf.add(a + "expert_count", o.n_expert).add(a + "expert_used_count", o.n_expert_used);
    gguf.add(a + "expert_feed_forward_length", o.n_ff);
  }
  if (o.n_ff_shared > 0) gguf.add(a + "expert_shared_feed_forward_length", o.n_ff_shared);
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
      : gguf_(gguf),
        rng_(options.seed),
        quantised_(options.quantised),
        norm_biases_(options.layer_norms) {}

  void matrix(const std::string& name, std::int64_t n_cols, std::int64_t n_rows, float scale = 1) {
    std::vector<float> values = weights(n_cols * n_rows, n_cols);
    for (float& value : values) value *= scale;
    add(name, {n_cols, n_rows}, values);
  }
  void norm(const std::string& name, std::int64_t n) {
    add(name + ".weight", {n}, uniform(n, 1, 0.3F));
    if (norm_biases_) bias(name + ".bias", n);
  }
  void bias(const std::string& name, std::int64_t n) { add(name, {n}, uniform(n, 0, 0.3F)); }

  // Random weights of rows of n_cols.
  std::vector<float> weights(std::int64_t n, std::int64_t n_cols) {
    return uniform(n, 0, 1.7F / std::sqrt(static_cast<float>(n_cols)));
  }
  void add(const std::string& name, const std::vector<std::int64_t>& shape,
           const std::vector<float>& values) {
    if (quantised_ && shape.size() >= 2) return add_q8_0(name, shape, values);
    add_f32(name, shape, values);
  }
  void add_f32(const std::string& name, const std::vector<std::int64_t>& shape,
               const std::vector<float>& values) {
    gguf_.add_tensor(name, shape, values);
  }

 private:
  std::vector<float> uniform(std::int64_t n, float mean, float spread) {
    std::vector<float> values(static_cast<std::size_t>(n));
    for (float& value : values) {
      const float unit = static_cast<float>(rng_() >> 8) / static_cast<float>(1 << 23) - 1;
      value = mean + spread * unit;
    }
    return values;
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
  bool norm_biases_;
};

// The matrices of one kind of a layer's experts, [n_expert] of [n_rows, n_cols].
struct TinyExpertMatrices {
  std::string name;  // "blk.0.ffn_gate"
  std::int64_t n_cols;
  std::int64_t n_rows;
  std::vector<float> values;
};

inline void add_apart(TinyTensors& tensors, const TinyExpertMatrices& m) {
  const std::int64_t size = m.n_rows * m.n_cols;
  for (std::int64_t e = 0; e * size < static_cast<std::int64_t>(m.values.size()); ++e) {
    tensors.add(m.name + "." + std::to_string(e) + ".weight", {m.n_cols, m.n_rows},
                {m.values.begin() + e * size, m.values.begin() + (e + 1) * size});
  }
}

inline void add_stacked(TinyTensors& tensors, const TinyExpertMatrices& m) {
  const std::int64_t size = m.n_rows * m.n_cols;
  tensors.add(m.name + "_exps.weight",
              {m.n_cols, m.n_rows, static_cast<std::int64_t>(m.values.size()) / size}, m.values);
}

// Of each expert, the rows of a, then those of b.
inline TinyExpertMatrices fused(const TinyExpertMatrices& a, const TinyExpertMatrices& b,
                                const std::string& name) {
  TinyExpertMatrices both{name, a.n_cols, a.n_rows + b.n_rows, {}};
  const auto size = a.n_rows * a.n_cols;
  for (auto i = a.values.begin(), j = b.values.begin(); i != a.values.end(); i += size, j += size) {
    both.values.insert(both.values.end(), i, i + size);
    both.values.insert(both.values.end(), j, j + size);
  }
  return both;
}

// The same values for the same seed in whatever layout.
inline void add_tiny_experts(TinyTensors& tensors, const TinyModelOptions& o,
                             const std::string& block) {
  const std::int64_t n_embd = o.n_embd, n_ff = o.n_ff, n_shared = o.n_ff_shared, n = o.n_expert;
  const auto kind = [&](const char* name, std::int64_t n_cols, std::int64_t n_rows) {
    return TinyExpertMatrices{block + name, n_cols, n_rows,
                              tensors.weights(n * n_cols * n_rows, n_cols)};
  };
  tensors.add_f32(block + "ffn_gate_inp.weight", {n_embd, n}, tensors.weights(n * n_embd, n_embd));
  const TinyExpertMatrices gate = kind("ffn_gate", n_embd, n_ff), up = kind("ffn_up", n_embd, n_ff),
                           down = kind("ffn_down", n_ff, n_embd);
  const auto add = o.experts == TinyExperts::apart ? add_apart : add_stacked;
  if (o.experts == TinyExperts::fused) {
    add(tensors, fused(gate, up, block + "ffn_gate_up"));
  } else {
    add(tensors, gate);
    add(tensors, up);
  }
  add(tensors, down);
  if (o.biases) {
    tensors.bias(block + "ffn_gate_inp.bias", n);
    tensors.add_f32(block + "ffn_down_exps.bias", {n_embd, n}, tensors.weights(n_embd * n, 16));
  }
  if (n_shared == 0) return;
  tensors.bias(block + "ffn_gate_inp_shexp.weight", n_embd);
  tensors.matrix(block + "ffn_gate_shexp.weight", n_embd, n_shared);
  tensors.matrix(block + "ffn_up_shexp.weight", n_embd, n_shared);
  tensors.matrix(block + "ffn_down_shexp.weight", n_shared, n_embd);
}

inline void add_tiny_delta_net(TinyTensors& tensors, const TinyModelOptions& o,
                               const std::string& block) {
  const std::int64_t n_heads = kTinyValueHeads, n_inner = n_heads * kTinyState;
  const std::int64_t n_channels = n_inner + std::int64_t{2} * kTinyKeyHeads * kTinyState;
  tensors.matrix(block + "attn_qkv.weight", o.n_embd, n_channels);
  tensors.matrix(block + "attn_gate.weight", o.n_embd, n_inner);
  if (o.architecture == "qwen3next") {
    tensors.matrix(block + "ssm_ba.weight", o.n_embd, 2 * n_heads);
  } else {
    tensors.matrix(block + "ssm_beta.weight", o.n_embd, n_heads);
    tensors.matrix(block + "ssm_alpha.weight", o.n_embd, n_heads);
  }
  tensors.add_f32(block + "ssm_conv1d.weight", {kTinyConv, n_channels},
                  tensors.weights(n_channels * kTinyConv, kTinyConv));
  tensors.bias(block + "ssm_dt.bias", n_heads);
  tensors.add_f32(block + "ssm_a", {n_heads}, std::vector<float>(kTinyValueHeads, -0.1F));
  tensors.norm(block + "ssm_norm", kTinyState);
  tensors.matrix(block + "ssm_out.weight", n_inner, o.n_embd, o.added);
}

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
      const bool adds = name == "attn_output" || name == "ffn_down";
      tensors.matrix(b + name + ".weight", n_cols, n_rows, adds ? o.added : 1);
      if (bias) tensors.bias(b + name + ".bias", n_rows);
    };
    const bool qkv_bias = o.biases || o.architecture.rfind("qwen2", 0) == 0;
    tensors.norm(b + "attn_norm", n_embd);
    if (o.is_recurrent() && il % 2 == 0) {
      add_tiny_delta_net(tensors, o, b);
    } else {
      linear("attn_q", n_embd, o.is_recurrent() ? 2 * n_embd : n_embd, qkv_bias);
      linear("attn_k", n_embd, n_kv, qkv_bias);
      linear("attn_v", n_embd, n_kv, qkv_bias);
      linear("attn_output", n_embd, n_embd, o.biases);
    }
    if (o.is_recurrent() && il % 2 != 0) {
      tensors.norm(b + "attn_q_norm", n_embd / o.n_head);
      tensors.norm(b + "attn_k_norm", n_embd / o.n_head);
    }
    const bool post = o.is_recurrent() || o.architecture == "glm4moe";
    tensors.norm(b + (post ? "post_attention_norm" : "ffn_norm"), n_embd);
    if (o.n_expert > 0) {
      add_tiny_experts(tensors, o, b);
      continue;
    }
    if (o.gated) linear("ffn_gate", n_embd, o.n_ff, o.biases);
    linear("ffn_up", n_embd, o.n_ff, o.biases);
    linear("ffn_down", o.n_ff, n_embd, o.biases);
  }
  tensors.norm("output_norm", n_embd);
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
