// SPDX-License-Identifier: MIT
// The front of a GGUF file to be written, version 3: the metadata and the table of tensors whose
// data follows. Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
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
  // alignment applies to the data of each tensor. It is a power of two and must match the key
  // general.alignment.
  explicit GgufHeader(std::uint64_t alignment);

  // Adds a key with its type number and value copied from another file (GgufKey::raw).
  void add(std::string_view key, std::span<const std::byte> raw);
  void add(std::string_view key, std::uint32_t value);
  void add_float(std::string_view key, float value);
  void add_flag(std::string_view key, bool value);
  void add_text(std::string_view key, std::string_view value);
  // Arrays.
  void add_texts(std::string_view key, std::span<const std::string> values);
  void add_numbers(std::string_view key, std::span<const std::int32_t> values);
  void add_floats(std::string_view key, std::span<const float> values);
  // The data of the tensors must follow in the order of these calls. shape: innermost first.
  void add_tensor(std::string_view name, kernels::Dtype dtype, std::span<const std::int64_t> shape);

  std::uint64_t data_bytes() const noexcept { return data_bytes_; }  // all tensors, padded
  // The number of zero bytes to write after `n` bytes of data, to align the next tensor.
  std::uint64_t padding(std::uint64_t n) const noexcept;
  std::string bytes() const;  // everything before the data, padded

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
