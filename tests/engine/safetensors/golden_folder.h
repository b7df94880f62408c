// SPDX-License-Identifier: MIT
// Golden models (tests/data/arch) as the folders of Hugging Face's that they could be made of:
// other names, and for some tensors other values or another order. It undoes what llama.cpp's
// converter does (conversion/qwen.py, deepseek.py).
#pragma once

#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "engine/gguf/gguf.h"
#include "tests/engine/golden_cases.h"
#include "tests/engine/safetensors/safetensors_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {

struct FolderTensor {
  std::vector<std::int64_t> shape;  // outermost first
  std::vector<float> values;

  std::int64_t row() const { return shape.back(); }
  std::int64_t n_rows() const { return std::ssize(values) / row(); }
};
using FolderTensors = std::map<std::string, FolderTensor>;  // by their names in GGUF, then theirs

inline FolderTensors tensors_of(const Gguf& gguf) {
  FolderTensors all;
  for (const GgufTensor& tensor : gguf.tensors()) {
    FolderTensor& to = all[std::string(tensor.name)];
    to.shape.assign(tensor.shape.rbegin(), tensor.shape.rend());
    to.values.resize(static_cast<std::size_t>(tensor.n_elements()));
    std::memcpy(to.values.data(), tensor.data.data(), tensor.data.size());
  }
  return all;
}

// The rows that source(i) says, n of them.
inline FolderTensor with_rows(const FolderTensor& from, std::int64_t n,
                              const std::function<std::int64_t(std::int64_t)>& source) {
  FolderTensor to{from.shape, {}};
  to.shape[to.shape.size() > 1 ? to.shape.size() - 2 : 0] = n;
  const std::int64_t row = from.shape.size() > 1 ? from.row() : 1;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = from.values.begin() + source(i) * row;
    to.values.insert(to.values.end(), at, at + row);
  }
  return to;
}

inline FolderTensor joined(const FolderTensor& a, const FolderTensor& b) {
  FolderTensor both = a;
  both.shape[0] += b.shape[0];
  both.values.insert(both.values.end(), b.values.begin(), b.values.end());
  return both;
}

inline FolderTensor transposed(const FolderTensor& from) {
  FolderTensor to{{from.shape[1], from.shape[0]}, {}};
  for (std::int64_t c = 0; c < from.shape[1]; ++c)
    for (std::int64_t r = 0; r < from.shape[0]; ++r)
      to.values.push_back(from.values[static_cast<std::size_t>(r * from.shape[1] + c)]);
  return to;
}

// Latent attention's matrices of keys, transposed, and of values, as one.
inline void join_latent(FolderTensors& tensors, const std::string& block) {
  const auto keys = tensors.extract(block + "attn_k_b.weight"),
             values = tensors.extract(block + "attn_v_b.weight");
  const auto& k = keys.mapped().shape;  // [n_head, rank, nope]
  const auto& v = values.mapped().shape;
  FolderTensor& to = tensors[block + "attn_kv_b.weight"];
  to.shape = {k[0] * (k[2] + v[1]), k[1]};
  const auto part = [](const FolderTensor& of, std::int64_t head) {
    const std::int64_t n = of.shape[1] * of.shape[2];
    return FolderTensor{{of.shape[1], of.shape[2]},
                        {of.values.begin() + head * n, of.values.begin() + (head + 1) * n}};
  };
  for (std::int64_t head = 0; head < k[0]; ++head) {
    const FolderTensor of_head =
        joined(transposed(part(keys.mapped(), head)), part(values.mapped(), head));
    to.values.insert(to.values.end(), of_head.values.begin(), of_head.values.end());
  }
}

struct DeltaNetSizes {
  std::int64_t n_keys, n_values, d_state;
  std::int64_t n_shared() const { return n_values / n_keys; }
};

