// SPDX-License-Identifier: MIT
// Tiny models twice: as a GGUF file, and as the folder of Hugging Face's that it could be made of,
// with the same weights under other names and, for Llama's family, in another order.
#pragma once

#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "engine/gguf/gguf.h"
#include "tests/engine/safetensors/safetensors_writer.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {

struct Twin {
  std::string of;            // "LlamaForCausalLM"
  std::string architecture;  // "llama"
  bool neighbours = false;   // rotated pairs are side by side in the GGUF
  bool head_norms = false;
  bool gemma = false;   // norms behind the parts, too, one less in the folder; a window
  bool fused = false;   // q, k and v in one matrix, gate and up in another
  bool biases = false;  // of q, k and v
  std::uint32_t n_expert = 0;
  bool stacked = false;  // the experts of a layer are one tensor, as MLX has them
  std::uint32_t n_ff_shared = 0;
  std::uint32_t n_layer = 3;
  bool row_norms = false;   // of queries and keys, over all heads
  bool pre_norms = true;    // before attention and feed-forward
  bool post_norms = false;  // behind them; Gemma's are so anyway
  bool one_norm = false;    // before both of them
  bool layer_norms = false;
  bool norm_biases = false;
  bool gated = true;       // otherwise all matrices may have biases
  bool fused_ffn = false;  // gate and up in one matrix, q, k and v not
  bool tied = false;
  std::uint32_t window = 0;
  // What the GGUF has besides, after the architecture's name, and config.json.
  std::vector<std::pair<std::string, float>> numbers = {};
  nlohmann::json config = nlohmann::json::object();
  // Of tensors, in place of the usual ones.
  std::vector<std::pair<std::string, std::string>> names = {};

  bool has_output() const { return !gemma && !tied; }
};

inline constexpr std::uint32_t kTwinEmbd = 64, kTwinHead = 2, kTwinHeadDim = 32, kTwinFf = 96;
inline constexpr std::uint32_t kTwinLayers = 3, kTwinVocab = 300, kTwinWindow = 8;

inline void add_twin_layer(TinyTensors& tensors, const Twin& twin, const TinyModelOptions& o,
                           int il) {
  const std::string b = "blk." + std::to_string(il) + ".";
  const auto matrix = [&](const std::string& name, std::int64_t n_cols, std::int64_t n_rows) {
    tensors.matrix(b + name + ".weight", n_cols, n_rows);
    const bool is_qkv = name != "attn_output" && name.starts_with("attn");
    if (twin.biases && (is_qkv || !twin.gated)) tensors.bias(b + name + ".bias", n_rows);
  };
  if (twin.pre_norms) tensors.norm(b + "attn_norm", kTwinEmbd);
  if (twin.fused) {
    matrix("attn_qkv", kTwinEmbd, 4 * kTwinHeadDim);
  } else {
    matrix("attn_q", kTwinEmbd, 2 * kTwinHeadDim);
    matrix("attn_k", kTwinEmbd, kTwinHeadDim);
    matrix("attn_v", kTwinEmbd, kTwinHeadDim);
  }
  matrix("attn_output", 2 * kTwinHeadDim, kTwinEmbd);
  for (const char* name : {"attn_q_norm", "attn_k_norm"})
    if (twin.head_norms || twin.row_norms) {
      const bool of_queries = name == std::string("attn_q_norm");
      tensors.norm(b + name, kTwinHeadDim * (twin.row_norms && of_queries ? kTwinHead : 1));
    }
  for (const char* name : {"post_attention_norm", "post_ffw_norm"})
    if (twin.gemma || twin.post_norms) tensors.norm(b + name, kTwinEmbd);
  if (twin.pre_norms && !twin.one_norm) tensors.norm(b + "ffn_norm", kTwinEmbd);
  if (twin.n_expert > 0) return add_tiny_experts(tensors, o, b);
  const bool fused = twin.fused || twin.fused_ffn;
  if (!fused && twin.gated) matrix("ffn_gate", kTwinEmbd, kTwinFf);
  matrix("ffn_up", kTwinEmbd, fused ? 2 * kTwinFf : kTwinFf);
  matrix("ffn_down", kTwinFf, kTwinEmbd);
}

