// SPDX-License-Identifier: MIT
// Rewrites the front of a GGUF file: keys and tensors are renamed, added or left out. The data of
// the tensors stays in the mapped files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/gguf/gguf.h"
#include "engine/gguf/gguf_header.h"

namespace confab::engine {

// Returns true if the file contains more than the text model: images, sound, or layers that predict
// further tokens.
bool has_embedded_parts(const Gguf& gguf);

// nullptr if the key is absent or is not an array of T.
template <typename T>
const std::vector<T>* array_of(const Gguf& gguf, std::string_view key) {
  const GgufValue* value = gguf.find(key);
  const auto* array = value == nullptr ? nullptr : std::get_if<GgufArray>(value);
  return array == nullptr ? nullptr : std::get_if<std::vector<T>>(array);
}

// Key names are given without the architecture ("block_count"), unless they begin with "general."
// or "tokenizer.". Queries refer to the original file. Each key may be set once.
class Translation {
 public:
  // becomes: llama.cpp's name of the architecture. Throws ModelError if the file names no
  // architecture.
  Translation(Gguf gguf, std::string_view becomes);

  const Gguf& gguf() const noexcept { return gguf_; }
  std::string key(std::string_view name) const;  // its full name in the file
  bool has(std::string_view name) const { return gguf_.find(key(name)) != nullptr; }
  std::optional<std::int64_t> number(std::string_view name) const;
  std::optional<double> real(std::string_view name) const;
  std::string_view text(std::string_view name) const;  // empty if absent

  void set(std::string_view name, std::uint32_t value);
  void set(std::string_view name, float value);
  void set(std::string_view name, std::string_view value);
  void set(std::string_view name, std::span<const std::int32_t> values);
  void set(std::string_view name, std::span<const float> values);
  void set(std::string_view name, std::span<const std::string> values);
  template <typename T>
  void set_if_missing(std::string_view name, const T& value) {
    if (!has(name)) set(name, value);
  }
  // Does nothing if the file lacks `from`. If the file has `to` as well, `to` wins.
  void rename(std::string_view from, std::string_view to);
  void leave_out(std::string_view name);

  // Renames tensors of layers, given by what follows "blk.N.": "attn_out.weight" becomes
  // "attn_output.weight".
  void rename_tensors(std::span<const std::pair<std::string_view, std::string_view>> names);

  // Throws ModelError, for example if two tensors end up with the same name.
  Gguf finish() &&;

 private:
  std::string new_key(std::string_view name) const;
  std::string replace(std::string_view name);  // drops the file's value; returns the key's new name
  void copy_keys();
  std::optional<std::string> new_name(std::string_view tensor) const;

  Gguf gguf_;
  std::string prefix_;      // "gptoss."
  std::string new_prefix_;  // "gpt-oss."
  GgufHeader keys_;
  std::set<std::string, std::less<>> gone_;                  // keys of the file
  std::map<std::string, std::string, std::less<>> renamed_;  // full names of keys of the file
  std::map<std::string, std::string, std::less<>> tensors_;
};

// Steps that several of Ollama's forms need for the keys of the tokenizer.

// Drops the tokens beyond the last row of the embeddings, which stand for images.
void cut_vocabulary(Translation& to);
// Sets the pre-tokenizer if the file says "default" or nothing.
void name_pre_tokenizer(Translation& to, std::string_view name);

}  // namespace confab::engine
