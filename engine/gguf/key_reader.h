// SPDX-License-Identifier: MIT
// Reads the metadata keys of one architecture ("llama.block_count") and checks each value. All
// functions throw ModelError if a key is missing, or its value has the wrong type or is out of
// range.
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
  // Throws the error "key NAME is VALUE, expected WHAT".
  [[noreturn]] void refuse(std::string_view name, std::string_view value,
                           std::string_view expected) const;

  int count(std::string_view name, int max) const;  // 1 to max
  int count_or(std::string_view name, int max, int otherwise) const;
  int natural_or(std::string_view name, int max, int otherwise) const;  // 0 to max
  // Returns one value per layer, from an array of n_layer or from one number for all.
  std::vector<int> counts(std::string_view name, int n_layer, int max) const;

  float positive(std::string_view name) const;
  float positive_or(std::string_view name, float otherwise) const;
  float finite_or(std::string_view name, float otherwise) const;
  bool flag_or(std::string_view name, bool otherwise) const;

  // Returns an array of n_layer or more integers or booleans, or an empty one if the key is
  // missing.
  std::vector<bool> flags_or_empty(std::string_view name, int n_layer) const;
  // Returns which layers have a sliding window (attention.sliding_window_pattern). The key is an
  // array of n_layer, or a period p in which every layer but the last has a window. p = otherwise
  // if the key is missing.
  std::vector<bool> window_pattern(int n_layer, int otherwise) const;

 private:
  int checked(std::string_view name, std::int64_t value, int min, int max) const;

  const Gguf& gguf_;
  std::string prefix_;
};

}  // namespace confab::engine
