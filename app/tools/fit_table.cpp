// SPDX-License-Identifier: MIT
#include "app/tools/fit_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "app/figures.h"
#include "app/tools/model_shapes.h"
#include "base/json.h"
#include "engine/cache/kv_layout.h"
#include "engine/fit/advice.h"

namespace confab::app {
namespace {

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
  // In whole blocks, as they grow alike.
  int longest(std::uint64_t memory_bytes) const {
    const std::uint64_t none = total(0), block = total(engine::kBlockTokens) - none;
    if (memory_bytes < none) return 0;
    const auto n_most = static_cast<std::uint64_t>(shape_.n_ctx / engine::kBlockTokens);
    const auto n_blocks = static_cast<int>(std::min(n_most, (memory_bytes - none) / block));
    const int n_ctx = n_blocks * engine::kBlockTokens;
    return n_ctx < engine::kLeastContext ? 0 : n_ctx;
  }
  // Of a mixture: all but the experts, and those of a token.
  bool fits_but_for_experts(std::uint64_t memory_bytes) const {
    if (shape_.n_expert == 0) return false;
    return token_weight_bytes(shape_, type_) + total(kShort) - weights_ <= memory_bytes;
  }
  // With half of a short context full.
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

// Markdown, and in columns of at most 80 signs for a terminal.
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