inline GgufWriter twin_file(const Twin& twin) {
  TinyModelOptions o{.architecture = twin.architecture,
                     .n_layer = twin.n_layer,
                     .n_embd = kTwinEmbd,
                     .n_ff = kTwinFf,
                     .layer_norms = twin.layer_norms,
                     .n_expert = twin.n_expert,
                     .n_ff_shared = twin.n_ff_shared,
                     .experts = twin.stacked ? TinyExperts::stacked : TinyExperts::apart,
                     .window = twin.gemma ? kTwinWindow : twin.window};
  GgufWriter gguf;
  add_tiny_metadata(gguf, o);
  gguf.add(o.architecture + ".attention.key_length", kTwinHeadDim);
  gguf.add(o.architecture + ".attention.value_length", kTwinHeadDim);
  for (const auto& [key, number] : twin.numbers) gguf.add(o.architecture + "." + key, number);
  o.layer_norms = twin.norm_biases;
  TinyTensors tensors(gguf, o);
  tensors.matrix("token_embd.weight", kTwinEmbd, kTwinVocab);
  for (int il = 0; il < static_cast<int>(twin.n_layer); ++il) add_twin_layer(tensors, twin, o, il);
  tensors.norm("output_norm", kTwinEmbd);
  if (twin.has_output()) tensors.matrix("output.weight", kTwinEmbd, kTwinVocab);
  return gguf;
}

// "blk.0.attn_q.weight": "model.layers.0.self_attn.q_proj.weight".
inline std::string hugging_face_name(std::string name, const Twin& twin) {
  const std::array<std::pair<std::string, std::string>, 21> parts{{
      {"blk.", "model.layers."},
      {"token_embd", "model.embed_tokens"},
      {"output_norm", "model.norm"},
      {"attn_output", "self_attn.o_proj"},
      {"attn_qkv", "self_attn.qkv_proj"},
      {"attn_q_norm", "self_attn.q_norm"},
      {"attn_k_norm", "self_attn.k_norm"},
      {"attn_q.", "self_attn.q_proj."},
      {"attn_k.", "self_attn.k_proj."},
      {"attn_v.", "self_attn.v_proj."},
      {"attn_norm", "input_layernorm"},
      {"post_attention_norm", "post_attention_layernorm"},
      {"post_ffw_norm", "post_feedforward_layernorm"},
      {"ffn_norm", twin.gemma ? "pre_feedforward_layernorm" : "post_attention_layernorm"},
      {"ffn_gate_inp", "mlp.gate"},
      {"ffn_gate_exps", "mlp.switch_mlp.gate_proj"},
      {"ffn_up_exps", "mlp.switch_mlp.up_proj"},
      {"ffn_down_exps", "mlp.switch_mlp.down_proj"},
      {"ffn_up", twin.fused ? "mlp.gate_up_proj" : "mlp.up_proj"},
      {"ffn_gate", "mlp.gate_proj"},
      {"ffn_down", "mlp.down_proj"},
  }};
  if (name == "output.weight") return "lm_head.weight";
  const auto replace = [&name](const auto& pairs) {
    for (const auto& [from, to] : pairs)
      if (const auto at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
  };
  replace(twin.names);
  replace(parts);
  // "mlp.gate_proj.3.weight"
  const auto digit = name.find_last_of("0123456789");
  if (twin.n_expert > 0 && !twin.stacked && digit != name.npos && name.ends_with(".weight") &&
      digit + 2 == name.rfind("weight")) {
    const std::string expert = name.substr(digit, 2);
    name.erase(digit, 2);
    const std::size_t matrix = name.rfind('.', name.rfind('.') - 1) + 1;  // of "gate_proj.weight"
    name.insert(matrix, "experts." + expert);
  }
  return name;
}

// The bytes as the folder has them.
inline std::string bytes_for_folder(const GgufTensor& tensor, const Twin& twin) {
  std::string bytes(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
  const bool rotated = tensor.name.find(".attn_q.") != tensor.name.npos ||
                       tensor.name.find(".attn_k.") != tensor.name.npos;
  if (twin.neighbours && rotated) {
    const std::size_t n_rows =
        static_cast<std::size_t>(tensor.shape.size() > 1 ? tensor.shape[1] : tensor.shape[0]);
    const std::size_t row = bytes.size() / n_rows, half = kTwinHeadDim / 2;
    const std::string from = bytes;
    for (std::size_t i = 0; i < n_rows; ++i) {
      const std::size_t in_head = i % kTwinHeadDim;
      const std::size_t to = i - in_head + in_head / 2 + in_head % 2 * half;
      bytes.replace(to * row, row, from, i * row, row);
    }
  }
  if (twin.gemma && tensor.name.ends_with("norm.weight")) {
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      value -= 1;  // exact, as these are between 0.5 and 2
      std::memcpy(bytes.data() + at, &value, sizeof value);
    }
  }
  return bytes;
}

inline nlohmann::json tiny_config(const Twin& twin) {
  nlohmann::json config{{"architectures", {twin.of}},
                        {"hidden_size", kTwinEmbd},
                        {"num_hidden_layers", twin.n_layer},
                        {"num_attention_heads", kTwinHead},
                        {"num_key_value_heads", 1},
                        {"head_dim", kTwinHeadDim},
                        {"intermediate_size", kTwinFf},
                        {"max_position_embeddings", 512},
                        {"rope_theta", 10000.0},
                        {"tie_word_embeddings", !twin.has_output()}};
  if (!twin.layer_norms) config["rms_norm_eps"] = 1e-5;
  if (twin.gemma) config["sliding_window"] = kTwinWindow;
  if (twin.window > 0) config["sliding_window"] = twin.window;
  if (twin.n_expert > 0) {
    config["num_experts"] = twin.n_expert;
    config["num_experts_per_tok"] = 2;
    config["moe_intermediate_size"] = kTwinFf;
  }
  config.update(twin.config);
  return config;
}

inline nlohmann::json tiny_tokenizer() {
  using nlohmann::json;
  const TinyVocab vocab = tiny_vocab();
  json ids = json::object(), added = json::array();
  for (std::size_t i = 0; i < vocab.tokens.size(); ++i) {
    if (vocab.types[i] == 1) {
      ids[vocab.tokens[i]] = i;
    } else {
      added.push_back({{"id", i}, {"content", vocab.tokens[i]}, {"special", true}});
    }
  }
  return {{"model", {{"type", "BPE"}, {"vocab", ids}, {"merges", vocab.merges}}},
          {"added_tokens", added},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}}};
}

