// SPDX-License-Identifier: MIT
#include "engine/gguf/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

#include "engine/error.h"
#include "engine/gguf/gguf_reader.h"

namespace confab::engine {
namespace {

constexpr int kMaxParts = 1000;

// The indices of `named`, sorted by name.
template <typename Named>
std::vector<std::size_t> sorted_by_name(const std::vector<Named>& named) {
  std::vector<std::size_t> order(named.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return named[i].name; });
  return order;
}

template <typename Named>
const Named* find_named(const std::vector<Named>& named, const std::vector<std::size_t>& order,
                        std::string_view name) noexcept {
  const auto it =
      std::ranges::lower_bound(order, name, {}, [&](std::size_t i) { return named[i].name; });
  return it != order.end() && named[*it].name == name ? &named[*it] : nullptr;
}

// The path of part i of n. It lies next to the first part, whose name must end in
// -00001-of-0000N.gguf.
std::string part_path(const Gguf& gguf, int i, int n) {
  const std::string& first = gguf.path();
  const std::string ending = fmt::format("-00001-of-{:05}.gguf", n);
  if (!first.ends_with(ending)) {
    gguf.fail(fmt::format("is the first of {} parts, so its name must end in {}", n, ending));
  }
  return fmt::format("{}-{:05}-of-{:05}.gguf", first.substr(0, first.size() - ending.size()), i + 1,
                     n);
}

void check_part(const Gguf& gguf, const Gguf& part, int i, int n) {
  const auto no = part.find_int("split.no"), count = part.find_int("split.count");
  if (!no || !count)
    part.fail(fmt::format("is not part of a model, expected one of {}", gguf.path()));
  if (*no != i || *count != n) {
    part.fail(fmt::format("says it is part {} of {}, expected part {} of {} of {}", *no + 1, *count,
                          i + 1, n, gguf.path()));
  }
}

std::string_view type_name(const GgufValue& value) noexcept {
  constexpr std::array<std::string_view, std::variant_size_v<GgufValue>> kNames{
      "an unsigned integer", "a signed integer", "a float", "a boolean", "a string", "an array"};
  return kNames[value.index()];
}

}  // namespace

