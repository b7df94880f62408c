// SPDX-License-Identifier: MIT
#include "engine/model/expert_weights.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "engine/gguf/row_order.h"
#include "engine/model/hparams.h"
#include "engine/model/tensor_reader.h"

namespace confab::engine {
namespace {

class ExpertReader {
 public:
  ExpertReader(const TensorReader& tensors, const Hparams& hp, int il)
      : tensors_(tensors), hp_(hp), experts_(hp.experts), il_(il) {}

  ExpertWeights load() const {
    ExpertWeights w;
    if (experts_.beside_plain) {
      load_norms(w);
    } else {
      w.router = tensors_.matrix(name("ffn_gate_inp"), experts_.n_expert, hp_.n_embd, bias());
    }
    if (tensors_.has(name("exp_probs_b.bias"))) {
      w.selection_bias = tensors_.vector(name("exp_probs_b.bias"), experts_.n_expert);
    }
    load_gate_and_up(w);
    w.down = matrices("ffn_down", hp_.n_embd, experts_.n_ff);
    if (experts_.n_ff_shared > 0) load_shared(w);
    return w;
  }

 private:
  std::string name(std::string_view rest) const { return fmt::format("blk.{}.{}", il_, rest); }
  Bias bias() const noexcept { return experts_.has_biases ? Bias::required : Bias::optional; }

  void load_gate_and_up(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff;
    if (tensors_.has(name(kGateUpPairs))) return load_pairs(w);
    if (!tensors_.has(name("ffn_gate_up_exps.weight"))) {
      w.gate = matrices("ffn_gate", n_ff, hp_.n_embd);
      w.up = matrices("ffn_up", n_ff, hp_.n_embd);
      return;
    }
    for (const Matrix& both : tensors_.matrices(name("ffn_gate_up_exps"), experts_.n_expert,
                                                2 * n_ff, hp_.n_embd, bias())) {
      w.gate.push_back(rows_of(both, 0, n_ff));
      w.up.push_back(rows_of(both, n_ff, n_ff));
    }
  }

  void load_pairs(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff, n_embd = hp_.n_embd;
    tensors_.expect_dtype(name(kGateUpPairs), kernels::Dtype::E2M1);  // of whole blocks
    const std::string pairs = name(kGateUpPairs.substr(0, kGateUpPairs.rfind('.')));
    for (const Matrix& both :
         tensors_.matrices(pairs, experts_.n_expert, n_ff, 2 * n_embd, Bias::none)) {
      w.gate.push_back(columns_of(both, 0, n_embd));
      w.up.push_back(columns_of(both, n_embd, n_embd));
    }
    add_biases(w.gate, "ffn_gate_exps.bias");
    add_biases(w.up, "ffn_up_exps.bias");
  }

  // [n_expert] vectors of a bias for each row.
  void add_biases(std::vector<Matrix>& matrices, std::string_view rest) const {
    const float* bias = tensors_.vectors(name(rest), matrices.front().n_rows, std::ssize(matrices));
    for (Matrix& matrix : matrices) {
      matrix.bias = bias;
      bias += matrix.n_rows;
    }
  }

  // [n_expert] matrices [n_rows, n_cols].
  std::vector<Matrix> matrices(std::string_view rest, std::int64_t n_rows,
                               std::int64_t n_cols) const {
    const std::string first = fmt::format("{}.0", name(rest));
    if (!tensors_.has(first + ".weight")) {
      return tensors_.matrices(name(rest) + "_exps", experts_.n_expert, n_rows, n_cols, bias());
    }
    std::vector<Matrix> all;
    for (int e = 0; e < experts_.n_expert; ++e) {
      const std::string one = fmt::format("{}.{}", name(rest), e);
      all.push_back(tensors_.matrix(one, n_rows, n_cols, Bias::optional));
      tensors_.expect_dtype(one + ".weight", all.front().rows.dtype);
    }
    return all;
  }

  // The router's scales are the weights of its norm; what it reads is also divided by sqrt(n_embd).
  void load_norms(ExpertWeights& w) const {
    w.router = tensors_.weight(name("ffn_gate_inp"), experts_.n_expert, hp_.n_embd);
    w.router.scale = 1 / std::sqrt(static_cast<float>(hp_.n_embd));
    w.router_norm = {.weight = tensors_.vector(name("ffn_gate_inp.scale"), hp_.n_embd)};
    w.norm = tensors_.norm(name("pre_ffw_norm_2"), hp_.n_embd, Bias::none);
    w.post_norm = tensors_.norm(name("post_ffw_norm_2"), hp_.n_embd, Bias::none);
    w.plain_post_norm = tensors_.norm(name("post_ffw_norm_1"), hp_.n_embd, Bias::none);
  }

  void load_shared(ExpertWeights& w) const {
    const std::int64_t n_ff = experts_.n_ff_shared;
    w.shared_gate = tensors_.matrix(name("ffn_gate_shexp"), n_ff, hp_.n_embd, Bias::optional);
    w.shared_up = tensors_.matrix(name("ffn_up_shexp"), n_ff, hp_.n_embd, Bias::optional);
    w.shared_down = tensors_.matrix(name("ffn_down_shexp"), hp_.n_embd, n_ff, Bias::optional);
    if (!experts_.shared_gate) return;
    w.shared_router = tensors_.matrix(name("ffn_gate_inp_shexp"), 1, hp_.n_embd, Bias::none);
  }

  const TensorReader& tensors_;
  const Hparams& hp_;
  const ExpertHparams& experts_;
  int il_;
};

}  // namespace

ExpertWeights load_experts(const TensorReader& tensors, const Hparams& hparams, int il) {
  return ExpertReader(tensors, hparams, il).load();
}

}  // namespace confab::engine
