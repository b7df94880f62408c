// SPDX-License-Identifier: MIT
#include "engine/model/tensor_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"

namespace confab::engine {
namespace {

// Trailing dimensions of 1 do not change a shape and are not always written.
std::vector<std::int64_t> without_trailing_ones(std::vector<std::int64_t> shape) {
  while (shape.size() > 1 && shape.back() == 1) shape.pop_back();
  return shape;
}

Matrix matrix_of(const GgufTensor& tensor, std::int64_t n_rows) {
  Matrix m;
  m.rows = tensor.rows();
  m.n_rows = n_rows;
  return m;
}

}  // namespace

bool TensorReader::has(const std::string& name) const {
  return gguf_.find_tensor(name) != nullptr;
}

bool TensorReader::takes_bias(const std::string& name, Bias bias) const {
  return bias == Bias::required || (bias == Bias::optional && has(name + ".bias"));
}

const GgufTensor& TensorReader::checked(const std::string& name,
                                        const std::vector<std::int64_t>& want) const {
  const GgufTensor* tensor = gguf_.find_tensor(name);
  if (tensor == nullptr) gguf_.fail(fmt::format("tensor {} is missing", name));
  if (without_trailing_ones(tensor->shape) != without_trailing_ones(want)) {
    gguf_.fail(fmt::format("tensor {} has shape {}, expected {}", name, tensor->shape,
                           without_trailing_ones(want)));
  }
  read_.insert(tensor);
  return *tensor;
}

std::vector<const GgufTensor*> TensorReader::unread() const {
  std::vector<const GgufTensor*> rest;
  for (const GgufTensor& tensor : gguf_.tensors()) {
    if (!read_.contains(&tensor)) rest.push_back(&tensor);
  }
  return rest;
}

std::uint64_t TensorReader::bytes_read() const {
  std::uint64_t n_bytes = 0;
  for (const GgufTensor* tensor : read_) n_bytes += tensor->n_bytes();
  return n_bytes;
}

Matrix TensorReader::matrix(const std::string& name, std::int64_t n_rows, std::int64_t n_cols,
                            Bias bias) const {
  return matrices(name, 1, n_rows, n_cols, bias).front();
}

std::vector<Matrix> TensorReader::matrices(const std::string& name, std::int64_t n,
                                           std::int64_t n_rows, std::int64_t n_cols,
                                           Bias bias) const {
  const GgufTensor& tensor = checked(name + ".weight", {n_cols, n_rows, n});
  const bool has_bias = takes_bias(name, bias);
  const float* biases = has_bias ? vectors(name + ".bias", n_rows, n) : nullptr;
  const float* scales = has(name + ".scale") ? vector(name + ".scale", n) : nullptr;
  std::vector<Matrix> all;
  for (std::int64_t i = 0; i < n; ++i) {
    Matrix m = rows_of(matrix_of(tensor, n * n_rows), i * n_rows, n_rows);
    if (scales != nullptr) m.scale = scales[i];
    if (has_bias) m.bias = biases + i * n_rows;
    all.push_back(m);
  }
  return all;
}

Matrix TensorReader::weight(const std::string& name, std::int64_t n_rows,
                            std::int64_t n_cols) const {
  return matrix_of(checked(name + ".weight", {n_cols, n_rows}), n_rows);
}

void TensorReader::expect_dtype(const std::string& name, kernels::Dtype dtype) const {
  const GgufTensor* tensor = gguf_.find_tensor(name);
  if (tensor == nullptr || tensor->dtype == dtype) return;
  gguf_.fail(fmt::format("tensor {} has type {}, expected {}", name,
                         kernels::info(tensor->dtype).name, kernels::info(dtype).name));
}

const float* TensorReader::floats(const std::string& name,
                                  const std::vector<std::int64_t>& shape) const {
  const GgufTensor& tensor = checked(name, shape);
  if (tensor.dtype != kernels::Dtype::F32) {
    gguf_.fail(
        fmt::format("tensor {} has type {}, expected F32", name, kernels::info(tensor.dtype).name));
  }
  // The format aligns tensors to 8 bytes or more, but the file may be damaged, so check.
  if (reinterpret_cast<std::uintptr_t>(tensor.data.data()) % alignof(float) != 0) {
    gguf_.fail(fmt::format("tensor {} is not aligned", name));
  }
  return reinterpret_cast<const float*>(tensor.data.data());
}

const float* TensorReader::vector(const std::string& name, std::int64_t n) const {
  return floats(name, {n});
}

const float* TensorReader::vectors(const std::string& name, std::int64_t n,
                                   std::int64_t n_rows) const {
  return floats(name, {n, n_rows});
}

Norm TensorReader::norm(const std::string& name, std::int64_t n, Bias bias) const {
  return {vector(name + ".weight", n),
          takes_bias(name, bias) ? vector(name + ".bias", n) : nullptr};
}

const float* TensorReader::divisors(const std::string& name, std::int64_t n) const {
  if (!has(name)) return nullptr;
  const float* values = vector(name, n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(values[i]) || values[i] <= 0) {
      gguf_.fail(
          fmt::format("tensor {} has the value {}, expected positive ones", name, values[i]));
    }
  }
  return values;
}

