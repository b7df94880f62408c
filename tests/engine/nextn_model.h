// SPDX-License-Identifier: MIT
// Models with a head of their own that guesses further tokens, made of models without.
#pragma once

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/gguf/gguf.h"
#include "tests/engine/tiny_model.h"

namespace confab::engine {

inline void copy_key(GgufWriter& to, const GgufKey& key) {
  const auto copy = [&](const auto& value) {
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, GgufArray>) {
      std::visit([&](const auto& values) { to.add_array(key.name, values); }, value);
    } else {
      to.add(key.name, value);
    }
  };
  std::visit(copy, key.value);
}

inline void copy_tensor(GgufWriter& to, const GgufTensor& tensor, const std::string& name) {
  to.add_tensor(name, static_cast<std::uint32_t>(tensor.dtype), tensor.shape,
                {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()});
}

// Copies the tensors of a layer as those of another one.
using CopyTensor = void (*)(GgufWriter& to, const GgufTensor& tensor, const std::string& name);

inline void copy_layer(GgufWriter& to, const Gguf& from, std::uint32_t il, std::uint32_t as,
                       CopyTensor copy) {
  const std::string prefix = "blk." + std::to_string(il) + ".";
  for (const GgufTensor& tensor : from.tensors()) {
    const std::string name(tensor.name);
    if (name.starts_with(prefix))
      copy(to, tensor, "blk." + std::to_string(as) + "." + name.substr(prefix.size()));
  }
}

struct NextnOptions {
  std::uint32_t block = 0;  // the layer whose copy is the block of the head; it attends
  bool own_norm = true;     // shared_head_norm, else output_norm serves
  bool own_tables = false;  // embed_tokens and shared_head_head
  // The model's layers add nothing, and the head guesses what it will say: the next token follows
  // from the last one.
  bool knows = false;
};

inline void copy_as_zeros(GgufWriter& to, const GgufTensor& tensor, const std::string& name) {
  to.add_tensor(name, static_cast<std::uint32_t>(tensor.dtype), tensor.shape,
                std::string(tensor.data.size(), '\0'));
}

inline void copy_layer_tensor_that_adds_nothing(GgufWriter& to, const GgufTensor& tensor,
                                                const std::string& name) {
  const bool adds = name.ends_with("attn_output.weight") || name.ends_with("ssm_out.weight") ||
                    name.ends_with("ffn_down.weight");
  (adds ? copy_as_zeros : copy_tensor)(to, tensor, name);
}

// The embedding is passed on as it is.
inline void add_passing_on(GgufWriter& to, const std::string& nextn, std::int64_t n_embd) {
  const auto n = static_cast<std::size_t>(n_embd);
  std::vector<float> identity(2 * n * n);
  for (std::size_t i = 0; i < n; ++i) identity[i * 2 * n + i] = 1;
  to.add_tensor(nextn + "eh_proj.weight", {2 * n_embd, n_embd}, identity);
  const std::vector<float> ones(n, 1.0F);
  to.add_tensor(nextn + "enorm.weight", {n_embd}, ones);
  to.add_tensor(nextn + "hnorm.weight", {n_embd}, ones);
}

// The model with a head after its layers, of random weights but for its block.
inline GgufWriter with_nextn(const Gguf& model, const NextnOptions& o) {
  const std::string architecture(*model.find_string("general.architecture"));
  const auto number = [&](const std::string& name) {
    return static_cast<std::uint32_t>(*model.find_int(architecture + "." + name));
  };
  const std::uint32_t n_layer = number("block_count");
  const std::int64_t n_embd = number("embedding_length");
  GgufWriter to;
  for (const GgufKey& key : model.keys()) copy_key(to, key);
  to.remove(architecture + ".block_count").add(architecture + ".block_count", n_layer + 1);
  to.add(architecture + ".nextn_predict_layers", 1U);
  const CopyTensor copy = o.knows ? copy_layer_tensor_that_adds_nothing : copy_tensor;
  for (const GgufTensor& tensor : model.tensors()) copy(to, tensor, std::string(tensor.name));
  copy_layer(to, model, o.block, n_layer, copy);
  const std::string nextn = "blk." + std::to_string(n_layer) + ".nextn.";
  if (o.knows) {
    add_passing_on(to, nextn, n_embd);
    return to;
  }
  TinyTensors tensors(to, {.seed = 77});
  tensors.matrix(nextn + "eh_proj.weight", 2 * n_embd, n_embd);
  tensors.norm(nextn + "enorm", n_embd);
  tensors.norm(nextn + "hnorm", n_embd);
  if (o.own_norm) tensors.norm(nextn + "shared_head_norm", n_embd);
  if (!o.own_tables) return to;
  const std::int64_t n_vocab = model.find_tensor("token_embd.weight")->shape[1];
  tensors.matrix(nextn + "embed_tokens.weight", n_embd, n_vocab);
  tensors.matrix(nextn + "shared_head_head.weight", n_embd, n_vocab);
  return to;
}

}  // namespace confab::engine
