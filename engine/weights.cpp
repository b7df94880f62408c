// SPDX-License-Identifier: MIT
#include "engine/weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "engine/gguf.h"
#include "engine/hparams.h"

namespace confab::engine {
namespace {

enum class Bias { none, optional, required };

// Finds tensors by name and checks them against what the sizes of the model ask for.
class TensorReader {
 public:
  explicit TensorReader(const Gguf& gguf) : gguf_(gguf) {}

  // NAME.weight [n_rows, n_cols] and NAME.bias [n_rows].
  Matrix matrix(const std::string& name, std::int64_t n_rows, std::int64_t n_cols,
                Bias bias) const {
    const GgufTensor& tensor = checked(name + ".weight", {n_cols, n_rows});
    Matrix m;
    m.rows = {tensor.dtype, tensor.data.data(), n_cols, kernels::row_bytes(tensor.dtype, n_cols)};
    m.n_rows = n_rows;
    const bool has_bias = gguf_.find_tensor(name + ".bias") != nullptr;
    if (bias == Bias::required || (bias == Bias::optional && has_bias)) {
      m.bias = vector(name + ".bias", n_rows);
    }
    return m;
  }

  const float* vector(const std::string& name, std::int64_t n) const {
    const GgufTensor& tensor = checked(name, {n});
    if (tensor.dtype != kernels::Dtype::F32) {
      gguf_.fail(fmt::format("tensor {} has type {}, expected F32", name,
                             kernels::info(tensor.dtype).name));
    }
    // The format aligns tensors to 8 bytes or more; what is borrowed as floats is checked anyway.
    if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(float) != 0) {
      gguf_.fail(fmt::format("tensor {} is not aligned", name));
    }
    return reinterpret_cast<const float*>(tensor.data.data());
  }

  const float* rope_freqs(int n) const {
    const std::string name = "rope_freqs.weight";
    if (gguf_.find_tensor(name) == nullptr) return nullptr;
    const float* factors = vector(name, n);
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(factors[i]) || factors[i] <= 0) {
        gguf_.fail(
            fmt::format("tensor {} has the value {}, expected positive ones", name, factors[i]));
      }
    }
    return factors;
  }

  bool has(const std::string& name) const { return gguf_.find_tensor(name) != nullptr; }

 private:
  const GgufTensor& checked(const std::string& name, const std::vector<std::int64_t>& want) const {
    const GgufTensor* tensor = gguf_.find_tensor(name);
    if (tensor == nullptr) gguf_.fail(fmt::format("tensor {} is missing", name));
    std::vector<std::int64_t> shape = tensor->shape;
    while (shape.size() > want.size() && shape.back() == 1) shape.pop_back();
    if (shape != want) {
      gguf_.fail(fmt::format("tensor {} has shape {}, expected {}", name, tensor->shape, want));
    }
    return *tensor;
  }

  const Gguf& gguf_;
};

LayerWeights load_layer(const TensorReader& tensors, const Hparams& hp, int il) {
  const auto name = [&](const char* rest) { return fmt::format("blk.{}.{}", il, rest); };
  const Bias qkv_bias = hp.has_qkv_bias ? Bias::required : Bias::optional;
  const std::int64_t n_q = std::int64_t{hp.n_head} * hp.head_dim_k;
  const std::int64_t n_k = std::int64_t{hp.n_head_kv} * hp.head_dim_k;
  const std::int64_t n_v = std::int64_t{hp.n_head_kv} * hp.head_dim_v;
  const std::int64_t n_att = std::int64_t{hp.n_head} * hp.head_dim_v;
  LayerWeights w;
  w.attn_norm = tensors.vector(name("attn_norm.weight"), hp.n_embd);
  w.attn_q = tensors.matrix(name("attn_q"), n_q, hp.n_embd, qkv_bias);
  w.attn_k = tensors.matrix(name("attn_k"), n_k, hp.n_embd, qkv_bias);
  w.attn_v = tensors.matrix(name("attn_v"), n_v, hp.n_embd, qkv_bias);
  w.attn_output = tensors.matrix(name("attn_output"), hp.n_embd, n_att, Bias::optional);
  w.ffn_norm = tensors.vector(name("ffn_norm.weight"), hp.n_embd);
  w.ffn_gate = tensors.matrix(name("ffn_gate"), hp.n_ff, hp.n_embd, Bias::optional);
  w.ffn_up = tensors.matrix(name("ffn_up"), hp.n_ff, hp.n_embd, Bias::optional);
  w.ffn_down = tensors.matrix(name("ffn_down"), hp.n_embd, hp.n_ff, Bias::optional);
  return w;
}

}  // namespace

Weights Weights::load(const Gguf& gguf, const Hparams& hparams) {
  const TensorReader tensors(gguf);
  const int n_vocab = hparams.n_vocab, n_embd = hparams.n_embd;
  Weights w;
  w.token_embd = tensors.matrix("token_embd", n_vocab, n_embd, Bias::none);
  for (int il = 0; il < hparams.n_layer; ++il) {
    w.layers.push_back(load_layer(tensors, hparams, il));
  }
  w.output_norm = tensors.vector("output_norm.weight", n_embd);
  w.output = tensors.has("output.weight")
                 ? tensors.matrix("output", n_vocab, n_embd, Bias::optional)
                 : w.token_embd;
  w.rope_freqs = tensors.rope_freqs(hparams.n_rot / 2);
  return w;
}

}  // namespace confab::engine