// q, k and v, and z, of each key head together.
inline void group_by_key_head(FolderTensors& tensors, const std::string& block,
                              const DeltaNetSizes& net) {
  const auto qkv = tensors.extract(block + "attn_qkv.weight"),
             z = tensors.extract(block + "attn_gate.weight");
  if (qkv.empty()) return;
  const std::int64_t dim = net.d_state, n_value = net.n_shared() * dim;
  const std::int64_t group = 2 * dim + 2 * n_value, n_channels = qkv.mapped().shape[0];
  tensors[block + "ssm_in.weight"] =
      with_rows(joined(qkv.mapped(), z.mapped()), net.n_keys * group, [&](std::int64_t i) {
        const std::int64_t head = i / group, at = i % group;
        if (at < dim) return head * dim + at;
        if (at < 2 * dim) return (net.n_keys + head) * dim + at - dim;
        if (at < 2 * dim + n_value) return 2 * net.n_keys * dim + head * n_value + at - 2 * dim;
        return n_channels + head * n_value + at - 2 * dim - n_value;
      });
}

// Value heads that stand in the order of GGUF, by their key heads.
inline void order_by_key_head(FolderTensors& tensors, const std::string& block,
                              const DeltaNetSizes& net) {
  const auto reorder = [&](const char* name, std::int64_t first, std::int64_t head) {
    const auto found = tensors.find(block + name);
    if (found == tensors.end()) return;
    found->second = with_rows(found->second, first + net.n_values * head, [&](std::int64_t i) {
      if (i < first) return i;
      const std::int64_t of = (i - first) / head;
      return first + (of % net.n_shared() * net.n_keys + of / net.n_shared()) * head +
             (i - first) % head;
    });
  };
  const std::int64_t n_before = 2 * net.n_keys * net.d_state;
  reorder("attn_qkv.weight", n_before, net.d_state);
  reorder("ssm_conv1d.weight", n_before, net.d_state);
  reorder("attn_gate.weight", 0, net.d_state);
  for (const char* name : {"ssm_a", "ssm_dt.bias", "ssm_beta.weight", "ssm_alpha.weight"})
    reorder(name, 0, 1);
  const auto out = tensors.find(block + "ssm_out.weight");
  if (out == tensors.end()) return;
  out->second = transposed(out->second);
  reorder("ssm_out.weight", 0, net.d_state);
  out->second = transposed(out->second);
}

// Betas and alphas, which stand together by key heads, as two matrices.
inline void take_gates_apart(FolderTensors& tensors, const std::string& block,
                             const DeltaNetSizes& net) {
  const auto both = tensors.extract(block + "ssm_ba.weight");
  if (both.empty()) return;
  const auto take = [&](std::int64_t first) {
    return with_rows(both.mapped(), net.n_values, [&](std::int64_t i) {
      return i / net.n_shared() * 2 * net.n_shared() + first + i % net.n_shared();
    });
  };
  tensors[block + "ssm_beta.weight"] = take(0);
  tensors[block + "ssm_alpha.weight"] = take(net.n_shared());
}

// The experts of a layer as transformers 5 has them.
inline void join_gate_and_up(FolderTensors& tensors, const std::string& block) {
  const auto gate = tensors.extract(block + "ffn_gate_exps.weight"),
             up = tensors.extract(block + "ffn_up_exps.weight");
  const std::vector<std::int64_t>& shape = gate.mapped().shape;
  const std::int64_t n = shape[1] * shape[2];
  FolderTensor& both = tensors[block + "ffn_gate_up_exps.weight"];
  both.shape = {shape[0], 2 * shape[1], shape[2]};
  for (std::int64_t e = 0; e < shape[0]; ++e)
    for (const FolderTensor* part : {&gate.mapped(), &up.mapped()})
      both.values.insert(both.values.end(), part->values.begin() + e * n,
                         part->values.begin() + (e + 1) * n);
}

// Norms of Qwen's hybrids are one less, decays are logarithms, convolutions have a channel more.
inline void undo_values(const std::string& name, FolderTensor& tensor) {
  if (name.ends_with("norm.weight") && !name.ends_with("ssm_norm.weight"))
    for (float& value : tensor.values) value -= 1;
  if (name.ends_with(".ssm_a"))
    for (float& value : tensor.values) value = std::log(-value);
  if (name.ends_with("ssm_conv1d.weight")) tensor.shape = {tensor.shape[0], 1, tensor.shape[1]};
}

