// SPDX-License-Identifier: MIT
// The front of a GGUF file that is to be written, version 3: metadata, and the table of tensors
// whose data follow. Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/dtype.h"

namespace confab::engine {

class GgufHeader {
 public:
  // alignment: of the data of each tensor, a power of two; what the key general.alignment says.
  explicit GgufHeader(std::uint64_t alignment);

  // A key with its type number and value as they lie in another file (GgufKey::raw).
  void add(std::string_view key, std::span<const std::byte> raw);
  void add(std::string_view key, std::uint32_t value);
  void add_float(std::string_view key, float value);
  void add_flag(std::string_view key, bool value);
  void add_text(std::string_view key, std::string_view value);
  // Arrays.
  void add_texts(std::string_view key, std::span<const std::string> values);
  void add_numbers(std::string_view key, std::span<const std::int32_t> values);
  void add_floats(std::string_view key, std::span<const float> values);
  // Tensors' data lie in the order of these calls. shape: innermost first.
  void add_tensor(std::string_view name, kernels::Dtype dtype, std::span<const std::int64_t> shape);

  std::uint64_t data_bytes() const noexcept { return data_bytes_; }  // of all tensors, padded
  // Zeros to be written after `n` bytes of data, so that the next tensor is where it should be.
  std::uint64_t padding(std::uint64_t n) const noexcept;
  std::string bytes() const;  // all that comes before the data, padded

 private:
  void begin_key(std::string_view key, std::uint32_t type);
  void begin_array(std::string_view key, std::uint32_t type, std::size_t n);

  std::uint64_t alignment_;
  std::uint64_t n_keys_ = 0;
  std::uint64_t n_tensors_ = 0;
  std::uint64_t data_bytes_ = 0;
  std::string keys_;
  std::string tensors_;
};

}  // namespace confab::engine
