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
// Values of gguf_metadata_value_type.
constexpr std::uint32_t kUint32 = 4, kInt32 = 5, kFloat32 = 6, kBool = 7, kString = 8, kArray = 9;

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

void GgufHeader::begin_key(std::string_view key, std::uint32_t type) {
  append_string(keys_, key);
  append(keys_, type);
  ++n_keys_;
}

void GgufHeader::begin_array(std::string_view key, std::uint32_t type, std::size_t n) {
  begin_key(key, kArray);
  append(keys_, type);
  append(keys_, std::uint64_t{n});
}

void GgufHeader::add(std::string_view key, std::uint32_t value) {
  begin_key(key, kUint32);
  append(keys_, value);
}

void GgufHeader::add_float(std::string_view key, float value) {
  begin_key(key, kFloat32);
  append(keys_, value);
}

void GgufHeader::add_flag(std::string_view key, bool value) {
  begin_key(key, kBool);
  append(keys_, std::uint8_t{value});
}

void GgufHeader::add_text(std::string_view key, std::string_view value) {
  begin_key(key, kString);
  append_string(keys_, value);
}

void GgufHeader::add_texts(std::string_view key, std::span<const std::string> values) {
  begin_array(key, kString, values.size());
  for (const std::string& value : values) append_string(keys_, value);
}

void GgufHeader::add_numbers(std::string_view key, std::span<const std::int32_t> values) {
  begin_array(key, kInt32, values.size());
  for (const std::int32_t value : values) append(keys_, value);
}

void GgufHeader::add_floats(std::string_view key, std::span<const float> values) {
  begin_array(key, kFloat32, values.size());
  for (const float value : values) append(keys_, value);
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
