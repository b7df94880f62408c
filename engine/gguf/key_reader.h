// SPDX-License-Identifier: MIT
// Reads the metadata keys of one architecture ("llama.block_count") and checks each value. All
// functions throw ModelError: a missing key, a value of another type or outside of its range.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace confab::engine {

class Gguf;

class KeyReader {
 public:
  // Borrows the file. architecture: "llama".
  KeyReader(const Gguf& gguf, std::string_view architecture);

  const Gguf& gguf() const noexcept { return gguf_; }
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  bool has(std::string_view name) const;
  // The error "key NAME is VALUE, expected WHAT".
  [[noreturn]] void refuse(std::string_view name, std::string_view value,
                           std::string_view expected) const;

  int count(std::string_view name, int max) const;  // 1 to max
  int count_or(std::string_view name, int max, int otherwise) const;
  int natural_or(std::string_view name, int max, int otherwise) const;  // 0 to max
  // One value a layer: an array of n_layer, or one number for all.
  std::vector<int> counts(std::string_view name, int n_layer, int max) const;

  float positive(std::string_view name) const;
  float positive_or(std::string_view name, float otherwise) const;
  float finite_or(std::string_view name, float otherwise) const;
  bool flag_or(std::string_view name, bool otherwise) const;

  // An array of n_layer or more integers or booleans; empty when the key is missing.
  std::vector<bool> flags_or_empty(std::string_view name, int n_layer) const;
  // Which layers look back at a window only (attention.sliding_window_pattern): an array of
  // n_layer, or a period p, of which all but the last layer do; p = otherwise when the key is
  // missing.
  std::vector<bool> window_pattern(int n_layer, int otherwise) const;

 private:
  int checked(std::string_view name, std::int64_t value, int min, int max) const;

  const Gguf& gguf_;
  std::string prefix_;
};

}  // namespace confab::engine
