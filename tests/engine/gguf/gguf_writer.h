// SPDX-License-Identifier: MIT
// Writes GGUF files for tests: metadata of every type, tensors, and any header field wrong on
// demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/dtype.h"

namespace confab::engine {

class GgufWriter {
 public:
  // Header fields; -1 stands for what is really there.
  std::uint32_t version = 3;
  std::int64_t n_keys = -1;
  std::int64_t n_tensors = -1;
  std::uint64_t alignment = 32;  // of offsets and data; add the key yourself when it is not 32

  // A scalar; the type in the file is that of `value` (string_view: a string).
  template <typename T>
  GgufWriter& add(std::string_view key, const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return add_raw(key, kString, encode(std::string_view(value)));
    } else {
      return add_raw(key, type_number<T>(), encode(value));
    }
  }

  template <typename T>
  GgufWriter& add_array(std::string_view key, const std::vector<T>& values) {
    std::string bytes = encode(array_type<T>()) + encode(std::uint64_t{values.size()});
    for (const auto& value : values) bytes += encode(static_cast<const T&>(value));
    return add_raw(key, kArray, bytes);
  }

  // Any type number with any bytes.
  GgufWriter& add_raw(std::string_view key, std::uint32_t type, std::string_view bytes) {
    keys_.push_back({std::string(key), encode(key) + encode(type) + std::string(bytes)});
    return *this;
  }

  // Replaces what add() gave `key` so far.
  GgufWriter& remove(std::string_view key) {
    std::erase_if(keys_, [&](const auto& entry) { return entry.first == key; });
    return *this;
  }

  // shape: innermost first. type: the number in the file.
  GgufWriter& add_tensor(std::string_view name, std::uint32_t type,
                         const std::vector<std::int64_t>& shape, std::string_view data) {
    data_.resize((data_.size() + alignment - 1) / alignment * alignment);
    tensors_.push_back({std::string(name), shape, type, data_.size()});
    data_ += data;
    return *this;
  }
  GgufWriter& add_tensor(std::string_view name, const std::vector<std::int64_t>& shape,
                         std::span<const float> values) {
    return add_tensor(name, static_cast<std::uint32_t>(kernels::Dtype::F32), shape,
                      {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::uint32_t type;
    std::uint64_t offset;  // from the start of the tensor data
  };
  std::vector<Tensor>& tensors() { return tensors_; }  // to be changed before bytes()

  // Everything up to the tensor data, without padding.
  std::string header() const {
    std::string out = "GGUF" + encode(version);
    out += encode(n_tensors < 0 ? static_cast<std::int64_t>(tensors_.size()) : n_tensors);
    out += encode(n_keys < 0 ? static_cast<std::int64_t>(keys_.size()) : n_keys);
    for (const auto& [name, bytes] : keys_) out += bytes;
    for (const Tensor& tensor : tensors_) {
      out += encode(std::string_view(tensor.name));
      out += encode(static_cast<std::uint32_t>(tensor.shape.size()));
      for (const std::int64_t dim : tensor.shape) out += encode(dim);
      out += encode(tensor.type) + encode(tensor.offset);
    }
    return out;
  }

  std::string bytes() const {
    std::string out = header();
    out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data_;
  }

  void write(const std::string& path) const {
    std::ofstream file(path, std::ios::binary);
    const std::string all = bytes();
    file.write(all.data(), static_cast<std::streamsize>(all.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
  }

  static std::string encode(std::string_view text) {
    return encode(std::uint64_t{text.size()}) + std::string(text);
  }
  template <typename T>
  requires std::is_arithmetic_v<T>
  static std::string encode(T value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
  }

 private:
  static constexpr std::uint32_t kString = 8;
  static constexpr std::uint32_t kArray = 9;

  template <typename T>
  static constexpr std::uint32_t type_number() {
    if constexpr (std::is_same_v<T, std::uint8_t>) return 0;
    if constexpr (std::is_same_v<T, std::int8_t>) return 1;
    if constexpr (std::is_same_v<T, std::uint16_t>) return 2;
    if constexpr (std::is_same_v<T, std::int16_t>) return 3;
    if constexpr (std::is_same_v<T, std::uint32_t>) return 4;
    if constexpr (std::is_same_v<T, std::int32_t>) return 5;
    if constexpr (std::is_same_v<T, float>) return 6;
    if constexpr (std::is_same_v<T, bool>) return 7;
    if constexpr (std::is_same_v<T, std::uint64_t>) return 10;
    if constexpr (std::is_same_v<T, std::int64_t>) return 11;
    if constexpr (std::is_same_v<T, double>) return 12;
  }
  template <typename T>
  static constexpr std::uint32_t array_type() {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return kString;
    } else {
      return type_number<T>();
    }
  }

  std::vector<std::pair<std::string, std::string>> keys_;  // name, all bytes of the entry
  std::vector<Tensor> tensors_;
  std::string data_;
};

}  // namespace confab::engine
