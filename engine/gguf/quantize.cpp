// SPDX-License-Identifier: MIT
#include "engine/gguf/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/atomic_file.h"
#include "engine/gguf/gguf.h"
#include "engine/gguf/gguf_header.h"
#include "engine/gguf/row_order.h"
#include "kernels/quantize.h"

namespace confab::engine {
namespace {

using kernels::Dtype;

constexpr std::string_view kLayerPrefix = "blk.";

// Such a tensor becomes two, since GGUF files have no tensor of this type.
bool is_pairs(const GgufTensor& tensor) noexcept {
  return tensor.dtype == Dtype::E2M1 && tensor.name.ends_with(kGateUpPairs);
}

// The layer number in a name like blk.7.attn_q.weight, or -1 if it has none.
int layer_of(std::string_view name) noexcept {
  if (!name.starts_with(kLayerPrefix)) return -1;
  int layer = -1;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kLayerPrefix.size(), end, layer);
  return error == std::errc{} && stop != end && *stop == '.' && layer >= 0 ? layer : -1;
}

bool contains(std::string_view name, std::string_view part) noexcept {
  return name.find(part) != std::string_view::npos;
}

// The number of dimensions without trailing ones of size 1.
std::size_t n_dims(const PlannedTensor& tensor) noexcept {
  std::size_t n = tensor.shape.size();
  while (n > 1 && tensor.shape[n - 1] == 1) --n;
  return n;
}

// Returns true for matrices, except small and sensitive ones: norms, routers, convolutions and so
// on.
bool may_change(const PlannedTensor& tensor) noexcept {
  constexpr std::array kKept{
      std::string_view("_norm.weight"),    std::string_view("ffn_gate_inp.weight"),
      std::string_view("altup"),           std::string_view("laurel"),
      std::string_view("ssm_conv1d"),      std::string_view("per_layer_model_proj"),
      std::string_view("shortconv.conv."), std::string_view("position_embd"),
      std::string_view("token_types"),     std::string_view("attn_rel_b."),
  };
  if (n_dims(tensor) < 2 || !tensor.name.ends_with("weight")) return false;
  return std::ranges::none_of(kKept,
                              [&](std::string_view part) { return contains(tensor.name, part); });
}

// The role of a tensor, as far as a mix distinguishes it.
enum class Role { output, embedding, attn_v, attn_k, attn_output, ffn_down, other };

Role role_of(std::string_view name) noexcept {
  if (name == "output.weight") return Role::output;
  if (name == "token_embd.weight" || name == "per_layer_token_embd.weight") return Role::embedding;
  for (const char* v : {"attn_qkv.weight", "attn_kv_b.weight", "attn_v.weight"})
    if (contains(name, v)) return Role::attn_v;
  if (contains(name, "attn_k.weight")) return Role::attn_k;
  if (contains(name, "attn_output.weight")) return Role::attn_output;
  if (contains(name, "ffn_down")) return Role::ffn_down;
  return Role::other;
}

// The first and last eighth of the layers, and every third of the others.
bool deserves_more_bits(int i, int n) noexcept {
  return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
}

// Rows that do not divide into the blocks of a K type use a type with blocks of 32.
Dtype fitting(Dtype dtype, std::int64_t n_cols) noexcept {
  if (n_cols % kernels::info(dtype).block == 0) return dtype;
  if (n_cols % 32 != 0) return Dtype::F16;
  if (dtype == Dtype::Q4_K) return Dtype::Q5_0;
  return dtype == Dtype::Q5_K ? Dtype::Q5_1 : Dtype::Q8_0;
}

class Chooser {
 public:
  Chooser(std::span<const GgufTensor> tensors, const MixTraits& traits, const FileType& type)
      : type_(type),
        tied_(std::ranges::find(tensors, "output.weight", &GgufTensor::name) == tensors.end()),
        small_values_(traits.n_layer == 80 && traits.shares_values),
        n_layer_(traits.n_layer),
        n_expert_(traits.n_expert) {
    for (const GgufTensor& tensor : tensors)
      n_attn_v_ += role_of(tensor.name) == Role::attn_v ? 1 : 0;
  }

  // Call this once for each tensor that may change, in file order.
  Dtype choose(const PlannedTensor& tensor) {
    const std::int64_t n_cols = tensor.shape[0];
    if (kernels::info(type_.dtype).block == 1) return type_.dtype;
    return fitting(choose(role_of(tensor.name), tensor.name, n_cols), n_cols);
  }

 private:
  Dtype choose(Role role, std::string_view name, std::int64_t n_cols) {
    switch (role) {
      case Role::output:
        return for_output(n_cols);
      case Role::embedding:
        return tied_ ? for_output(n_cols) : type_.dtype;
      case Role::attn_v:
        return for_attn_v(n_attn_v_seen_++);
      case Role::attn_k:
        return n_expert_ == 8 ? Dtype::Q8_0 : type_.dtype;
      case Role::attn_output:
        return n_expert_ == 8 && type_.dtype == Dtype::Q4_K ? Dtype::Q5_K : type_.dtype;
      case Role::ffn_down:  // the experts of a layer may be separate tensors
        return for_ffn_down(n_expert_ > 1 ? layer_of(name) : n_ffn_down_seen_++);
      case Role::other:
        break;
    }
    return type_.dtype;
  }