// All of the folder but weights.
inline void write_tiny_texts(const TempDir& folder, const Twin& twin) {
  folder.file("config.json", tiny_config(twin).dump());
  folder.file("tokenizer.json", tiny_tokenizer().dump());
  folder.file("tokenizer_config.json", nlohmann::json{{"bos_token", "<|endoftext|>"},
                                                      {"eos_token", {{"content", "<|im_end|>"}}},
                                                      {"add_bos_token", false},
                                                      {"chat_template", kTinyTemplate}}
                                           .dump());
}

// The tensor, or the matrices of the experts that it has where the folder has them apart. Names are
// kept in `names`.
inline std::vector<GgufTensor> as_in_folder(const GgufTensor& tensor, const Twin& twin,
                                            std::deque<std::string>& names) {
  const auto at = tensor.name.find("_exps.weight");
  if (at == tensor.name.npos || twin.stacked) return {tensor};
  std::vector<GgufTensor> experts;
  const std::size_t n_bytes = tensor.data.size() / twin.n_expert;
  for (std::uint32_t e = 0; e < twin.n_expert; ++e) {
    GgufTensor& expert = experts.emplace_back(tensor);
    expert.name = names.emplace_back(std::string(tensor.name.substr(0, at)) + "." +
                                     std::to_string(e) + ".weight");
    expert.shape.pop_back();
    expert.data = tensor.data.subspan(e * n_bytes, n_bytes);
  }
  return experts;
}

// The weights of `file` in so many shards; one: without an index.
inline void write_tiny_folder(const TempDir& folder, const Gguf& file, const Twin& twin,
                              std::size_t n_shards = 1) {
  write_tiny_texts(folder, twin);
  std::vector<SafetensorsWriter> shards(n_shards);
  nlohmann::json index{{"weight_map", nlohmann::json::object()}};
  std::deque<std::string> names;
  std::vector<GgufTensor> tensors;
  for (const GgufTensor& tensor : file.tensors())
    for (const GgufTensor& part : as_in_folder(tensor, twin, names)) tensors.push_back(part);
  std::size_t i = 0;
  for (const GgufTensor& tensor : tensors) {
    const std::size_t shard = i++ % n_shards;
    const std::string name = hugging_face_name(std::string(tensor.name), twin);
    shards[shard].add(name, std::string(kernels::info(tensor.dtype).name),
                      {tensor.shape.rbegin(), tensor.shape.rend()}, bytes_for_folder(tensor, twin));
    index["weight_map"][name] = "model-" + std::to_string(shard) + ".safetensors";
  }
  if (n_shards == 1) {
    folder.file("model.safetensors", shards.front().bytes());
    return;
  }
  for (std::size_t shard = 0; shard < n_shards; ++shard)
    folder.file("model-" + std::to_string(shard) + ".safetensors", shards[shard].bytes());
  folder.file("model.safetensors.index.json", index.dump());
}

}  // namespace confab::engine
