// SPDX-License-Identifier: MIT
// Finds the tensors of a model file by name and checks their shapes and types. Everything returned
// borrows from the Gguf. All functions throw ModelError if a tensor is missing or has an unexpected
// shape or type.
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
  // Reads NAME.weight [n_rows, n_cols], NAME.bias [n_rows] and, if the file has it, NAME.scale [1].
  Matrix matrix(const std::string& name, std::int64_t n_rows, std::int64_t n_cols, Bias bias) const;
  // The same for n matrices stored in one tensor each: [n, n_rows, n_cols], [n, n_rows] and [n].
  std::vector<Matrix> matrices(const std::string& name, std::int64_t n, std::int64_t n_rows,
                               std::int64_t n_cols, Bias bias) const;
  // Reads NAME.weight [n_rows, n_cols] alone.
  Matrix weight(const std::string& name, std::int64_t n_rows, std::int64_t n_cols) const;
  // Throws if the tensor has another type.
  void expect_dtype(const std::string& name, kernels::Dtype dtype) const;
  // Returns an F32 tensor [n], or [n_rows, n] (n innermost), with any values.
  const float* vector(const std::string& name, std::int64_t n) const;
  const float* vectors(const std::string& name, std::int64_t n, std::int64_t n_rows) const;
  // The tensors that have not been read yet, in file order, and the total size of those that have.
  std::vector<const GgufTensor*> unread() const;
  std::uint64_t bytes_read() const;
  // Reads NAME.weight [n] and NAME.bias [n].
  Norm norm(const std::string& name, std::int64_t n, Bias bias) const;
  // Returns a vector of positive finite values, or nullptr if the file has no tensor of that name.
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
// The columns [column0, column0 + n_cols). column0 must be a multiple of the type's block size and
// of the number of columns that share a scale.
Matrix columns_of(const Matrix& matrix, std::int64_t column0, std::int64_t n_cols) noexcept;

// Returns the reason why a tensor of this name may be left unread ("images and sound", ...). Empty
// if the model would give wrong answers without it.
std::string_view reason_to_leave(std::string_view name, const Hparams& hparams) noexcept;

// Call this once all weights have been read. Throws a ModelError that names the first unread tensor
// without a reason and counts the rest.
void refuse_unused_tensors(const TensorReader& tensors, const Hparams& hparams);

}  // namespace confab::engine
