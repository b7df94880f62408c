// SPDX-License-Identifier: MIT
#include "engine/gguf/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/atomic_file.h"
#include "engine/gguf/gguf.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/quantize_plan.h"
#include "engine/gguf/row_order.h"
#include "kernels/quantize.h"

namespace confab::engine {
namespace {

namespace fs = std::filesystem;
using kernels::Dtype;

constexpr std::uint32_t kQuantizationVersion = 2;  // of the block layouts, all that are in use
constexpr std::int64_t kSliceWeights = 2 << 20;    // between two questions whether to go on
constexpr std::int64_t kItemWeights = 16 << 10;    // for one worker at a time
constexpr std::size_t kSliceBytes = std::size_t{8} << 20;
constexpr float kMaxF16 = 65504.0F;

void reject_same_file(const Gguf& in, const std::string& out) {
  for (const std::string& part : in.part_paths()) {
    std::error_code error;
    if (fs::equivalent(part, out, error) && !error)
      throw ModelError(fmt::format("{}: is the input file; choose another name", out));
  }
}

void reject_small_disk(const std::string& out, std::uint64_t needed) {
  const fs::path folder = fs::path(out).parent_path();
  std::error_code error;
  const fs::space_info space = fs::space(folder.empty() ? "." : folder, error);
  if (error || space.available >= needed) return;  // writing will tell
  throw ModelError(fmt::format("{}: needs {} MiB, but the disk has only {} MiB left", out,
                               (needed >> 20) + 1, space.available >> 20));
}

bool changes_with_type(std::string_view key) noexcept {
  return key == "general.file_type" || key == "general.quantization_version" ||
         key.starts_with("split.") || key.ends_with(kInterleavedKey) || key.ends_with(kTiledKey);
}

GgufHeader make_header(const Gguf& in, const std::vector<PlannedTensor>& plan,
                       const FileType& type) {
  GgufHeader header(static_cast<std::uint64_t>(in.find_int("general.alignment").value_or(32)));
  for (const GgufKey& key : in.keys())
    if (!changes_with_type(key.name)) header.add(key.name, key.raw);
  header.add("general.quantization_version", kQuantizationVersion);
  header.add("general.file_type", type.number);
  for (const PlannedTensor& planned : plan)
    header.add_tensor(planned.name, planned.dtype, planned.shape);
  return header;
}

class Converter {
 public:
  Converter(QuantizeOptions options, const kernels::KernelTable& table, kernels::ThreadPool& pool,
            const std::function<bool(const QuantizeProgress&)>& go_on)
      : table_(table),
        pool_(pool),
        go_on_(go_on),
        in_(std::move(options.in)),
        plan_(plan_quantization(in_, options.type)),
        header_(make_header(in_, plan_, options.type)),
        rows_(static_cast<std::size_t>(pool.n_threads())) {
    reject_same_file(in_, options.out);
    reject_small_disk(options.out, header_.bytes().size() + header_.data_bytes());
  }

  QuantizeResult run(const std::string& path, Existing existing) {
    AtomicFile out(path, existing);
    const std::string front = header_.bytes();
    out.write(std::as_bytes(std::span(front)));
    progress_.n_tensors = static_cast<int>(plan_.size());
    progress_.bytes = header_.data_bytes();
    QuantizeResult result{false, in_.file_bytes(), front.size() + header_.data_bytes(), 0};
    std::int64_t n_weights = 0;
    for (const PlannedTensor& planned : plan_) {
      progress_.tensor = planned.name;
      const std::uint64_t before = progress_.bytes_done;
      for (const GgufTensor* part : planned.parts) {
        const bool stays = planned.dtype == part->dtype && !RowOrder(in_, *part).changes_columns();
        const bool whole = stays ? copy(*part, out) : convert(*part, planned, out);
        if (!whole) return result;
        in_.check();
      }
      pad(progress_.bytes_done - before, out);
      n_weights += planned.n_elements();
      ++progress_.n_done;
    }
    result.bits_per_weight = 8 * static_cast<double>(header_.data_bytes()) /
                             static_cast<double>(std::max<std::int64_t>(n_weights, 1));
    if (!go_on_(progress_)) return result;
    out.commit();
    result.finished = true;
    return result;
  }

 private:
  // False when it was not to go on.
  bool copy(const GgufTensor& tensor, AtomicFile& out) {
    if (const RowOrder order(in_, tensor); order.changes()) return copy_rows(tensor, order, out);
    for (std::size_t at = 0; at < tensor.data.size(); at += kSliceBytes) {
      if (!go_on_(progress_)) return false;
      // By way of our own memory: the system writes nothing from a file that was cut short.
      const auto from = tensor.data.subspan(at, std::min(kSliceBytes, tensor.data.size() - at));
      slice_.assign(from.begin(), from.end());
      write(slice_, out);
    }
    return true;
  }