  Dtype for_output(std::int64_t n_cols) const noexcept {
    const bool fits = n_cols % kernels::info(type_.dtype).block == 0;
    return type_.dtype == Dtype::Q8_0 || !fits ? Dtype::Q8_0 : Dtype::Q6_K;
  }
  Dtype for_attn_v(int i) const noexcept {
    if (n_expert_ == 8) return Dtype::Q8_0;
    if (type_.mix == Mix::medium && deserves_more_bits(i, n_attn_v_)) return Dtype::Q6_K;
    const bool q4_k = type_.dtype == Dtype::Q4_K;
    if (q4_k && (small_values_ || (type_.mix == Mix::small && i < 4))) return Dtype::Q5_K;
    return type_.dtype;
  }
  Dtype for_ffn_down(int i) const noexcept {
    if (type_.mix == Mix::medium && deserves_more_bits(i, n_layer_)) return Dtype::Q6_K;
    const bool q4_k_s = type_.dtype == Dtype::Q4_K && type_.mix == Mix::small;
    return q4_k_s && i < n_layer_ / 8 ? Dtype::Q5_K : type_.dtype;
  }

  const FileType type_;
  bool tied_;  // the embedding is also the output
  bool small_values_;
  int n_layer_;
  int n_expert_;
  int n_attn_v_ = 0;
  int n_attn_v_seen_ = 0;
  int n_ffn_down_seen_ = 0;
};

// The type of a tensor that is not quantised: its current one if GGUF has it.
Dtype kept_type(const GgufTensor& tensor) noexcept {
  return kernels::has_side_scales(tensor.dtype) ? Dtype::F32 : tensor.dtype;
}

double bits_per_weight(Dtype dtype) noexcept {
  const kernels::DtypeInfo& type = kernels::info(dtype);
  return 8 * static_cast<double>(type.block_bytes) / static_cast<double>(type.block);
}

void check_source(const Gguf& gguf, const GgufTensor& tensor, Dtype target) {
  const Dtype source = tensor.dtype;
  const std::string_view name = kernels::info(source).name;
  if (kernels::has_side_scales(source)) return;  // not a GGUF type: may become any type
  if (source != Dtype::F32 && source != Dtype::F16 && source != Dtype::BF16 &&
      source != Dtype::Q8_0) {
    gguf.fail(fmt::format("tensor {} is already quantised to {}, expected F32, F16, BF16 or Q8_0",
                          printable(tensor.name), name));
  }
  if (bits_per_weight(source) < bits_per_weight(target)) {
    gguf.fail(fmt::format("tensor {} is {}, which has fewer bits than the {} it would get",
                          printable(tensor.name), name, kernels::info(target).name));
  }
}

// Maps "blk.7.ffn_up.12.weight" to "blk.7.ffn_up_exps.weight" and 12. -1: not a matrix of one
// expert.
std::pair<std::string, int> expert_of(std::string_view name) {
  constexpr std::string_view kEnd = ".weight";
  if (layer_of(name) < 0 || !name.ends_with(kEnd)) return {std::string(name), -1};
  const std::string_view stem = name.substr(0, name.size() - kEnd.size());
  for (const std::string_view kind : {".ffn_gate.", ".ffn_up.", ".ffn_down."}) {
    const std::size_t at = stem.find(kind);
    if (at == stem.npos) continue;
    const char *const begin = stem.data() + at + kind.size(), *const end =
                                                                  stem.data() + stem.size();
    int expert = -1;
    const auto [stop, error] = std::from_chars(begin, end, expert);
    const bool is_plain = end - begin == 1 || (begin != end && *begin != '0');  // "0", not "00"
    if (error == std::errc{} && stop == end && expert >= 0 && is_plain)
      return {fmt::format("{}_exps{}", stem.substr(0, at + kind.size() - 1), kEnd), expert};
  }
  return {std::string(name), -1};
}

// The tensors of the new file, sorted by layer and name. The matrices of a kind of all experts
// become one tensor if none is missing and all have the same shape.
std::vector<PlannedTensor> in_order_of_file(std::span<const GgufTensor> tensors) {
  std::map<std::pair<int, std::string>, std::map<int, const GgufTensor*>> by_name;
  for (const GgufTensor& tensor : tensors) {
    const int layer = layer_of(tensor.name);
    const auto [name, expert] = expert_of(tensor.name);
    if (!is_pairs(tensor)) {
      by_name[{layer, name}][expert] = &tensor;
      continue;
    }
    for (const char* half : {"gate", "up"})
      by_name[{layer, fmt::format("blk.{}.ffn_{}_exps.weight", layer, half)}][expert] = &tensor;
  }
  std::vector<PlannedTensor> plan;
  for (const auto& [place, experts] : by_name) {
    const GgufTensor& first = *experts.begin()->second;
    PlannedTensor all{place.second, first.shape, {}, kept_type(first)};
    if (is_pairs(first)) {
      all.shape[0] /= 2;
      all.column0 = contains(all.name, "ffn_up") ? all.shape[0] : 0;
    }
    const bool are_alike = std::ranges::all_of(experts, [&](const auto& expert) {
      return expert.second->shape == first.shape && first.shape.size() == 2;
    });
    const int n = static_cast<int>(experts.size());
    const bool is_whole = experts.begin()->first == 0 && experts.rbegin()->first == n - 1;
    for (const auto& [expert, tensor] : experts) {
      if (expert < 0 || (are_alike && is_whole))
        all.parts.push_back(tensor);
      else
        plan.push_back({std::string(tensor->name), tensor->shape, {tensor}, kept_type(*tensor)});
    }
    if (all.parts.empty()) continue;
    if (experts.begin()->first == 0) all.shape.push_back(n);
    plan.push_back(std::move(all));
  }
  return plan;
}

}  // namespace