std::int64_t GgufTensor::n_elements() const noexcept {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

kernels::WeightRows GgufTensor::rows() const noexcept {
  return {dtype, data.data(), shape[0], kernels::row_bytes(dtype, shape[0]), side};
}

struct Gguf::Impl {
  std::string path;
  std::vector<std::string> paths;  // of all parts
  std::vector<MappedFile> files;
  GgufPart part;  // keys of the first part, tensors of all parts
  std::vector<std::size_t> keys_by_name;
  std::vector<std::size_t> tensors_by_name;
  // Like the members of GgufContents.
  std::string metadata;
  std::deque<std::string> names;
  std::deque<std::vector<float>> vectors;
};

std::unique_ptr<Gguf::Impl> Gguf::open_file(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  impl->paths.push_back(path);
  impl->files.emplace_back(path);
  impl->part = read_gguf(path, impl->files.front().bytes());
  impl->keys_by_name = sorted_by_name(impl->part.keys);
  return impl;
}

Gguf::Gguf(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Gguf::Gguf(const std::string& path) : Gguf(open_file(path)) {
  const std::int64_t n_parts = find_int("split.count").value_or(1);
  if (n_parts > 1) open_other_parts(n_parts);
  sort_tensors();
}

Gguf::Gguf(GgufContents contents) : impl_(std::make_unique<Impl>()) {
  impl_->path = std::move(contents.path);
  impl_->paths = std::move(contents.part_paths);
  impl_->files = std::move(contents.files);
  impl_->metadata = std::move(contents.metadata);
  impl_->names = std::move(contents.names);
  impl_->vectors = std::move(contents.vectors);
  impl_->part = read_gguf(impl_->path, std::as_bytes(std::span(impl_->metadata)));
  impl_->part.tensors = std::move(contents.tensors);
  impl_->keys_by_name = sorted_by_name(impl_->part.keys);
  sort_tensors();
}

GgufContents Gguf::take_apart() && {
  return {.path = std::move(impl_->path),
          .part_paths = std::move(impl_->paths),
          .files = std::move(impl_->files),
          .metadata = {},
          .tensors = std::move(impl_->part.tensors),
          .names = std::move(impl_->names),
          .vectors = std::move(impl_->vectors)};
}

void Gguf::sort_tensors() {
  impl_->tensors_by_name = sorted_by_name(impl_->part.tensors);
  const auto& tensors = impl_->part.tensors;
  const auto twice = std::ranges::adjacent_find(impl_->tensors_by_name, {},
                                                [&](std::size_t i) { return tensors[i].name; });
  if (twice != impl_->tensors_by_name.end()) {
    fail(fmt::format("tensor {} appears twice", printable(tensors[*twice].name)));
  }
}

void Gguf::open_other_parts(std::int64_t n_parts) {
  if (n_parts > kMaxParts) {
    fail(fmt::format("key split.count is {}, expected at most {}", n_parts, kMaxParts));
  }
  const int n = static_cast<int>(n_parts);
  if (const std::int64_t no = find_int("split.no").value_or(0); no != 0) {
    fail(fmt::format("is part {} of a model in {} files; open the first file instead", no + 1, n));
  }
  for (int i = 1; i < n; ++i) {
    const std::string path = part_path(*this, i, n);
    if (!std::filesystem::exists(path)) {
      fail(fmt::format("is the first of {} parts, and {} is missing", n, path));
    }
    Gguf part(open_file(path));
    check_part(*this, part, i, n);
    std::ranges::move(part.impl_->part.tensors, std::back_inserter(impl_->part.tensors));
    impl_->paths.push_back(path);
    impl_->files.push_back(std::move(part.impl_->files.front()));
  }
  const auto n_tensors = static_cast<std::int64_t>(impl_->part.tensors.size());
  const std::int64_t want = find_int("split.tensors.count").value_or(n_tensors);
  if (want != n_tensors) {
    fail(fmt::format("its {} parts have {} tensors, expected {}", n, n_tensors, want));
  }
}

Gguf::~Gguf() = default;
Gguf::Gguf(Gguf&&) noexcept = default;
Gguf& Gguf::operator=(Gguf&&) noexcept = default;

const std::string& Gguf::path() const noexcept {
  return impl_->path;
}
std::span<const std::string> Gguf::part_paths() const noexcept {
  return impl_->paths;
}
std::uint32_t Gguf::version() const noexcept {
  return impl_->part.version;
}
std::span<const GgufKey> Gguf::keys() const noexcept {
  return impl_->part.keys;
}
std::span<const GgufTensor> Gguf::tensors() const noexcept {
  return impl_->part.tensors;
}

std::uint64_t Gguf::file_bytes() const noexcept {
  std::uint64_t total = 0;
  for (const MappedFile& file : impl_->files) total += file.bytes().size();
  return total;
}

std::string Gguf::identity() const {
  std::string all;
  for (const MappedFile& file : impl_->files) {
    all += all.empty() ? "" : ", ";
    all += file.identity();
  }
  return all;
}

FileState Gguf::state() const noexcept {
  FileState worst = FileState::same;
  for (const MappedFile& file : impl_->files) worst = std::max(worst, file.state());
  return worst;
}

FileState Gguf::check() const {
  FileState worst = FileState::same;
  for (std::size_t i = 0; i < impl_->files.size(); ++i) {
    const FileState state = impl_->files[i].state();
    worst = std::max(worst, state);
    if (state != FileState::changed) continue;
    throw ModelError(
        fmt::format("{}: the file was overwritten or truncated while in use; load the model again "
                    "once the file is complete",
                    impl_->paths[i]));
  }
  return worst;
}

void Gguf::guard() const noexcept {
  for (const MappedFile& file : impl_->files) file.guard();
}

void Gguf::give_back() const noexcept {
  for (const MappedFile& file : impl_->files) file.give_back();
}

void Gguf::read_soon() const noexcept {
  for (const MappedFile& file : impl_->files) file.read_soon();
}

const MappedFile* Gguf::file_of(std::span<const std::byte> bytes) const noexcept {
  for (const MappedFile& file : impl_->files) {
    if (file.has(bytes)) return &file;
  }
  return nullptr;
}

const GgufValue* Gguf::find(std::string_view key) const noexcept {
  const GgufKey* found = find_named(impl_->part.keys, impl_->keys_by_name, key);
  return found == nullptr ? nullptr : &found->value;
}

const GgufTensor* Gguf::find_tensor(std::string_view name) const noexcept {
  return find_named(impl_->part.tensors, impl_->tensors_by_name, name);
}

std::optional<std::int64_t> Gguf::find_int(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<std::int64_t>(value)) return *v;
  if (const auto* v = std::get_if<std::uint64_t>(value)) {
    if (std::in_range<std::int64_t>(*v)) return static_cast<std::int64_t>(*v);
    fail(fmt::format("key {} is {}, which is too large", key, *v));
  }
  fail(fmt::format("key {} is {}, expected an integer", key, type_name(*value)));
}

std::optional<double> Gguf::find_float(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<double>(value)) return *v;
  if (const auto* v = std::get_if<std::int64_t>(value)) return static_cast<double>(*v);
  if (const auto* v = std::get_if<std::uint64_t>(value)) return static_cast<double>(*v);
  fail(fmt::format("key {} is {}, expected a number", key, type_name(*value)));
}

std::optional<bool> Gguf::find_bool(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<bool>(value)) return *v;
  fail(fmt::format("key {} is {}, expected a boolean", key, type_name(*value)));
}

std::optional<std::string_view> Gguf::find_string(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* v = std::get_if<std::string_view>(value)) return *v;
  fail(fmt::format("key {} is {}, expected a string", key, type_name(*value)));
}

template <typename T>
const std::vector<T>* Gguf::find_array(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return nullptr;
  if (const auto* array = std::get_if<GgufArray>(value)) {
    if (const auto* v = std::get_if<std::vector<T>>(array)) return v;
    fail(fmt::format("key {} is an array of the wrong type", key));
  }
  fail(fmt::format("key {} is {}, expected an array", key, type_name(*value)));
}

template const std::vector<std::uint8_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::int8_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::uint16_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::int16_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::uint32_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::int32_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::uint64_t>* Gguf::find_array(std::string_view) const;
template const std::vector<std::int64_t>* Gguf::find_array(std::string_view) const;
template const std::vector<float>* Gguf::find_array(std::string_view) const;
template const std::vector<double>* Gguf::find_array(std::string_view) const;
template const std::vector<bool>* Gguf::find_array(std::string_view) const;
template const std::vector<std::string_view>* Gguf::find_array(std::string_view) const;

void Gguf::fail(const std::string& what) const {
  throw ModelError(fmt::format("{}: {}", impl_->path, what));
}

}  // namespace confab::engine
