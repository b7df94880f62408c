// SPDX-License-Identifier: MIT
// A GGUF file (v2 or v3, one file or a split set), mapped read-only: metadata and tensors by name.
//
// Everything read from the file is checked before it is used: counts against the bytes that are
// left, offsets and sizes against the file, names against each other. Strings and spans borrow from
// the object. Source: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/gguf/mapped_file.h"
#include "kernels/kernel_table.h"

namespace confab::engine {

// Array values keep their element type; strings are views into the mapped file.
using GgufArray =
    std::variant<std::vector<std::uint8_t>, std::vector<std::int8_t>, std::vector<std::uint16_t>,
                 std::vector<std::int16_t>, std::vector<std::uint32_t>, std::vector<std::int32_t>,
                 std::vector<float>, std::vector<bool>, std::vector<std::string_view>,
                 std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>>;
using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view,
                               GgufArray>;  // scalars are widened to 64 bits

struct GgufKey {
  std::string_view name;
  GgufValue value;
  std::span<const std::byte> raw;  // type number and value, as in the file
};

struct GgufTensor {
  std::string_view name;
  kernels::Dtype dtype;
  std::vector<std::int64_t> shape;  // innermost (row length) first, as in the file
  std::span<const std::byte> data;
  kernels::SideScales side{};  // set for tensors of some other file formats

  std::int64_t n_elements() const noexcept;
  // All rows of its matrices, one matrix after the other. A row has shape[0] weights.
  std::int64_t n_rows() const noexcept { return n_elements() / shape[0]; }
  kernels::WeightRows rows() const noexcept;
  std::size_t n_bytes() const noexcept { return data.size() + side.n_bytes(n_rows(), shape[0]); }
};

// The contents of a model stored in another format, expressed as GGUF.
struct GgufContents {
  std::string path;                     // names the model in messages
  std::vector<std::string> part_paths;  // parallel to `files`
  std::vector<MappedFile> files;
  std::string metadata;                    // GgufHeader::bytes() without tensors
  std::vector<GgufTensor> tensors;         // names and data borrowed from the other members
  std::deque<std::string> names;           // deques, so that borrowed elements stay in place
  std::deque<std::vector<float>> vectors;  // data that no file holds in the required form
};

class Gguf {
 public:
  // Opens PATH and, if it is the first of a split set, the other parts. Throws ModelError.
  explicit Gguf(const std::string& path);
  // Throws ModelError if the metadata is damaged or a name appears twice.
  explicit Gguf(GgufContents contents);
  ~Gguf();
  Gguf(Gguf&&) noexcept;
  Gguf& operator=(Gguf&&) noexcept;

  const std::string& path() const noexcept;
  std::span<const std::string> part_paths() const noexcept;  // path() is the first
  std::uint32_t version() const noexcept;
  std::uint64_t file_bytes() const noexcept;  // total of all parts
  std::string identity() const;               // MappedFile::identity() of all parts
  // The worst state of any part. Costs a system call per part.
  FileState state() const noexcept;
  // The same, but throws a ModelError that names the part if the state is FileState::changed.
  FileState check() const;
  // The functions of MappedFile, applied to all parts.
  void guard() const noexcept;
  void give_back() const noexcept;
  void read_soon() const noexcept;
  // Returns the part that contains these bytes, or nullptr if no file does. The part lives as long
  // as the Gguf's data.
  const MappedFile* file_of(std::span<const std::byte> bytes) const noexcept;
  std::span<const GgufKey> keys() const noexcept;
  std::span<const GgufTensor> tensors() const noexcept;

  const GgufValue* find(std::string_view key) const noexcept;           // nullptr: absent
  const GgufTensor* find_tensor(std::string_view name) const noexcept;  // nullptr: absent

  // Typed reads. They return nullopt if the key is absent and throw ModelError if the value has
  // another type or does not fit. Any integer type counts as an integer, any number as a float.
  std::optional<std::int64_t> find_int(std::string_view key) const;
  std::optional<double> find_float(std::string_view key) const;
  std::optional<bool> find_bool(std::string_view key) const;
  std::optional<std::string_view> find_string(std::string_view key) const;
  // Returns nullptr if absent. Throws ModelError if the value is not an array of T.
  template <typename T>
  const std::vector<T>* find_array(std::string_view key) const;

  // Moves out everything but the metadata, to be combined with other metadata. Names and data stay
  // where they are as long as the parts exist.
  GgufContents take_apart() &&;

  // Throws a ModelError that names this file: "PATH: <what>".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Impl;
  explicit Gguf(std::unique_ptr<Impl> impl);
  static std::unique_ptr<Impl> open_file(const std::string& path);
  void sort_tensors();
  void open_other_parts(std::int64_t n_parts);

  std::unique_ptr<Impl> impl_;
};

}  // namespace confab::engine
