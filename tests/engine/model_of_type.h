// SPDX-License-Identifier: MIT
// A model whose matrices are random blocks of a type.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "kernels/isa.h"
#include "tests/engine/tiny_model.h"
#include "tests/kernels/testing.h"

namespace confab::engine {

// Writes a model of one layer whose matrices are random blocks of a type, or what these stand for;
// with n_expert, a mixture of so many, whose router alone is of floats. loudness: of what the
// experts read; what they add to a token grows with its square.
class ModelOfType {
 public:
  ModelOfType(const kernels::DtypeInfo& type, bool decoded, std::uint32_t width = 256,
              std::uint32_t n_expert = 0, float loudness = 1)
      : type_(type), decoded_(decoded), width_(width), loudness_(loudness) {
    add_tiny_metadata(gguf_, {.n_layer = 1,
                              .n_embd = width_,
                              .n_head = width_ / 128,
                              .n_head_kv = width_ / 256,
                              .n_ff = width_,
                              .n_expert = n_expert});
    matrix("token_embd", 300);
    vector("blk.0.attn_norm", matrix("blk.0.attn_q", width_));
    matrix("blk.0.attn_k", width_ / 2);
    matrix("blk.0.attn_v", width_ / 2);
    matrix("blk.0.attn_output", width_);
    if (n_expert > 0) {
      experts(n_expert);
    } else {
      vector("blk.0.ffn_norm", matrix("blk.0.ffn_gate", width_));
      matrix("blk.0.ffn_up", width_);
      matrix("blk.0.ffn_down", width_);
    }
    vector("output_norm", 1);
    matrix("output", 300);
  }
  std::string bytes() const { return gguf_.bytes(); }

 private:
  void experts(std::uint32_t n) {
    const float factor = matrix("blk.0.ffn_gate_exps", width_, n);
    vector("blk.0.ffn_norm", factor * loudness_);
    matrix("blk.0.ffn_up_exps", width_, n);
    matrix("blk.0.ffn_down_exps", width_, n);
    std::vector<float> router(std::size_t{n} * width_);
    for (float& value : router)
      value = (static_cast<float>(rng_() >> 8) / static_cast<float>(1 << 23) - 1) / factor /
              loudness_ / 4;
    gguf_.add_tensor("blk.0.ffn_gate_inp.weight", {width_, n}, router);
  }

  // The factor by which inputs of order 1 are to be multiplied to give such outputs.
  float matrix(const std::string& name, std::int64_t n_rows, std::int64_t n_matrices = 1) {
    std::vector<std::int64_t> shape{width_, n_rows};
    if (n_matrices > 1) shape.push_back(n_matrices);
    n_rows *= n_matrices;
    const std::int64_t n = std::int64_t{width_} * n_rows;
    const auto blocks =
        kernels::testing::random_weights(rng_, type_.dtype, static_cast<std::size_t>(n));
    std::vector<float> values(static_cast<std::size_t>(n));
    kernels::kernel_table(kernels::Isa::scalar)
        ->decode_row(type_.dtype, blocks.data(), n, values.data());
    if (decoded_) {
      gguf_.add_tensor(name + ".weight", shape, values);
    } else {
      gguf_.add_tensor(name + ".weight", static_cast<std::uint32_t>(type_.dtype), shape,
                       {reinterpret_cast<const char*>(blocks.data()), blocks.size()});
    }
    double squares = 0;
    for (const float value : values) squares += double{value} * double{value};
    return static_cast<float>(1 / std::sqrt(squares / static_cast<double>(n_rows)));
  }
  void vector(const std::string& name, float value) {
    gguf_.add_tensor(name + ".weight", {width_}, std::vector<float>(width_, value));
  }

  const kernels::DtypeInfo& type_;
  bool decoded_;
  std::uint32_t width_;
  float loudness_;
  std::mt19937 rng_{20261121};
  GgufWriter gguf_;
};

}  // namespace confab::engine
