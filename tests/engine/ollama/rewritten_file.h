// SPDX-License-Identifier: MIT
// A golden model taken apart, told in other words, and written again: the same weights in
// llama.cpp's form and in Ollama's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/safetensors/open_model.h"
#include "tests/engine/cpu/run_model.h"
#include "tests/engine/error_of.h"
#include "tests/engine/gguf/gguf_writer.h"
#include "tests/temp_dir.h"

namespace confab::engine {

class RewrittenFile {
 public:
  // Of tests/data/arch/NAME.
  explicit RewrittenFile(const std::string& golden)
      : RewrittenFile(Gguf(CONFAB_SOURCE_DIR "/tests/data/arch/" + golden + "/model.gguf")) {}
  explicit RewrittenFile(const Gguf& from) {
    for (const GgufKey& key : from.keys()) {
      const std::string raw(reinterpret_cast<const char*>(key.raw.data()), key.raw.size());
      std::uint32_t type = 0;
      std::memcpy(&type, raw.data(), sizeof type);
      keys_.push_back({std::string(key.name), type, raw.substr(sizeof type)});
    }
    for (const GgufTensor& tensor : from.tensors()) {
      tensors_.push_back({std::string(tensor.name),
                          static_cast<std::uint32_t>(tensor.dtype),
                          tensor.shape,
                          {reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size()}});
    }
  }

  // Its name, and the beginning of its keys.
  RewrittenFile& architecture(const std::string& from, const std::string& to) {
    for (Key& key : keys_)
      if (key.name.starts_with(from + '.')) key.name = to + key.name.substr(from.size());
    return set("general.architecture", std::string_view(to));
  }
  template <typename T>
  RewrittenFile& set(const std::string& name, const T& value) {
    drop(name);
    added_.add(name, value);
    return *this;
  }
  template <typename T>
  RewrittenFile& set_array(const std::string& name, const std::vector<T>& values) {
    drop(name);
    added_.add_array(name, values);
    return *this;
  }
  RewrittenFile& rename(const std::string& from, const std::string& to) {
    key(from).name = to;
    return *this;
  }
  RewrittenFile& drop(const std::string& name) {
    std::erase_if(keys_, [&](const Key& key) { return key.name == name; });
    added_.remove(name);
    return *this;
  }
  // By what follows "blk.N.".
  RewrittenFile& rename_tensors(std::string_view from, std::string_view to) {
    int n = 0;
    for (Tensor& tensor : tensors_) {
      const std::size_t begin = tensor.name.find('.', 4) + 1;
      if (!tensor.name.starts_with("blk.") || tensor.name.substr(begin) != from) continue;
      tensor.name = tensor.name.substr(0, begin) + std::string(to);
      ++n;
    }
    EXPECT_GT(n, 0) << from;
    return *this;
  }
  RewrittenFile& rename_tensor(std::string_view from, std::string_view to) {
    const auto found = std::ranges::find(tensors_, from, &Tensor::name);
    EXPECT_NE(found, tensors_.end()) << from;
    found->name = to;
    return *this;
  }
  RewrittenFile& drop_tensor(std::string_view name) {
    EXPECT_EQ(std::erase_if(tensors_, [&](const Tensor& t) { return t.name == name; }), 1u) << name;
    return *this;
  }
  RewrittenFile& add_tensor(const std::string& name, const std::vector<std::int64_t>& shape) {
    std::int64_t n = 1;
    for (const std::int64_t dim : shape) n *= dim;
    tensors_.push_back({name, 0, shape, std::string(static_cast<std::size_t>(n) * 4, '\0')});
    return *this;
  }
  GgufWriter writer() const {
    GgufWriter writer = added_;
    for (const Key& key : keys_) writer.add_raw(key.name, key.type, key.bytes);
    for (const Tensor& tensor : tensors_)
      writer.add_tensor(tensor.name, tensor.type, tensor.shape, tensor.bytes);
    return writer;
  }
  // As the program opens it.
  Gguf open() const {
    const TempDir dir;
    writer().write(dir / "model.gguf");
    return open_model(dir / "model.gguf");
  }

 private:
  struct Key {
    std::string name;
    std::uint32_t type;
    std::string bytes;
  };
  struct Tensor {
    std::string name;
    std::uint32_t type;
    std::vector<std::int64_t> shape;
    std::string bytes;
  };

  Key& key(const std::string& name) {
    const auto found = std::ranges::find(keys_, name, &Key::name);
    if (found == keys_.end()) throw std::runtime_error("the golden file has no key " + name);
    return *found;
  }

  std::vector<Key> keys_;
  std::vector<Tensor> tensors_;
  GgufWriter added_;
};

// Of some tokens of the 64 that golden models know.
inline std::vector<float> golden_logits_of(Gguf gguf) {
  Hparams hparams = Hparams::load(gguf);
  Weights weights = Weights::load(gguf, hparams);
  const Model model{std::move(gguf), std::move(hparams), std::move(weights), nullptr};
  return run_model(model, some_tokens(40, 7, 64), {.n_ctx = 64}, {40});
}

// That the two forms of a model are one: every bit of the logits, and of what the tokenizer reads.
inline void expect_same_model(const RewrittenFile& ollamas, const RewrittenFile& llamas) {
  Gguf theirs = ollamas.open(), ours = llamas.open();
  EXPECT_EQ(theirs.tensors().size(), ours.tensors().size());
  for (const GgufTensor& tensor : ours.tensors())
    EXPECT_NE(theirs.find_tensor(tensor.name), nullptr) << tensor.name;
  for (const GgufKey& key : ours.keys()) {
    if (!key.name.starts_with("tokenizer.")) continue;
    const GgufValue* value = theirs.find(key.name);
    ASSERT_NE(value, nullptr) << key.name;
    EXPECT_TRUE(*value == key.value) << key.name;
  }
  const std::vector<float> got = golden_logits_of(std::move(theirs));
  EXPECT_TRUE(same_bits(got, golden_logits_of(std::move(ours))));
  EXPECT_NE(got.front(), got.back());
}

// What opening it, or reading its sizes and weights, says.
inline std::string fault_of(const RewrittenFile& file) {
  return error_of([&] { golden_logits_of(file.open()); });
}

}  // namespace confab::engine
