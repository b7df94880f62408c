// SPDX-License-Identifier: MIT
// A tiny gpt-oss twice: as OpenAI's folder has it, and as the GGUF file that llama.cpp's converter
// makes of that (conversion/gpt_oss.py), with the same MXFP4 in the order of each.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/block.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/engine/safetensors/golden_folder.h"

namespace confab::engine::gpt_oss {

inline constexpr std::int64_t kEmbd = 64, kHeads = 4, kHeadDim = 32, kFf = 96;
inline constexpr std::int64_t kExperts = 4, kLayers = 4, kVocab = 300;

// Numbers of MXFP4: a code each, and an exponent for 32 of them.
struct Fp4 {
  std::vector<std::int64_t> shape;  // outermost first
  std::vector<unsigned> codes;
  std::string exponents;

  std::size_t row() const { return static_cast<std::size_t>(shape.back()); }
};

inline Fp4 random_fp4(std::mt19937& rng, const std::vector<std::int64_t>& shape) {
  Fp4 made{shape, {}, {}};
  std::int64_t n = 1;
  for (const std::int64_t dim : shape) n *= dim;
  for (std::int64_t i = 0; i < n; ++i) made.codes.push_back(rng() % 16);
  for (std::int64_t i = 0; i < n / 32; ++i) made.exponents += static_cast<char>(122 + rng() % 3);
  return made;
}

// A byte of the file: ggml has weights 0 and 16 of a block in the first, OpenAI 0 and 1.
inline std::string packed(const Fp4& from, std::size_t block, bool halves) {
  std::string bytes;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t low = 32 * block + (halves ? i : 2 * i);
    bytes += static_cast<char>(from.codes[low] | from.codes[low + (halves ? 16 : 1)] << 4);
  }
  return bytes;
}

inline std::string gguf_bytes(const Fp4& from) {
  std::string bytes;
  for (std::size_t block = 0; block < from.exponents.size(); ++block)
    bytes += from.exponents[block] + packed(from, block, true);
  return bytes;
}

inline std::string bf16_bytes(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) bytes += GgufWriter::encode(kernels::f32_to_bf16(value));
  return bytes;
}

// Rows of a and of b in turn.
template <typename T>
T in_turn(const T& a, const T& b, std::size_t row) {
  T both;
  for (std::size_t at = 0; at < a.size(); at += row)
    for (const T* one : {&a, &b})
      both.insert(both.end(), one->begin() + static_cast<std::ptrdiff_t>(at),
                  one->begin() + static_cast<std::ptrdiff_t>(at + row));
  return both;
}

class Twins {
 public:
  Twins() {
    add("token_embd.weight", {kVocab, kEmbd});
    for (std::int64_t il = 0; il < kLayers; ++il) add_layer("blk." + std::to_string(il) + ".");
    add("output_norm.weight", {kEmbd});
    add("output.weight", {kVocab, kEmbd});
    write_gguf();
    write_bare_texts(dir_, config(), kVocab);
    write_weights();
  }

  static nlohmann::json config() {
    nlohmann::json types;
    for (std::int64_t il = 0; il < kLayers; ++il)
      types.push_back(il % 2 == 0 ? "sliding_attention" : "full_attention");
    return {{"architectures", {"GptOssForCausalLM"}},
            {"hidden_size", kEmbd},
            {"num_hidden_layers", kLayers},
            {"num_attention_heads", kHeads},
            {"num_key_value_heads", 2},
            {"head_dim", kHeadDim},
            {"intermediate_size", kFf},
            {"hidden_act", "silu"},
            {"swiglu_limit", 7.0},
            {"rms_norm_eps", 1e-5},
            {"max_position_embeddings", 512},
            {"initial_context_length", 16},
            {"num_local_experts", kExperts},
            {"num_experts_per_tok", 2},
            {"experts_per_token", 2},
            {"sliding_window", 8},
            {"layer_types", types},
            {"rope_theta", 150000},
            {"rope_scaling",
             {{"rope_type", "yarn"},
              {"factor", 8.0},
              {"beta_fast", 32.0},
              {"beta_slow", 1.0},
              {"truncate", false},
              {"original_max_position_embeddings", 16}}},
            {"quantization_config",
             {{"quant_method", "mxfp4"}, {"modules_to_not_convert", {"lm_head"}}}}};
  }

