// SPDX-License-Identifier: MIT
#include "tests/engine/gpu/self_test/sample.h"

#include <algorithm>
#include <set>

#include "engine/gpu/gpu_weights.h"
#include "engine/model/products.h"

namespace confab::engine {
namespace {

constexpr std::uint64_t kExpectedBytes = 1 << 20;  // of the weights of a sample

bool is_of_floats(const Matrix& m) noexcept {
  return m.n_rows > 0 && kernels::info(m.rows.dtype).block == 1;
}

// Layers with the same of these are run by the same programs, but for the formats of their weights.
std::vector<int> kind_of(const LayerPlan& layer) {
  const LayerHparams& s = layer.shape;
  const LayerWeights& w = layer.weights;
  std::vector<int> kind{s.n_head,      s.n_head_kv,  s.head_dim_k, s.head_dim_v,       s.n_ff,
                        s.has_experts, s.window > 0, s.rope,       w.ffn_up.n_rows > 0};
  for (const Matrix* m : {&w.attn_q, &w.attn_output, &w.ffn_up, &w.ffn_down})
    kind.push_back(is_of_floats(*m) ? 1 : 0);
  return kind;
}

// All experts are the first one, each with its own scale.
void thin(std::vector<Matrix>& experts) {
  for (Matrix& m : experts) {
    const float scale = m.scale;
    m = experts.front();
    m.n_rows = std::min<std::int64_t>(m.n_rows, 1);
    m.scale = scale;
  }
}

LayerWeights thinned(LayerWeights w) {
  ExpertWeights& e = w.experts;
  for (Matrix* m :
       {&w.attn_q, &w.attn_k, &w.attn_v, &w.attn_output, &w.ffn_gate, &w.ffn_up, &w.ffn_down,
        &e.router, &e.shared_router, &e.shared_gate, &e.shared_up, &e.shared_down})
    m->n_rows = std::min<std::int64_t>(m->n_rows, 1);
  for (std::vector<Matrix>* experts : {&e.gate, &e.up, &e.down}) thin(*experts);
  return w;
}

bool is_in_planes(const Matrix& m) {
  return RowPlanes::of(m.rows).has_value();
}

void note_use(SampledFormat& format, std::string_view name) {
  if (name.starts_with("ffn_gate_inp")) {
    format.are_kept = true;
  } else if (name.starts_with("ffn_gate") || name.starts_with("ffn_up")) {
    format.are_gated = true;
  } else if (name.starts_with("ffn_down_exp")) {
    format.are_summed = true;
  } else if (name == "ffn_down" || name == "attn_output") {
    format.are_added = true;
  } else {
    format.are_kept = true;
  }
}

}  // namespace

ModelPart sample_of(ModelView model) {
  ModelPart part{model.hparams, model.weights};
  Hparams& hp = part.hparams;
  Weights& w = part.weights;
  hp.layers.clear();
  w.layers.clear();
  std::set<std::vector<int>> seen;
  for (const LayerPlan& layer : Plan(model.hparams, model.weights).layers) {
    if (!layer.has_own_keys() || !seen.insert(kind_of(layer)).second) continue;
    hp.layers.push_back(layer.shape);
    w.layers.push_back(thinned(layer.weights));
  }
  hp.n_layer = static_cast<int>(hp.layers.size());
  w.nextn = {};
  w.token_embd.n_rows = std::min(w.token_embd.n_rows, kSampleRows);
  w.output.n_rows = std::min<std::int64_t>(w.output.n_rows, 1);
  w.n_bytes = kExpectedBytes;
  return part;
}

std::vector<SampledFormat> formats_of(const Plan& plan) {
  std::vector<SampledFormat> formats;
  for_each_product(plan, [&](const Product& product) {
    if (product.n_packed == 0) return;
    const bool of_experts = product.is_of_experts(), planes = is_in_planes(product.matrix);
    const kernels::Dtype dtype = product.matrix.rows.dtype;
    auto format = std::ranges::find_if(formats, [&](const SampledFormat& f) {
      return f.dtype == dtype && f.of_experts == of_experts && f.in_planes == planes;
    });
    if (format == formats.end())
      format = formats.insert(formats.end(),
                              {dtype, planes, of_experts, false, false, false, false, {}});
    note_use(*format, product.name);
    if (product.matrix.n_rows > format->matrix.n_rows) format->matrix = product.matrix;
  });
  return formats;
}

Matrix cut(const Matrix& matrix, std::int64_t n_rows, std::int64_t n_cols) {
  Matrix made = matrix;
  const std::int64_t block = kernels::info(matrix.rows.dtype).block;
  const auto narrow_to = [&](std::int64_t n) {
    made.rows.n_cols = n;
    made.rows.row_bytes = kernels::row_bytes(matrix.rows.dtype, n);
  };
  const std::int64_t n_bytes = static_cast<std::int64_t>(matrix.rows.row_bytes) * matrix.n_rows;
  const std::int64_t step = std::max<std::int64_t>(block, 32);
  for (std::int64_t n = step; n < matrix.rows.n_cols; n += step) {
    narrow_to(n);
    if (n >= n_cols && is_in_planes(made) == is_in_planes(matrix)) break;
    narrow_to(matrix.rows.n_cols);
  }
  const std::int64_t n_there = n_bytes / static_cast<std::int64_t>(made.rows.row_bytes);
  made.n_rows = std::min(n_rows, n_there);
  if (made.n_rows > 32) made.n_rows = made.n_rows / 32 * 32;
  made.bias = matrix.n_rows >= made.n_rows ? matrix.bias : nullptr;
  return made;
}

}  // namespace confab::engine
