// SPDX-License-Identifier: MIT
#include "engine/gguf/gguf_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "engine/error.h"

namespace confab::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF values are read as they lie");

// The value types of the specification (gguf_metadata_value_type).
enum class ValueType : std::uint32_t {
  uint8,
  int8,
  uint16,
  int16,
  uint32,
  int32,
  float32,
  boolean,
  string,
  array,
  uint64,
  int64,
  float64,
};

constexpr std::uint64_t kMaxAlignment = 1 << 16;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint32_t kMaxDims = 4;
// Larger than any tensor of a model that fits into a machine, and small enough that the sizes
// computed below cannot overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;
// The least space that a key (length, one byte of value, type) and a tensor (length, n_dims, one
// dimension, type, offset) take in the file.
constexpr std::size_t kMinKeyBytes = 8 + 4 + 1;
constexpr std::size_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;

// A read position that cannot go past the end of the bytes.
class Cursor {
 public:
  Cursor(const std::string& path, std::span<const std::byte> bytes) noexcept
      : path_(path), bytes_(bytes) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: {}", path_, what));
  }

  std::size_t pos() const noexcept { return pos_; }
  std::size_t left() const noexcept { return bytes_.size() - pos_; }
  std::span<const std::byte> since(std::size_t start) const noexcept {
    return bytes_.subspan(start, pos_ - start);
  }

  std::span<const std::byte> take(std::uint64_t n, std::string_view what) {
    if (n > left()) {
      fail(fmt::format("{} at byte {} needs {} bytes, but the file ends after {}", what, pos_, n,
                       left()));
    }
    const auto taken = bytes_.subspan(pos_, static_cast<std::size_t>(n));
    pos_ += taken.size();
    return taken;
  }

  template <typename T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

  std::string_view string(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    const auto text = take(length, what);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }

  // Reads a count of items that take at least min_bytes each.
  std::size_t count(std::string_view what, std::size_t min_bytes) {
    const auto n = number<std::uint64_t>(what);
    if (n > left() / min_bytes) {
      fail(fmt::format("{} is {}, more than the {} bytes left in the file can hold", what, n,
                       left()));
    }
    return static_cast<std::size_t>(n);
  }

 private:
  const std::string& path_;
  std::span<const std::byte> bytes_;
  std::size_t pos_ = 0;
};

