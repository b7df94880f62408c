// SPDX-License-Identifier: MIT
#include "app/tools/fit_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <ostream>
#include <string>
#include <vector>

#include "app/figures.h"
#include "base/json.h"
#include "engine/cache/kv_layout.h"
#include "engine/cpu/cpu_decoder.h"
#include "engine/fit/advice.h"
#include "engine/gguf/quantize_plan.h"
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

// The tensors of a model, without their data.
class Tensors {
 public:
  // n_embedded: rows of the embedding to include; n_expert: experts to include.
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

using base::Json;

constexpr kernels::Dtype kCacheType = kernels::Dtype::Q8_0;
constexpr int kShort = 8192, kLong = 32768;

class Sizes {
 public:
  Sizes(const ModelShape& shape, const engine::FileType& type)
      : shape_(shape),
        type_(type),
        weights_(weights_bytes(shape, type)),
        scratch_(scratch_bytes(shape)) {}

  std::uint64_t weights() const noexcept { return weights_; }
  std::uint64_t total(int n_ctx) const {
    return weights_ + scratch_ + kv_bytes(shape_, n_ctx, kCacheType);
  }
  // Counts whole blocks, all of which have the same size.
  int longest(std::uint64_t memory_bytes) const {
    const std::uint64_t none = total(0), block = total(engine::kBlockTokens) - none;
    if (memory_bytes < none) return 0;
    const auto n_most = static_cast<std::uint64_t>(shape_.n_ctx / engine::kBlockTokens);
    const auto n_blocks = static_cast<int>(std::min(n_most, (memory_bytes - none) / block));
    const int n_ctx = n_blocks * engine::kBlockTokens;
    return n_ctx < engine::kLeastContext ? 0 : n_ctx;
  }
  // For a mixture: whether everything fits except the experts that a token does not use.
  bool fits_but_for_experts(std::uint64_t memory_bytes) const {
    if (shape_.n_expert == 0) return false;
    return token_weight_bytes(shape_, type_) + total(kShort) - weights_ <= memory_bytes;
  }
  // Assumes that half of a short context is filled.
  double bytes_per_token() const {
    const auto kv = static_cast<double>(kv_bytes(shape_, kShort, kCacheType)) / 2;
    return static_cast<double>(token_weight_bytes(shape_, type_)) + kv;
  }

 private:
  const ModelShape& shape_;
  const engine::FileType& type_;
  std::uint64_t weights_;
  std::uint64_t scratch_;
};

std::string context_text(const FitRow& row) {
  if (row.n_ctx > 0) return grouped(row.n_ctx);
  return row.from_disk ? "from disk" : "–";
}

std::string speed_text(const FitRow& row) {
  if (row.tokens_per_second <= 0) return "–";
  return fmt::format("{:.{}f}", row.tokens_per_second, row.tokens_per_second < 10 ? 1 : 0);
}

double gib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1 << 30);
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

// The residual stream, the queries and results of attention, and hidden values, each as f32 and
// packed; and the logits of the rows in which drafts are verified.
std::uint64_t scratch_bytes(const ModelShape& m) {
  constexpr double kBatch = 512, kPacked = 1.25, kLogits = 16;
  const double n_hidden = static_cast<double>(m.n_ff) * std::max(1, m.n_expert_used);
  const double n_row = 2.0 * m.n_embd + 2.0 * m.n_head * m.head_dim + n_hidden * kPacked;
  return static_cast<std::uint64_t>(sizeof(float) * (kBatch * n_row + kLogits * m.n_vocab));
}

std::vector<FitRow> fit_rows(std::uint64_t memory_bytes, double read_gbs) {
  std::vector<FitRow> rows;
  for (const ModelShape& shape : model_shapes()) {
    for (const engine::FileType& type : engine::sized_file_types()) {
      const Sizes sizes(shape, type);
      FitRow row{.size = shape.size,
                 .name = shape.name,
                 .type = type.name,
                 .weights_bytes = sizes.weights(),
                 .bytes_8k = sizes.total(kShort),
                 .bytes_32k = sizes.total(kLong),
                 .n_ctx = sizes.longest(memory_bytes)};
      row.from_disk = row.n_ctx == 0 && sizes.fits_but_for_experts(memory_bytes);
      if (row.n_ctx > 0) row.tokens_per_second = read_gbs * 1e9 / sizes.bytes_per_token();
      rows.push_back(row);
    }
  }
  return rows;
}

// Prints Markdown that is also readable on a terminal of 80 columns.
void print_fit_table(const std::vector<FitRow>& rows, std::string_view about, std::ostream& out) {
  out << about << "\n\n"
      << "| model            | file   |   GiB | 8,192 | 32,768 |   longest | tok/s |\n"
         "| ---------------- | ------ | ----: | ----: | -----: | --------: | ----: |\n";
  for (const FitRow& row : rows)
    out << fmt::format("| {:<16} | {:<6} | {:>5.1f} | {:>5.1f} | {:>6.1f} | {:>9} | {:>5} |\n",
                       fmt::format("{} ({})", row.size, row.name), row.type, gib(row.weights_bytes),
                       gib(row.bytes_8k), gib(row.bytes_32k), context_text(row), speed_text(row));
  out << "\nGiB: of the weights, then of all that is taken with a context of 8,192 and of\n"
         "32,768 tokens. longest: the context that fits. tok/s: at most, as fast as memory\n"
         "is read, with 4,096 tokens in a KV cache of q8_0.\n"
         "from disk: a mixture of experts whose experts do not all fit; confab fit MODEL\n"
         "tells how fast the disk lets it run.\n";
}

void print_fit_table_json(const std::vector<FitRow>& rows, std::uint64_t memory_bytes,
                          double read_gbs, std::ostream& out) {
  Json array = Json::array();
  for (const FitRow& row : rows)
    array.push_back({{"size", row.size},
                     {"name", row.name},
                     {"type", row.type},
                     {"weights_bytes", row.weights_bytes},
                     {"bytes_8192", row.bytes_8k},
                     {"bytes_32768", row.bytes_32k},
                     {"n_ctx", row.n_ctx},
                     {"from_disk", row.from_disk},
                     {"tokens_per_second", row.tokens_per_second}});
  const Json all = {{"memory_bytes", memory_bytes}, {"read_gbs", read_gbs}, {"models", array}};
  out << all.dump(2) << '\n';
}

}  // namespace confab::app
