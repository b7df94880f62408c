// SPDX-License-Identifier: MIT
#include "app/tools/model_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "engine/cache/kv_layout.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/gguf/quantize.h"
#include "engine/model/hparams.h"

namespace confab::app {
namespace {

using kernels::Dtype;

// Source: config.json of each model on Hugging Face (meta-llama/Llama-3.2-3B-Instruct,
// meta-llama/Llama-3.1-8B-Instruct, Qwen/Qwen2.5-14B-Instruct, Qwen/Qwen2.5-32B-Instruct,
// meta-llama/Llama-3.1-70B-Instruct, meta-llama/Llama-3.1-405B-Instruct, Qwen/Qwen3-30B-A3B).
constexpr auto kShapes = std::to_array<ModelShape>({
    {"3B", "Llama 3.2", "llama", 3072, 28, 24, 8, 128, 8192, 128256, 131072, true},
    {"8B", "Llama 3.1", "llama", 4096, 32, 32, 8, 128, 14336, 128256, 131072, false},
    {"14B", "Qwen 2.5", "qwen2", 5120, 48, 40, 8, 128, 13824, 152064, 32768, false},
    {"30B-A3B", "Qwen 3", "qwen3moe", 2048, 48, 32, 4, 128, 768, 151936, 40960, false, 128, 8},
    {"32B", "Qwen 2.5", "qwen2", 5120, 64, 40, 8, 128, 27648, 152064, 32768, false},
    {"70B", "Llama 3.1", "llama", 8192, 80, 64, 8, 128, 28672, 128256, 131072, false},
    {"405B", "Llama 3.1", "llama", 16384, 126, 128, 8, 128, 53248, 128256, 131072, false},
});

// A model's tensors without their bytes.
class Tensors {
 public:
  // Of the embedding and of experts, so many.
  Tensors(const ModelShape& m, std::int64_t n_embedded, std::int64_t n_expert) {
    const std::int64_t n_embd = m.n_embd, n_ff = m.n_ff;
    const std::int64_t n_q = std::int64_t{m.n_head} * m.head_dim;
    const std::int64_t n_kv = std::int64_t{m.n_head_kv} * m.head_dim;
    add("token_embd.weight", {n_embd, n_embedded});
    if (!m.tied) add("output.weight", {n_embd, m.n_vocab});
    add("output_norm.weight", {n_embd});
    for (int il = 0; il < m.n_layer; ++il) {
      const auto layer = [&](std::string_view name, std::vector<std::int64_t> shape) {
        add(fmt::format("blk.{}.{}.weight", il, name), std::move(shape));
      };
      layer("attn_norm", {n_embd});
      layer("ffn_norm", {n_embd});
      layer("attn_q", {n_embd, n_q});
      layer("attn_k", {n_embd, n_kv});
      layer("attn_v", {n_embd, n_kv});
      layer("attn_output", {n_q, n_embd});
      if (m.n_expert == 0) {
        layer("ffn_gate", {n_embd, n_ff});
        layer("ffn_up", {n_embd, n_ff});
        layer("ffn_down", {n_ff, n_embd});
        continue;
      }
      layer("ffn_gate_inp", {n_embd, m.n_expert});
      layer("ffn_gate_exps", {n_embd, n_ff, n_expert});
      layer("ffn_up_exps", {n_embd, n_ff, n_expert});
      layer("ffn_down_exps", {n_ff, n_embd, n_expert});
    }
  }

  std::span<const engine::GgufTensor> all() const noexcept { return tensors_; }

 private:
  void add(std::string name, std::vector<std::int64_t> shape) {
    names_.push_back(std::move(name));
    tensors_.push_back({names_.back(), Dtype::F32, std::move(shape), {}});
  }

  std::deque<std::string> names_;
  std::vector<engine::GgufTensor> tensors_;
};

std::uint64_t bytes_of(const ModelShape& m, const Tensors& tensors, const engine::FileType& type) {
  const engine::MixTraits traits{m.n_layer, m.n_expert,
                                 m.architecture != "qwen3moe" && m.n_head != m.n_head_kv};
  return engine::quantized_bytes(tensors.all(), traits, type);
}

}  // namespace

std::span<const ModelShape> model_shapes() noexcept {
  return kShapes;
}

std::int64_t n_parameters(const ModelShape& m) {
  const Tensors tensors(m, m.n_vocab, m.n_expert);
  std::int64_t n = 0;
  for (const engine::GgufTensor& tensor : tensors.all()) n += tensor.n_elements();
  return n;
}

std::uint64_t weights_bytes(const ModelShape& m, const engine::FileType& type) {
  return bytes_of(m, Tensors(m, m.n_vocab, m.n_expert), type);
}

std::uint64_t token_weight_bytes(const ModelShape& m, const engine::FileType& type) {
  return bytes_of(m, Tensors(m, m.tied ? m.n_vocab : 1, m.n_expert_used), type);
}

std::uint64_t kv_bytes(const ModelShape& m, int n_ctx, Dtype type) {
  engine::Hparams hparams;
  hparams.n_layer = m.n_layer;
  hparams.layers.assign(static_cast<std::size_t>(m.n_layer), {.n_head = m.n_head,
                                                              .n_head_kv = m.n_head_kv,
                                                              .head_dim_k = m.head_dim,
                                                              .head_dim_v = m.head_dim});
  return static_cast<std::uint64_t>(engine::CpuDecoder::n_pages(n_ctx)) *
         engine::KvLayout(hparams, type, type).block_bytes();
}

// The stream, queries and what attention gives of them, hidden values, each as f32 and packed;
// logits of the rows that drafts are verified in.
std::uint64_t scratch_bytes(const ModelShape& m) {
  constexpr double kBatch = 512, kPacked = 1.25, kLogits = 16;
  const double n_hidden = static_cast<double>(m.n_ff) * std::max(1, m.n_expert_used);
  const double n_row = 2.0 * m.n_embd + 2.0 * m.n_head * m.head_dim + n_hidden * kPacked;
  return static_cast<std::uint64_t>(sizeof(float) * (kBatch * n_row + kLogits * m.n_vocab));
}

}  // namespace confab::app