template <typename T>
GgufArray read_numbers(Cursor& in) {
  const std::size_t n = in.count("array length", sizeof(T));
  std::vector<T> values(n);
  const auto bytes = in.take(n * sizeof(T), "array");
  if (n != 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

GgufArray read_booleans(Cursor& in) {
  const std::size_t n = in.count("array length", 1);
  std::vector<bool> values(n);
  const auto bytes = in.take(n, "array");
  std::transform(bytes.begin(), bytes.end(), values.begin(),
                 [](std::byte b) { return b != std::byte{0}; });
  return values;
}

GgufArray read_strings(Cursor& in) {
  std::vector<std::string_view> values(in.count("array length", sizeof(std::uint64_t)));
  for (std::string_view& value : values) value = in.string("array of strings");
  return values;
}

GgufArray read_array(Cursor& in, std::string_view key) {
  const auto type = in.number<std::uint32_t>("array type");
  switch (static_cast<ValueType>(type)) {
    case ValueType::uint8:
      return read_numbers<std::uint8_t>(in);
    case ValueType::int8:
      return read_numbers<std::int8_t>(in);
    case ValueType::uint16:
      return read_numbers<std::uint16_t>(in);
    case ValueType::int16:
      return read_numbers<std::int16_t>(in);
    case ValueType::uint32:
      return read_numbers<std::uint32_t>(in);
    case ValueType::int32:
      return read_numbers<std::int32_t>(in);
    case ValueType::float32:
      return read_numbers<float>(in);
    case ValueType::boolean:
      return read_booleans(in);
    case ValueType::string:
      return read_strings(in);
    case ValueType::uint64:
      return read_numbers<std::uint64_t>(in);
    case ValueType::int64:
      return read_numbers<std::int64_t>(in);
    case ValueType::float64:
      return read_numbers<double>(in);
    case ValueType::array:
      in.fail(fmt::format("key {} is an array of arrays, expected plain elements", printable(key)));
  }
  in.fail(fmt::format("key {} is an array of unknown type {}", printable(key), type));
}

GgufValue read_value(Cursor& in, std::string_view key) {
  const auto type = in.number<std::uint32_t>("value type");
  const auto is_unsigned = [](std::uint64_t v) { return GgufValue(v); };
  const auto is_signed = [](std::int64_t v) { return GgufValue(v); };
  const auto is_float = [](double v) { return GgufValue(v); };
  switch (static_cast<ValueType>(type)) {
    case ValueType::uint8:
      return is_unsigned(in.number<std::uint8_t>("value"));
    case ValueType::int8:
      return is_signed(in.number<std::int8_t>("value"));
    case ValueType::uint16:
      return is_unsigned(in.number<std::uint16_t>("value"));
    case ValueType::int16:
      return is_signed(in.number<std::int16_t>("value"));
    case ValueType::uint32:
      return is_unsigned(in.number<std::uint32_t>("value"));
    case ValueType::int32:
      return is_signed(in.number<std::int32_t>("value"));
    case ValueType::float32:
      return is_float(in.number<float>("value"));
    case ValueType::boolean:
      return in.number<std::uint8_t>("value") != 0;
    case ValueType::string:
      return in.string("string value");
    case ValueType::array:
      return read_array(in, key);
    case ValueType::uint64:
      return is_unsigned(in.number<std::uint64_t>("value"));
    case ValueType::int64:
      return is_signed(in.number<std::int64_t>("value"));
    case ValueType::float64:
      return is_float(in.number<double>("value"));
  }
  in.fail(fmt::format("key {} has unknown value type {}", printable(key), type));
}

template <typename Named>
void reject_duplicates(const Cursor& in, const std::vector<Named>& named, std::string_view kind) {
  std::vector<std::string_view> names(named.size());
  std::ranges::transform(named, names.begin(), &Named::name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) in.fail(fmt::format("{} {} appears twice", kind, printable(*twice)));
}

std::vector<GgufKey> read_keys(Cursor& in, std::size_t n) {
  std::vector<GgufKey> keys;
  keys.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::string_view name = in.string("key");
    const std::size_t start = in.pos();
    GgufValue value = read_value(in, name);
    keys.push_back({name, std::move(value), in.since(start)});
  }
  reject_duplicates(in, keys, "key");
  return keys;
}

std::uint64_t find_alignment(const Cursor& in, const std::vector<GgufKey>& keys) {
  const auto key = std::ranges::find(keys, "general.alignment", &GgufKey::name);
  if (key == keys.end()) return kDefaultAlignment;
  const auto* value = std::get_if<std::uint64_t>(&key->value);
  if (value == nullptr) in.fail("key general.alignment is not an unsigned integer");
  if (!std::has_single_bit(*value) || *value < 8 || *value > kMaxAlignment) {
    in.fail(fmt::format("key general.alignment is {}, expected a power of two from 8 to {}", *value,
                        kMaxAlignment));
  }
  return *value;
}

std::string known_types() {
  std::string names;
  for (std::uint32_t type = 0; type < 256; ++type) {
    if (const kernels::DtypeInfo* info = kernels::find_dtype(type)) {
      names += (names.empty() ? "" : ", ") + std::string(info->name);
    }
  }
  return names;
}

const kernels::DtypeInfo& read_dtype(Cursor& in, std::string_view tensor) {
  const auto type = in.number<std::uint32_t>("tensor type");
  if (const kernels::DtypeInfo* info = kernels::find_dtype(type)) return *info;
  // Not a number of ggml's. It was unassigned when Ollama used it for two weeks in August 2025:
  // ml/backend/ggml/ggml.go, at 9db4bdbad^ of github.com/ollama/ollama.
  constexpr std::uint32_t kOllamasMxfp4 = 4;
  if (type == kOllamasMxfp4) {
    in.fail(
        fmt::format("tensor {} is MXFP4 as Ollama's first files of gpt-oss have it, which is not "
                    "read; get the model anew: ollama pull gpt-oss, or confab pull "
                    "ggml-org/gpt-oss-20b-GGUF",
                    printable(tensor)));
  }
  const std::string_view name = kernels::ggml_type_name(type);
  in.fail(fmt::format("tensor {} has type {}, which this version cannot read; known: {}",
                      printable(tensor), name.empty() ? std::to_string(type) : std::string(name),
                      known_types()));
}

std::vector<std::int64_t> read_shape(Cursor& in, std::string_view tensor) {
  const auto n_dims = in.number<std::uint32_t>("tensor dimensions");
  if (n_dims < 1 || n_dims > kMaxDims) {
    in.fail(fmt::format("tensor {} has {} dimensions, expected 1 to {}", printable(tensor), n_dims,
                        kMaxDims));
  }
  std::vector<std::int64_t> shape;
  std::int64_t n_elements = 1;
  for (std::uint32_t i = 0; i < n_dims; ++i) {
    const auto dim = in.number<std::uint64_t>("tensor shape");
    if (dim < 1 || dim > static_cast<std::uint64_t>(kMaxElements / n_elements)) {
      in.fail(
          fmt::format("tensor {} has {} as dimension {}, expected at least 1 and at most {} "
                      "elements in all",
                      printable(tensor), dim, i, kMaxElements));
    }
    n_elements *= static_cast<std::int64_t>(dim);
    shape.push_back(static_cast<std::int64_t>(dim));
  }
  return shape;
}

// An entry of the tensor table, before the data has been located.
struct TensorEntry {
  GgufTensor tensor;  // data is empty
  std::uint64_t offset;
  std::uint64_t n_bytes;
};

TensorEntry read_tensor(Cursor& in, std::uint64_t alignment) {
  const std::string_view name = in.string("tensor name");
  std::vector<std::int64_t> shape = read_shape(in, name);
  const kernels::DtypeInfo& type = read_dtype(in, name);
  if (shape[0] % type.block != 0) {
    in.fail(fmt::format("tensor {} of type {} has rows of {}, expected a multiple of {}",
                        printable(name), type.name, shape[0], type.block));
  }
  const auto offset = in.number<std::uint64_t>("tensor offset");
  if (offset % alignment != 0) {
    in.fail(fmt::format("tensor {} starts at offset {}, expected a multiple of {}", printable(name),
                        offset, alignment));
  }
  GgufTensor tensor{name, type.dtype, std::move(shape), {}};
  const auto n_blocks = static_cast<std::uint64_t>(tensor.n_elements() / type.block);
  return {std::move(tensor), offset, n_blocks * type.block_bytes};
}

void reject_overlaps(const Cursor& in, const std::vector<TensorEntry>& entries) {
  std::vector<const TensorEntry*> sorted;
  for (const TensorEntry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, {}, &TensorEntry::offset);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->offset - sorted[i - 1]->offset < sorted[i - 1]->n_bytes) {
      in.fail(fmt::format("tensors {} and {} overlap", printable(sorted[i - 1]->tensor.name),
                          printable(sorted[i]->tensor.name)));
    }
  }
}

