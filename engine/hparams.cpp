// SPDX-License-Identifier: MIT
#include "engine/hparams.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engine/arch/architecture.h"
#include "engine/error.h"
#include "engine/gguf.h"

namespace confab::engine {
namespace {

// Above all models there are, and low enough that products of a few of them do not overflow.
constexpr int kMaxContext = 1 << 28;
constexpr int kMaxLayers = 1 << 12;
constexpr int kMaxWidth = 1 << 20;  // n_embd, n_ff
constexpr int kMaxHeads = 1 << 12;
constexpr int kMaxHeadDim = 1 << 12;
constexpr int kMaxVocab = 1 << 24;

// Reads the keys of one architecture and checks each value.
class KeyReader {
 public:
  KeyReader(const Gguf& gguf, const std::string& architecture)
      : gguf_(gguf), prefix_(architecture + ".") {}

  std::string key(std::string_view name) const { return prefix_ + std::string(name); }

  int count(std::string_view name, int max) const {
    const auto value = gguf_.find_int(key(name));
    if (!value) gguf_.fail(fmt::format("key {} is missing", key(name)));
    return checked(name, *value, max);
  }
  int count_or(std::string_view name, int max, int otherwise) const {
    const auto value = gguf_.find_int(key(name));
    return value ? checked(name, *value, max) : otherwise;
  }

  float positive(std::string_view name, float otherwise) const {
    const double value = gguf_.find_float(key(name)).value_or(otherwise);
    return checked_positive(name, value);
  }
  float positive(std::string_view name) const {
    const auto value = gguf_.find_float(key(name));
    if (!value) gguf_.fail(fmt::format("key {} is missing", key(name)));
    return checked_positive(name, *value);
  }

 private:
  int checked(std::string_view name, std::int64_t value, int max) const {
    if (value < 1 || value > max) {
      gguf_.fail(fmt::format("key {} is {}, expected 1 to {}", key(name), value, max));
    }
    return static_cast<int>(value);
  }
  float checked_positive(std::string_view name, double value) const {
    const auto narrow = static_cast<float>(value);
    if (!std::isfinite(narrow) || narrow <= 0) {
      gguf_.fail(fmt::format("key {} is {}, expected a positive number", key(name), value));
    }
    return narrow;
  }

  const Gguf& gguf_;
  std::string prefix_;
};

const Architecture& read_architecture(const Gguf& gguf) {
  const auto name = gguf.find_string("general.architecture");
  if (!name) gguf.fail("key general.architecture is missing");
  const Architecture* architecture = find_architecture(*name);
  if (architecture == nullptr) {
    gguf.fail(fmt::format("unknown architecture \"{}\"; known: {}", printable(*name),
                          known_architectures()));
  }
  return *architecture;
}

int read_n_vocab(const Gguf& gguf) {
  const GgufTensor* embeddings = gguf.find_tensor("token_embd.weight");
  if (embeddings == nullptr) gguf.fail("tensor token_embd.weight is missing");
  const std::int64_t n = embeddings->shape.size() < 2 ? 0 : embeddings->shape[1];
  if (n < 1 || n > kMaxVocab) {
    gguf.fail(fmt::format("tensor token_embd.weight has {} rows, expected 1 to {}", n, kMaxVocab));
  }
  return static_cast<int>(n);
}

void read_heads(const Gguf& gguf, const KeyReader& keys, Hparams& hp) {
  hp.n_head = keys.count("attention.head_count", kMaxHeads);
  hp.n_head_kv = keys.count_or("attention.head_count_kv", kMaxHeads, hp.n_head);
  if (hp.n_head % hp.n_head_kv != 0) {
    gguf.fail(fmt::format("key {} is {}, expected a divisor of the {} heads",
                          keys.key("attention.head_count_kv"), hp.n_head_kv, hp.n_head));
  }
  const bool has_head_dim = gguf.find(keys.key("attention.key_length")) != nullptr &&
                            gguf.find(keys.key("attention.value_length")) != nullptr;
  if (!has_head_dim && hp.n_embd % hp.n_head != 0) {
    gguf.fail(fmt::format("key {} is {}, expected a divisor of the embedding length {}",
                          keys.key("attention.head_count"), hp.n_head, hp.n_embd));
  }
  hp.head_dim_k = keys.count_or("attention.key_length", kMaxHeadDim, hp.n_embd / hp.n_head);
  hp.head_dim_v = keys.count_or("attention.value_length", kMaxHeadDim, hp.n_embd / hp.n_head);
  hp.n_rot = keys.count_or("rope.dimension_count", hp.head_dim_k, hp.head_dim_k);
  if (hp.n_rot % 2 != 0) {
    gguf.fail(fmt::format("key {} is {}, expected an even number", keys.key("rope.dimension_count"),
                          hp.n_rot));
  }
}

// Without a type, a factor means linear scaling: files older than the key.
RopeScaling read_scaling_type(const Gguf& gguf, const KeyReader& keys) {
  const std::string key = keys.key("rope.scaling.type");
  const std::string_view type = gguf.find_string(key).value_or("linear");
  if (type == "none") return RopeScaling::none;
  if (type == "linear") return RopeScaling::linear;
  if (type == "yarn") return RopeScaling::yarn;
  gguf.fail(fmt::format("key {} is \"{}\", expected none, linear or yarn", key, printable(type)));
}

void read_rope(const Gguf& gguf, const KeyReader& keys, Hparams& hp) {
  hp.rope_freq_base = keys.positive("rope.freq_base", hp.rope_freq_base);
  hp.rope_scaling = read_scaling_type(gguf, keys);
  if (hp.rope_scaling == RopeScaling::none) return;
  const float old_factor = keys.positive("rope.scale_linear", 1);
  hp.rope_scale_factor = keys.positive("rope.scaling.factor", old_factor);
  if (hp.rope_scaling == RopeScaling::linear) return;
  if (hp.rope_freq_base <= 1) {
    gguf.fail(fmt::format("key {} is {}, expected more than 1 for yarn", keys.key("rope.freq_base"),
                          hp.rope_freq_base));
  }
  hp.rope_n_ctx_orig =
      keys.count_or("rope.scaling.original_context_length", kMaxContext, hp.n_ctx_train);
  hp.yarn_ext_factor = keys.positive("rope.scaling.yarn_ext_factor", hp.yarn_ext_factor);
  hp.yarn_attn_factor = keys.positive("rope.scaling.attn_factor", hp.yarn_attn_factor);
  hp.yarn_beta_fast = keys.positive("rope.scaling.yarn_beta_fast", hp.yarn_beta_fast);
  hp.yarn_beta_slow = keys.positive("rope.scaling.yarn_beta_slow", hp.yarn_beta_slow);
}

}  // namespace

Hparams Hparams::load(const Gguf& gguf) {
  const Architecture& architecture = read_architecture(gguf);
  Hparams hp;
  hp.architecture = architecture.name;
  const KeyReader keys(gguf, hp.architecture);
  hp.n_ctx_train = keys.count("context_length", kMaxContext);
  hp.n_embd = keys.count("embedding_length", kMaxWidth);
  hp.n_layer = keys.count("block_count", kMaxLayers);
  hp.n_ff = keys.count("feed_forward_length", kMaxWidth);
  hp.rms_norm_eps = keys.positive("attention.layer_norm_rms_epsilon");
  hp.n_vocab = read_n_vocab(gguf);
  read_heads(gguf, keys, hp);
  read_rope(gguf, keys, hp);
  architecture.specialise(gguf, hp);
  return hp;
}

}  // namespace confab::engine