Matrix rows_of(const Matrix& matrix, std::int64_t row0, std::int64_t n_rows) noexcept {
  Matrix part = matrix;
  part.rows.data += matrix.rows.row_bytes * static_cast<std::size_t>(row0);
  part.rows.side.row0 += row0;
  part.n_rows = n_rows;
  if (matrix.bias != nullptr) part.bias = matrix.bias + row0;
  return part;
}

Matrix columns_of(const Matrix& matrix, std::int64_t column0, std::int64_t n_cols) noexcept {
  Matrix part = matrix;
  kernels::SideScales& side = part.rows.side;
  part.rows.data += kernels::row_bytes(part.rows.dtype, column0);
  part.rows.n_cols = n_cols;
  const std::size_t skipped = kernels::row_bytes(side.dtype, column0 / side.group_cols);
  if (side.scales != nullptr) side.scales += skipped;
  if (side.biases != nullptr) side.biases += skipped;
  return part;
}

namespace {

struct LayerTensor {
  int il;                 // -1: not part of a layer
  std::string_view rest;  // of the name
};

// Splits "blk.3.attn_q.weight" into 3 and "attn_q.weight".
LayerTensor layer_tensor(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "blk.";
  if (!name.starts_with(kPrefix)) return {-1, name};
  const char* const end = name.data() + name.size();
  int il = -1;
  const auto [after, error] = std::from_chars(name.data() + kPrefix.size(), end, il);
  if (error != std::errc{} || il < 0 || after == end || *after != '.') return {-1, name};
  return {il, {after + 1, static_cast<std::size_t>(end - after - 1)}};
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string_view reason_to_leave(std::string_view name, const Hparams& hp) noexcept {
  const auto [il, rest] = layer_tensor(name);
  if (begins_with_any(rest, {"v.", "a.", "mm."})) return "images and sound";
  // Layers that predict further tokens follow the others or have a separate prefix.
  if (il >= hp.n_layer || begins_with_any(rest, {"nextn.", "mtp."})) return "further tokens";
  // Files from before 2024 have these. They can be computed from the keys.
  if (rest == "attn_rot_embd.weight") return "angles of rotations";
  if (rest.ends_with(".input_scale")) return "scales of quantised activations";
  if (il < 0) return {};
  const LayerHparams& layer = hp.layers[static_cast<std::size_t>(il)];
  if (layer.kv_layer >= 0 && begins_with_any(rest, {"attn_k.", "attn_v.", "attn_k_norm."}))
    return "keys and values that an earlier layer gives";
  if (hp.latent.kv_rank > 0 && begins_with_any(rest, {"attn_k_b.", "attn_v_b."}))
    return "a second copy of attn_kv_b";
  return {};
}

void refuse_unused_tensors(const TensorReader& tensors, const Hparams& hp) {
  std::vector<const GgufTensor*> unused = tensors.unread();
  std::erase_if(unused, [&](const GgufTensor* t) { return !reason_to_leave(t->name, hp).empty(); });
  if (unused.empty()) return;
  const std::string more =
      unused.size() > 1 ? fmt::format(" and {} more tensors", unused.size() - 1) : std::string();
  tensors.gguf().fail(
      fmt::format("tensor {}{} would be ignored, and answers would be wrong: this version does not "
                  "support this variant of {}; get a file of the original model",
                  printable(unused.front()->name), more, hp.architecture));
}

}  // namespace confab::engine