std::vector<GgufTensor> place_tensors(const Cursor& in, std::vector<TensorEntry> entries,
                                      std::span<const std::byte> data) {
  reject_overlaps(in, entries);
  std::vector<GgufTensor> tensors;
  tensors.reserve(entries.size());
  for (TensorEntry& entry : entries) {
    if (entry.offset > data.size() || entry.n_bytes > data.size() - entry.offset) {
      in.fail(
          fmt::format("tensor {} needs {} bytes at offset {}, but the file has only {} bytes of "
                      "tensor data",
                      printable(entry.tensor.name), entry.n_bytes, entry.offset, data.size()));
    }
    entry.tensor.data = data.subspan(static_cast<std::size_t>(entry.offset),
                                     static_cast<std::size_t>(entry.n_bytes));
    tensors.push_back(std::move(entry.tensor));
  }
  reject_duplicates(in, tensors, "tensor");
  return tensors;
}

std::uint32_t read_version(Cursor& in, std::span<const std::byte> bytes) {
  if (bytes.size() < 4 || std::memcmp(bytes.data(), "GGUF", 4) != 0) {
    in.fail("not a GGUF file: it does not start with \"GGUF\"");
  }
  in.take(4, "magic");
  const auto version = in.number<std::uint32_t>("version");
  if (version != 0 && (version & 0xFFFF) == 0)
    in.fail("a big-endian GGUF file, expected little-endian");
  if (version != 2 && version != 3) {
    in.fail(fmt::format("GGUF version {}, expected 2 or 3", version));
  }
  return version;
}

}  // namespace

GgufPart read_gguf(const std::string& path, std::span<const std::byte> bytes) {
  Cursor in(path, bytes);
  GgufPart part;
  part.version = read_version(in, bytes);
  const std::size_t n_tensors = in.count("number of tensors", kMinTensorBytes);
  const std::size_t n_keys = in.count("number of keys", kMinKeyBytes);
  part.keys = read_keys(in, n_keys);
  const std::uint64_t alignment = find_alignment(in, part.keys);

  std::vector<TensorEntry> entries;
  entries.reserve(n_tensors);
  for (std::size_t i = 0; i < n_tensors; ++i) entries.push_back(read_tensor(in, alignment));

  const std::size_t data_start =
      std::min<std::size_t>((in.pos() + alignment - 1) / alignment * alignment, bytes.size());
  part.tensors = place_tensors(in, std::move(entries), bytes.subspan(data_start));
  return part;
}

}  // namespace confab::engine
