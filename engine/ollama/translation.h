// SPDX-License-Identifier: MIT
// The front of a GGUF file told in other words: keys and tensors renamed, added, left out. The data
// of tensors stay where they are in the mapped files.
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

// What stands in the file's own tensors besides the text model: pictures, sound, and layers that
// guess further tokens.
bool has_embedded_parts(const Gguf& gguf);

// nullptr where the key is absent or holds anything but an array of T.
template <typename T>
const std::vector<T>* array_of(const Gguf& gguf, std::string_view key) {
  const GgufValue* value = gguf.find(key);
  const auto* array = value == nullptr ? nullptr : std::get_if<GgufArray>(value);
  return array == nullptr ? nullptr : std::get_if<std::vector<T>>(array);
}

// Names of keys are without the architecture ("block_count"), but for those that begin with
// "general." or "tokenizer.". What is asked is asked of the file as it is; a key is set once.
class Translation {
 public:
  // becomes: the architecture as llama.cpp calls it. Throws ModelError where the file has none.
  Translation(Gguf gguf, std::string_view becomes);

  const Gguf& gguf() const noexcept { return gguf_; }
  std::string key(std::string_view name) const;  // as the file calls it
  bool has(std::string_view name) const { return gguf_.find(key(name)) != nullptr; }
  std::optional<std::int64_t> number(std::string_view name) const;
  std::optional<double> real(std::string_view name) const;
  std::string_view text(std::string_view name) const;  // empty: it is not there

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
  // Where the file has `from`; what it calls `to` already wins.
  void rename(std::string_view from, std::string_view to);
  void leave_out(std::string_view name);

  // Tensors of layers by all that follows "blk.N.": "attn_out.weight" becomes "attn_output.weight".
  void rename_tensors(std::span<const std::pair<std::string_view, std::string_view>> names);

  // Throws ModelError, as where two tensors have got one name.
  Gguf finish() &&;

 private:
  std::string new_key(std::string_view name) const;
  std::string replace(std::string_view name);  // what the file says is gone; the key's new name
  void copy_keys();
  std::optional<std::string> new_name(std::string_view tensor) const;

  Gguf gguf_;
  std::string prefix_;      // "gptoss."
  std::string new_prefix_;  // "gpt-oss."
  GgufHeader keys_;
  std::set<std::string, std::less<>> gone_;                  // keys of the file
  std::map<std::string, std::string, std::less<>> renamed_;  // keys of the file, whole names
  std::map<std::string, std::string, std::less<>> tensors_;
};

// What several of Ollama's forms have otherwise in the keys of the tokenizer.

// Leaves out the tokens after the last row of the embeddings: those of pictures.
void cut_vocabulary(Translation& to);
// Names the rule by which text is cut, where the file says "default" or nothing.
void name_pre_tokenizer(Translation& to, std::string_view name);

}  // namespace confab::engine