  bool copy_rows(const GgufTensor& tensor, const RowOrder& order, AtomicFile& out) {
    const std::int64_t n_rows = tensor.shape.size() > 1 ? tensor.shape[1] : tensor.shape[0];
    const std::size_t row_bytes = tensor.data.size() / static_cast<std::size_t>(n_rows);
    slice_.clear();
    for (std::int64_t row = 0; row < n_rows; ++row) {
      const std::size_t at = static_cast<std::size_t>(order.source(row)) * row_bytes;
      const auto from = tensor.data.subspan(at, row_bytes);
      slice_.insert(slice_.end(), from.begin(), from.end());
      if (slice_.size() < kSliceBytes && row + 1 < n_rows) continue;
      if (!go_on_(progress_)) return false;
      write(slice_, out);
      slice_.clear();
    }
    return true;
  }

  bool convert(const GgufTensor& tensor, const PlannedTensor& to, AtomicFile& out) {
    const std::int64_t n_cols = tensor.shape[0], n_rows = tensor.n_rows();
    const std::int64_t slice = std::clamp<std::int64_t>(kSliceWeights / n_cols, 1, n_rows);
    const std::size_t row_bytes = kernels::row_bytes(to.dtype, to.shape[0]);
    for (std::vector<float>& row : rows_) row.resize(2 * static_cast<std::size_t>(n_cols));
    slice_.resize(row_bytes * static_cast<std::size_t>(slice));
    for (std::int64_t row0 = 0; row0 < n_rows; row0 += slice) {
      if (!go_on_(progress_)) return false;
      const std::int64_t n = std::min(slice, n_rows - row0);
      convert_rows(tensor, to, row0, n);
      write(std::span(slice_).first(row_bytes * static_cast<std::size_t>(n)), out);
    }
    return true;
  }

  // Rows [row0, row0 + n) into slice_.
  void convert_rows(const GgufTensor& tensor, const PlannedTensor& planned, std::int64_t row0,
                    std::int64_t n) {
    const RowOrder order(in_, tensor);
    const Dtype to = planned.dtype;
    const std::int64_t n_cols = tensor.shape[0], n_kept = planned.shape[0];
    const std::size_t to_bytes = kernels::row_bytes(to, n_kept);
    const std::int64_t share = std::max<std::int64_t>(kItemWeights / n_cols, 1);
    // Blocks have their scales in F16.
    const bool is_wide = to == Dtype::F32 || to == Dtype::BF16;
    const float limit = is_wide ? std::numeric_limits<float>::max() : kMaxF16;
    std::atomic<bool> fits = true;  // relaxed: joining the team orders it
    pool_.parallel_for(static_cast<int>((n + share - 1) / share), [&](int item, int worker) {
      float* x = rows_[static_cast<std::size_t>(worker)].data();
      const std::int64_t end = std::min(n, (std::int64_t{item} + 1) * share);
      for (std::int64_t r = item * share; r < end; ++r) {
        table_.decode_weights(tensor.rows(), order.source(row0 + r), x);
        if (order.changes_columns()) arrange(order, x, n_cols);
        // Not finite counts as beyond every limit.
        const auto within = [limit](float v) { return std::fabs(v) <= limit; };
        const float* kept = x + planned.column0;
        if (!std::all_of(kept, kept + n_kept, within)) fits.store(false, std::memory_order_relaxed);
        kernels::quantize_row(table_, to, kept, n_kept,
                              slice_.data() + to_bytes * static_cast<std::size_t>(r));
      }
    });
    if (fits.load(std::memory_order_relaxed)) return;
    in_.fail(fmt::format("tensor {} has weights that {} cannot hold: not finite{}",
                         printable(tensor.name), kernels::info(to).name,
                         is_wide ? "" : ", or above 65504, which BF16 can"));
  }

  // x has room for as many behind its n columns.
  static void arrange(const RowOrder& order, float* x, std::int64_t n) noexcept {
    for (std::int64_t c = 0; c < n; ++c) x[n + c] = x[order.source_column(c)];
    std::copy_n(x + n, n, x);
  }

  void write(std::span<const std::byte> bytes, AtomicFile& out) {
    out.write(bytes);
    progress_.bytes_done += bytes.size();
  }
  void pad(std::uint64_t n, AtomicFile& out) {
    const std::vector<std::byte> zeros(static_cast<std::size_t>(header_.padding(n)));
    write(zeros, out);
  }

  const kernels::KernelTable& table_;
  kernels::ThreadPool& pool_;
  const std::function<bool(const QuantizeProgress&)>& go_on_;
  const Gguf in_;
  const std::vector<PlannedTensor> plan_;
  const GgufHeader header_;
  std::vector<std::vector<float>> rows_;  // for each worker two rows of f32
  std::vector<std::byte> slice_;
  QuantizeProgress progress_{};
};

}  // namespace

QuantizeResult quantize_file(QuantizeOptions options, const kernels::KernelTable& table,
                             kernels::ThreadPool& pool,
                             const std::function<bool(const QuantizeProgress&)>& go_on) {
  const std::string out = options.out;
  const Existing existing = options.existing;
  return Converter(std::move(options), table, pool, go_on).run(out, existing);
}

}  // namespace confab::engine