// A stack of experts as tensors of their own.
inline void take_experts_apart(FolderTensors& tensors) {
  FolderTensors apart;
  std::erase_if(tensors, [&](const auto& one) {
    const auto& [name, stack] = one;
    const auto at = name.find("_exps.weight");
    if (at == name.npos) return false;
    const std::int64_t n = stack.shape[1] * stack.shape[2];
    for (std::int64_t e = 0; e < stack.shape[0]; ++e)
      apart[name.substr(0, at) + "." + std::to_string(e) + ".weight"] = {
          {stack.shape[1], stack.shape[2]},
          {stack.values.begin() + e * n, stack.values.begin() + (e + 1) * n}};
    return true;
  });
  tensors.merge(apart);
}

using TensorNames = std::vector<std::pair<std::string, std::string>>;

// "blk.0.ffn_gate.3.weight": "model.layers.0.mlp.experts.3.gate_proj.weight".
inline std::string folder_name(std::string name, const TensorNames& own) {
  static const TensorNames kCommon = {{"token_embd", "model.embed_tokens"},
                                      {"output_norm", "model.norm"},
                                      {"attn_norm", "input_layernorm"},
                                      {"attn_q_norm", "self_attn.q_norm"},
                                      {"attn_k_norm", "self_attn.k_norm"},
                                      {"attn_q.", "self_attn.q_proj."},
                                      {"attn_k.", "self_attn.k_proj."},
                                      {"attn_v.", "self_attn.v_proj."},
                                      {"attn_output", "self_attn.o_proj"},
                                      {"post_attention_norm", "post_attention_layernorm"},
                                      {"ffn_norm", "post_attention_layernorm"},
                                      {"post_ffw_norm", "post_feedforward_layernorm"},
                                      {"ffn_gate_inp.", "mlp.gate."},
                                      {"ffn_gate_up_exps.weight", "mlp.experts.gate_up_proj"},
                                      {"ffn_down_exps.weight", "mlp.experts.down_proj"},
                                      {"ffn_gate.", "mlp.gate_proj."},
                                      {"ffn_up.", "mlp.up_proj."},
                                      {"ffn_down.", "mlp.down_proj."}};
  if (name == "output.weight") return "lm_head.weight";
  if (name.starts_with("blk.")) name.replace(0, 4, "model.layers.");
  const auto replace = [&name](const TensorNames& names) {
    for (const auto& [from, to] : names)
      if (const auto at = name.find(from); at != name.npos)
        return name.replace(at, from.size(), to), true;
    return false;
  };
  if (!replace(own)) replace(kCommon);
  // "mlp.gate_proj.3.weight"
  const auto at = name.find("_proj."), end = name.rfind(".weight");
  if (at == name.npos || end == name.npos || at + 5 >= end) return name;
  const std::string expert = name.substr(at + 6, end - at - 6);
  name.erase(at + 5, end - at - 5);
  return name.insert(name.find("mlp.") + 4, "experts." + expert + ".");
}

// The texts of a model whose tokens are its numbers.
inline void write_bare_texts(const TempDir& folder, const nlohmann::json& config, int n_vocab) {
  nlohmann::json ids = nlohmann::json::object();
  for (int i = 0; i < n_vocab; ++i) ids["t" + std::to_string(i)] = i;
  folder.file("config.json", config.dump());
  folder.file("tokenizer.json",
              nlohmann::json{
                  {"model", {{"type", "BPE"}, {"vocab", ids}, {"merges", nlohmann::json::array()}}},
                  {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}}}
                  .dump());
}

inline void write_golden_folder(const TempDir& folder, const nlohmann::json& config,
                                const FolderTensors& tensors, const TensorNames& own) {
  write_bare_texts(folder, config, static_cast<int>(tensors.at("token_embd.weight").shape[0]));
  SafetensorsWriter writer;
  for (const auto& [name, tensor] : tensors)
    writer.add(folder_name(name, own), "F32", tensor.shape,
               {reinterpret_cast<const char*>(tensor.values.data()),
                tensor.values.size() * sizeof(float)});
  folder.file("model.safetensors", writer.bytes());
}

inline GoldenCase golden_case(const std::string& name) {
  return {name, std::filesystem::path(CONFAB_SOURCE_DIR) / "tests/data/arch" / name};
}

}  // namespace confab::engine