  std::string file() const { return (dir_ / "twin.gguf").string(); }
  std::string folder() const { return dir_.path().string(); }
  const TempDir& dir() const { return dir_; }

  // The folder's weights once more, without those whose names begin so, and with another.
  void write_weights(const std::string& without = {}, const std::string& with = {},
                     const std::string& dtype = {}, const std::vector<std::int64_t>& shape = {}) {
    writer_ = SafetensorsWriter();
    without_ = without;
    for (const auto& [name, tensor] : tensors_) add_to_folder(name, tensor);
    for (std::int64_t il = 0; il < kLayers; ++il) add_experts(il);
    if (!with.empty()) {
      std::size_t n_bytes = dtype == "BF16" ? 2 : 1;
      for (const std::int64_t dim : shape) n_bytes *= static_cast<std::size_t>(dim);
      writer_.add(with, dtype, shape, std::string(n_bytes, '\0'));
    }
    dir_.file("model.safetensors", writer_.bytes());
  }

 private:
  void add(const std::string& name, const std::vector<std::int64_t>& shape, float scale = 1) {
    FolderTensor& to = tensors_[name];
    to.shape = shape;
    std::int64_t n = 1;
    for (const std::int64_t dim : shape) n *= dim;
    const bool is_norm = name.ends_with("norm.weight");
    const float spread = is_norm ? 0.3F : scale / std::sqrt(static_cast<float>(kEmbd));
    for (std::int64_t i = 0; i < n; ++i) {
      const float unit = static_cast<float>(rng_() >> 8) / static_cast<float>(1 << 23) - 1;
      const float value = (is_norm ? 1.0F : 0.0F) + 1.7F * spread * unit;
      to.values.push_back(kernels::bf16_to_f32(kernels::f32_to_bf16(value)));
    }
  }

  void add_layer(const std::string& b) {
    const auto linear = [&](const char* name, std::int64_t n_rows, std::int64_t n_cols) {
      add(b + name + ".weight", {n_rows, n_cols});
      add(b + name + ".bias", {n_rows});
    };
    add(b + "attn_norm.weight", {kEmbd});
    linear("attn_q", kHeads * kHeadDim, kEmbd);
    linear("attn_k", 2 * kHeadDim, kEmbd);
    linear("attn_v", 2 * kHeadDim, kEmbd);
    linear("attn_output", kEmbd, kHeads * kHeadDim);
    add(b + "attn_sinks.weight", {kHeads}, 8);
    add(b + "post_attention_norm.weight", {kEmbd});
    linear("ffn_gate_inp", kExperts, kEmbd);
    for (const char* name : {"ffn_gate_exps", "ffn_up_exps"}) {
      add(b + name + ".bias", {kExperts, kFf}, 8);
      experts_[b + name] = random_fp4(rng_, {kExperts, kFf, kEmbd});
    }
    add(b + "ffn_down_exps.bias", {kExperts, kEmbd});
    experts_[b + "ffn_down_exps"] = random_fp4(rng_, {kExperts, kEmbd, kFf});
  }

