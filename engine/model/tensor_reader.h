// SPDX-License-Identifier: MIT
// Finds the tensors of a model file by name and checks their shapes and types. Everything that is
// returned borrows from the Gguf. All functions throw ModelError for a tensor that is missing, or
// has another shape or type than expected.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/weights.h"

namespace confab::engine {

struct GgufTensor;
struct Hparams;

enum class Bias { none, optional, required };

class TensorReader {
 public:
  explicit TensorReader(const Gguf& gguf) : gguf_(gguf) {}
  const Gguf& gguf() const noexcept { return gguf_; }

  bool has(const std::string& name) const;
  // NAME.weight [n_rows, n_cols], NAME.bias [n_rows] and, where there is one, NAME.scale [1].
  Matrix matrix(const std::string& name, std::int64_t n_rows, std::int64_t n_cols, Bias bias) const;
  // The same of n matrices in one tensor each: [n, n_rows, n_cols], [n, n_rows] and [n].
  std::vector<Matrix> matrices(const std::string& name, std::int64_t n, std::int64_t n_rows,
                               std::int64_t n_cols, Bias bias) const;
  // NAME.weight [n_rows, n_cols] alone.
  Matrix weight(const std::string& name, std::int64_t n_rows, std::int64_t n_cols) const;
  // Throws when the tensor has another type.
  void expect_dtype(const std::string& name, kernels::Dtype dtype) const;
  // An F32 tensor [n], or [n_rows, n] (n innermost), of any values.
  const float* vector(const std::string& name, std::int64_t n) const;
  const float* vectors(const std::string& name, std::int64_t n, std::int64_t n_rows) const;
  // The tensors of the file that no function has read so far, in its order, and the bytes of those
  // that one has.
  std::vector<const GgufTensor*> unread() const;
  std::uint64_t bytes_read() const;
  // NAME.weight [n] and NAME.bias [n].
  Norm norm(const std::string& name, std::int64_t n, Bias bias) const;
  // A vector of positive finite values, nullptr when the file has none of that name.
  const float* divisors(const std::string& name, std::int64_t n) const;

 private:
  bool takes_bias(const std::string& name, Bias bias) const;
  const GgufTensor& checked(const std::string& name, const std::vector<std::int64_t>& shape) const;
  const float* floats(const std::string& name, const std::vector<std::int64_t>& shape) const;

  const Gguf& gguf_;
  mutable std::set<const GgufTensor*> read_;
};

// The rows [row0, row0 + n_rows) of a matrix.
Matrix rows_of(const Matrix& matrix, std::int64_t row0, std::int64_t n_rows) noexcept;
// The columns [column0, column0 + n_cols); column0 is a multiple of the type's blocks, and of the
// columns that share a scale.
Matrix columns_of(const Matrix& matrix, std::int64_t column0, std::int64_t n_cols) noexcept;

// Why a tensor of this name may be left unread: "images and sound", ...; empty: there is no reason,
// and a model that is run without it is another one.
std::string_view reason_to_leave(std::string_view name, const Hparams& hparams) noexcept;

// To be called when all weights have been read. Throws a ModelError that names the first tensor
// that has no reason, and says how many there are.
void refuse_unused_tensors(const TensorReader& tensors, const Hparams& hparams);

}  // namespace confab::engine
