// SPDX-License-Identifier: MIT
#include "engine/safetensors/safetensors_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/json.h"
#include "engine/error.h"
#include "engine/safetensors/json_file.h"

namespace confab::engine {
namespace {

static_assert(std::endian::native == std::endian::little, "the length is read as it lies");

constexpr std::uint64_t kMaxHeader = 100'000'000;  // limit of the reference reader
constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;
constexpr std::size_t kMaxDims = 8;
constexpr std::size_t kMaxValues = 2'000'000;  // ten per tensor; the largest mixtures have 100,000

// Bits per number; 0 if unknown.
int bits_of(std::string_view dtype) noexcept {
  constexpr std::pair<std::string_view, int> kTypes[] = {
      {"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},
      {"F8_E8M0", 8}, {"U16", 16}, {"I16", 16}, {"F16", 16},    {"BF16", 16},
      {"U32", 32},    {"I32", 32}, {"F32", 32}, {"U64", 64},    {"I64", 64},
      {"F64", 64},    {"F4", 4},   {"C64", 64}, {"F6_E2M3", 6}, {"F6_E3M2", 6}};
  for (const auto& [name, bits] : kTypes)
    if (name == dtype) return bits;
  return 0;
}

class HeaderReader {
 public:
  HeaderReader(const std::string& path, std::span<const std::byte> bytes) noexcept
      : path_(path), bytes_(bytes) {}

  std::vector<SafeTensor> read() {
    const Json header = read_header();
    std::vector<SafeTensor> tensors;
    for (const auto& [name, entry] : header.members())
      if (name != "__metadata__") tensors.push_back(read_tensor(name, entry));
    std::ranges::sort(tensors, {}, [](const SafeTensor& t) { return t.data.data(); });
    for (std::size_t i = 1; i < tensors.size(); ++i) reject_overlap(tensors[i - 1], tensors[i]);
    return tensors;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw ModelError(fmt::format("{}: {}", path_, what));
  }

  Json read_header() {
    std::uint64_t length = 0;
    if (bytes_.size() < sizeof length) fail("not a safetensors file: it has less than 8 bytes");
    std::memcpy(&length, bytes_.data(), sizeof length);
    const std::uint64_t left = bytes_.size() - sizeof length;
    if (length > kMaxHeader || length < 2) {
      fail(fmt::format("not a safetensors file: its header would have {} bytes, expected 2 to {}",
                       length, kMaxHeader));
    }
    if (length > left) {
      fail(fmt::format("its header has {} bytes, but the file ends after {}; download it again",
                       length, left));
    }
    const auto text = bytes_.subspan(sizeof length, static_cast<std::size_t>(length));
    data_ = bytes_.subspan(sizeof length + static_cast<std::size_t>(length));
    try {
      Json header = Json::parse({reinterpret_cast<const char*>(text.data()), text.size()},
                                {.most_values = kMaxValues});
      if (header.is_object()) return header;
      fail("not a safetensors file: its header is not an object of JSON");
    } catch (const base::JsonError& error) {
      fail(fmt::format("not a safetensors file: its header is not an object of JSON: {}",
                       error.what()));
    }
  }

  SafeTensor read_tensor(const std::string& name, const Json& entry) const {
    if (name.empty()) fail("a tensor has no name");
    const Json* shape = entry.find("shape");
    const Json* offsets = entry.find("data_offsets");
    if (shape == nullptr || offsets == nullptr || entry.text_at("dtype").empty()) {
      fail(fmt::format("tensor {} is described without dtype, shape and data_offsets",
                       printable(name)));
    }
    SafeTensor tensor{name, entry.text_at("dtype"), {}, {}};
    const int bits = bits_of(tensor.dtype);
    if (bits == 0) {
      fail(fmt::format("tensor {} has the unknown type {}", printable(name),
                       printable(tensor.dtype)));
    }
    tensor.shape = read_shape(name, *shape);
    tensor.data = read_data(name, *offsets);
    const auto n_bits =
        static_cast<std::uint64_t>(tensor.n_elements()) * static_cast<unsigned>(bits);
    if (n_bits != 8 * std::uint64_t{tensor.data.size()}) {
      fail(fmt::format("tensor {} has {} bytes, expected {} numbers of {} bits", printable(name),
                       tensor.data.size(), tensor.n_elements(), bits));
    }
    return tensor;
  }

  std::vector<std::int64_t> read_shape(const std::string& name, const Json& dims) const {
    if (!dims.is_array() || dims.size() > kMaxDims) {
      fail(fmt::format("tensor {} has no shape of up to {} dimensions", printable(name), kMaxDims));
    }
    std::vector<std::int64_t> shape;
    std::int64_t n = 1;
    for (const Json& dim : dims.elements()) {
      const std::uint64_t size = dim.as_uint().value_or(0);
      if (size < 1 || size > static_cast<std::uint64_t>(kMaxElements / n)) {
        fail(
            fmt::format("tensor {} has a shape with {}, expected at least 1 and at most {} numbers "
                        "in all",
                        printable(name), printable(dim.excerpt()), kMaxElements));
      }
      n *= static_cast<std::int64_t>(size);
      shape.push_back(static_cast<std::int64_t>(size));
    }
    return shape;
  }

  std::span<const std::byte> read_data(const std::string& name, const Json& offsets) const {
    const auto pair = offsets.elements();
    if (pair.size() != 2 || !pair[0].as_uint() || !pair[1].as_uint()) {
      fail(fmt::format("tensor {} has no pair of data_offsets", printable(name)));
    }
    const std::uint64_t begin = *pair[0].as_uint(), end = *pair[1].as_uint();
    if (begin > end) {
      fail(
          fmt::format("tensor {} ends at {}, before it begins at {}", printable(name), end, begin));
    }
    if (end > data_.size()) {
      fail(
          fmt::format("tensor {} ends at {}, but the file has only {} bytes of data; download it "
                      "again",
                      printable(name), end, data_.size()));
    }
    return data_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

  void reject_overlap(const SafeTensor& a, const SafeTensor& b) const {
    if (a.data.data() + a.data.size() <= b.data.data()) return;
    fail(fmt::format("tensors {} and {} overlap", printable(a.name), printable(b.name)));
  }

  const std::string& path_;
  std::span<const std::byte> bytes_;
  std::span<const std::byte> data_;
};

}  // namespace

std::int64_t SafeTensor::n_elements() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::optional<kernels::Dtype> SafeTensor::number_type() const noexcept {
  if (dtype == "F32") return kernels::Dtype::F32;
  if (dtype == "F16") return kernels::Dtype::F16;
  if (dtype == "BF16") return kernels::Dtype::BF16;
  return std::nullopt;
}

std::vector<SafeTensor> read_safetensors(const std::string& path,
                                         std::span<const std::byte> bytes) {
  return HeaderReader(path, bytes).read();
}

namespace {

constexpr const char* kOne = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::size_t kMaxFiles = 1000;

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

// The tensors that each shard should contain.
using Shards = std::map<std::string, std::set<std::string>>;

Shards read_index(const std::string& path) {
  const Json index = read_json(path);
  const JsonFields fields(path, index);
  const Json* names = fields.find("weight_map");
  if (names == nullptr || !names->is_object() || names->empty()) {
    fields.fail("\"weight_map\" is missing, expected the file of each tensor");
  }
  Shards shards;
  for (const auto& [tensor, file] : names->members()) {
    const std::string name = file.is_string() ? *file.as_text() : std::string();
    const bool is_here = name.find_first_of("/\\") == name.npos && name.find('\0') == name.npos;
    if (!name.ends_with(".safetensors") || !is_here) {
      fields.fail(
          fmt::format("tensor {} is said to be in {}, expected a .safetensors file of the "
                      "same folder",
                      printable(tensor), printable(file.excerpt())));
    }
    shards[name].insert(tensor);
  }
  if (shards.size() > kMaxFiles) {
    fields.fail(fmt::format("names {} files, expected at most {}", shards.size(), kMaxFiles));
  }
  return shards;
}

void add_file(const std::string& path, WeightFiles& weights) {
  weights.files.emplace_back(path);
  weights.paths.push_back(path);
  std::vector<SafeTensor> tensors = read_safetensors(path, weights.files.back().bytes());
  std::move(tensors.begin(), tensors.end(), std::back_inserter(weights.tensors));
}

void add_shard(const std::string& path, std::set<std::string> wanted, WeightFiles& weights) {
  const std::size_t n_before = weights.tensors.size();
  add_file(path, weights);
  for (std::size_t i = n_before; i < weights.tensors.size(); ++i)
    wanted.erase(weights.tensors[i].name);
  if (wanted.empty()) return;
  throw ModelError(fmt::format("{}: tensor {} is missing, which {} says is here", path,
                               printable(*wanted.begin()), kIndex));
}

}  // namespace

WeightFiles open_weights(const std::string& folder) {
  WeightFiles weights;
  const std::string index = folder + "/" + kIndex, one = folder + "/" + kOne;
  if (!exists(index)) {
    if (!exists(one)) {
      throw ModelError(fmt::format("{}: has neither {} nor {}, so its weights are missing", folder,
                                   kOne, kIndex));
    }
    add_file(one, weights);
    return weights;
  }
  const Shards shards = read_index(index);
  for (const auto& [name, tensors] : shards) {
    const std::string path = folder + "/" + name;
    if (!exists(path)) {
      throw ModelError(
          fmt::format("{}: is one of {} files of the model, and is missing; download it "
                      "into the same folder",
                      path, shards.size()));
    }
  }
  for (const auto& [name, tensors] : shards) add_shard(folder + "/" + name, tensors, weights);
  return weights;
}

}  // namespace confab::engine