  void write_gguf() const {
    GgufWriter gguf;
    const auto add = [&](const char* name, auto value) {
      gguf.add(std::string("gpt-oss.") + name, value);
    };
    gguf.add("general.architecture", "gpt-oss");
    add("block_count", std::uint32_t{kLayers});
    add("context_length", 512U);
    add("embedding_length", std::uint32_t{kEmbd});
    add("feed_forward_length", std::uint32_t{kFf});
    add("attention.head_count", std::uint32_t{kHeads});
    add("attention.head_count_kv", 2U);
    add("attention.key_length", std::uint32_t{kHeadDim});
    add("attention.value_length", std::uint32_t{kHeadDim});
    add("attention.layer_norm_rms_epsilon", 1e-5F);
    add("attention.sliding_window", 8U);
    add("rope.freq_base", 150000.0F);
    add("rope.scaling.type", std::string("yarn"));
    add("rope.scaling.factor", 8.0F);
    add("rope.scaling.original_context_length", 16U);
    add("expert_count", std::uint32_t{kExperts});
    add("expert_used_count", 2U);
    add("expert_feed_forward_length", std::uint32_t{kFf});
    for (const auto& [name, tensor] : tensors_) {
      const std::vector<std::int64_t> shape(tensor.shape.rbegin(), tensor.shape.rend());
      if (shape.size() < 2 || name.ends_with("bias")) {
        gguf.add_tensor(name, shape, tensor.values);
      } else {
        gguf.add_tensor(name, static_cast<std::uint32_t>(kernels::Dtype::BF16), shape,
                        bf16_bytes(tensor.values));
      }
    }
    for (const auto& [name, fp4] : experts_)
      gguf.add_tensor(name + ".weight", static_cast<std::uint32_t>(kernels::Dtype::MXFP4),
                      {fp4.shape.rbegin(), fp4.shape.rend()}, gguf_bytes(fp4));
    gguf.write(file());
  }

  void put(const std::string& name, const std::string& dtype,
           const std::vector<std::int64_t>& shape, const std::string& bytes) {
    if (without_.empty() || !name.starts_with(without_)) writer_.add(name, dtype, shape, bytes);
  }

  void add_to_folder(const std::string& name, const FolderTensor& tensor) {
    static const TensorNames kNames = {{"attn_sinks.weight", "self_attn.sinks"},
                                       {"ffn_gate_inp", "mlp.router"},
                                       {"ffn_down_exps.bias", "mlp.experts.down_proj_bias"}};
    if (name.ends_with("ffn_gate_exps.bias") || name.ends_with("ffn_up_exps.bias")) return;
    put(folder_name(name, kNames), "BF16", tensor.shape, bf16_bytes(tensor.values));
  }

  void put_fp4(const std::string& module, const Fp4& fp4) {
    std::vector<std::int64_t> shape = fp4.shape;
    shape.back() /= 32;
    put(module + "_scales", "U8", shape, fp4.exponents);
    shape.push_back(16);
    std::string bytes;
    for (std::size_t block = 0; block < fp4.exponents.size(); ++block)
      bytes += packed(fp4, block, false);
    put(module + "_blocks", "U8", shape, bytes);
  }

  void add_experts(std::int64_t il) {
    const std::string b = "blk." + std::to_string(il) + ".";
    const std::string to = "model.layers." + std::to_string(il) + ".mlp.experts.";
    const Fp4 &gate = experts_.at(b + "ffn_gate_exps"), &up = experts_.at(b + "ffn_up_exps");
    put_fp4(to + "gate_up_proj", {{kExperts, 2 * kFf, kEmbd},
                                  in_turn(gate.codes, up.codes, gate.row()),
                                  in_turn(gate.exponents, up.exponents, gate.row() / 32)});
    put(to + "gate_up_proj_bias", "BF16", {kExperts, 2 * kFf},
        bf16_bytes(in_turn(tensors_.at(b + "ffn_gate_exps.bias").values,
                           tensors_.at(b + "ffn_up_exps.bias").values, 1)));
    put_fp4(to + "down_proj", experts_.at(b + "ffn_down_exps"));
  }

  std::mt19937 rng_{20250805};
  TempDir dir_;
  FolderTensors tensors_;  // all but experts' matrices, by their names in GGUF
  std::map<std::string, Fp4> experts_;
  SafetensorsWriter writer_;
  std::string without_;
};

}  // namespace confab::engine::gpt_oss