MixTraits mix_traits(const Gguf& gguf) {
  const std::string_view arch = gguf.find_string("general.architecture").value_or("");
  const auto number = [&](std::string_view key) {  // also 0 if there is one value per layer
    const GgufValue* value = gguf.find(fmt::format("{}.{}", arch, key));
    const auto* n = value != nullptr ? std::get_if<std::uint64_t>(value) : nullptr;
    return n != nullptr ? static_cast<int>(std::min<std::uint64_t>(*n, 1 << 20)) : 0;
  };
  const bool shares_values =  // all of these have eight heads per V
      arch == "qwen2" ||
      (arch == "llama" && gguf.find("llama.attention.head_count_kv") != nullptr &&
       number("attention.head_count") != number("attention.head_count_kv"));
  return {number("block_count"), number("expert_count"), shares_values};
}

std::int64_t PlannedTensor::n_elements() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<PlannedTensor> plan_quantization(const Gguf& gguf, const FileType& type) {
  std::vector<PlannedTensor> plan = in_order_of_file(gguf.tensors());
  Chooser chooser(gguf.tensors(), mix_traits(gguf), type);
  for (PlannedTensor& planned : plan) {
    if (!may_change(planned)) continue;
    planned.dtype = chooser.choose(planned);
    for (const GgufTensor* part : planned.parts)
      if (planned.dtype != part->dtype) check_source(gguf, *part, planned.dtype);
  }
  return plan;
}

std::uint64_t quantized_bytes(std::span<const GgufTensor> tensors, const MixTraits& traits,
                              const FileType& type) {
  Chooser chooser(tensors, traits, type);
  double bits = 0;
  for (const PlannedTensor& planned : in_order_of_file(tensors)) {
    const Dtype dtype = may_change(planned) ? chooser.choose(planned) : planned.dtype;
    bits += bits_per_weight(dtype) * static_cast<double>(planned.n_elements());
  }
  return static_cast<std::uint64_t>(bits / 8);
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kQuantizationVersion = 2;  // of block layouts; current files have 2
constexpr std::int64_t kSliceWeights = 2 << 20;    // weights between two calls of go_on
constexpr std::int64_t kItemWeights = 16 << 10;    // weights per work item
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
  if (error || space.available >= needed) return;  // on error, writing may fail instead
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
  // Returns false if go_on said to stop.
  bool copy(const GgufTensor& tensor, AtomicFile& out) {
    if (const RowOrder order(in_, tensor); order.changes()) return copy_rows(tensor, order, out);
    for (std::size_t at = 0; at < tensor.data.size(); at += kSliceBytes) {
      if (!go_on_(progress_)) return false;
      // Copies through our own memory, because write() fails on pages of a mapping that was
      // truncated.
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

  // Converts rows [row0, row0 + n) into slice_.
  void convert_rows(const GgufTensor& tensor, const PlannedTensor& planned, std::int64_t row0,
                    std::int64_t n) {
    const RowOrder order(in_, tensor);
    const Dtype to = planned.dtype;
    const std::int64_t n_cols = tensor.shape[0], n_kept = planned.shape[0];
    const std::size_t to_bytes = kernels::row_bytes(to, n_kept);
    const std::int64_t share = std::max<std::int64_t>(kItemWeights / n_cols, 1);
    // The scales of blocks are F16.
    const bool is_wide = to == Dtype::F32 || to == Dtype::BF16;
    const float limit = is_wide ? std::numeric_limits<float>::max() : kMaxF16;
    std::atomic<bool> fits = true;  // relaxed: parallel_for joins before it is read
    pool_.parallel_for(static_cast<int>((n + share - 1) / share), [&](int item, int worker) {
      float* x = rows_[static_cast<std::size_t>(worker)].data();
      const std::int64_t end = std::min(n, (std::int64_t{item} + 1) * share);
      for (std::int64_t r = item * share; r < end; ++r) {
        table_.decode_weights(tensor.rows(), order.source(row0 + r), x);
        if (order.changes_columns()) arrange(order, x, n_cols);
        // NaN fails this comparison too.
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

  // x has room for another n values after its n columns.
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
  std::vector<std::vector<float>> rows_;  // two rows of f32 per worker
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
