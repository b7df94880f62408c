// SPDX-License-Identifier: MIT
#include "engine/gguf/gguf_header.h"

#include <bit>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>

namespace confab::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF values are written as they lie");

constexpr std::uint32_t kVersion = 3;
constexpr std::uint32_t kUint32 = 4;  // gguf_metadata_value_type

template <typename T>
void append(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

void append_string(std::string& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  out += text;
}

}  // namespace

GgufHeader::GgufHeader(std::uint64_t alignment) : alignment_(alignment) {
  assert(std::has_single_bit(alignment));
}

std::uint64_t GgufHeader::padding(std::uint64_t n) const noexcept {
  return (alignment_ - n % alignment_) % alignment_;
}

void GgufHeader::add(std::string_view key, std::span<const std::byte> raw) {
  append_string(keys_, key);
  keys_.append(reinterpret_cast<const char*>(raw.data()), raw.size());
  ++n_keys_;
}

void GgufHeader::add(std::string_view key, std::uint32_t value) {
  append_string(keys_, key);
  append(keys_, kUint32);
  append(keys_, value);
  ++n_keys_;
}

void GgufHeader::add_tensor(std::string_view name, kernels::Dtype dtype,
                            std::span<const std::int64_t> shape) {
  append_string(tensors_, name);
  append(tensors_, static_cast<std::uint32_t>(shape.size()));
  for (const std::int64_t dim : shape) append(tensors_, static_cast<std::uint64_t>(dim));
  append(tensors_, static_cast<std::uint32_t>(dtype));
  append(tensors_, data_bytes_);
  ++n_tensors_;
  const std::int64_t n_rows =
      std::accumulate(shape.begin() + 1, shape.end(), std::int64_t{1}, std::multiplies<>());
  const std::uint64_t n_bytes =
      kernels::row_bytes(dtype, shape[0]) * static_cast<std::uint64_t>(n_rows);
  data_bytes_ += n_bytes + padding(n_bytes);
}

std::string GgufHeader::bytes() const {
  std::string out = "GGUF";
  append(out, kVersion);
  append(out, n_tensors_);
  append(out, n_keys_);
  out += keys_;
  out += tensors_;
  out.append(padding(out.size()), '\0');
  return out;
}

}  // namespace confab::engine
