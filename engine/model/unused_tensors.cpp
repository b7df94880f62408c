// SPDX-License-Identifier: MIT
#include "engine/model/unused_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/gguf/gguf.h"
#include "engine/model/hparams.h"
#include "engine/model/tensor_reader.h"

namespace confab::engine {
namespace {

struct LayerTensor {
  int il;                 // -1: of no layer
  std::string_view rest;  // of its name
};

// "blk.3.attn_q.weight": 3, "attn_q.weight".
LayerTensor layer_tensor(std::string_view name) noexcept {
  constexpr std::string_view kPrefix = "blk.";
  if (!name.starts_with(kPrefix)) return {-1, name};
  const char* const end = name.data() + name.size();
  int il = -1;
  const auto [after, error] = std::from_chars(name.data() + kPrefix.size(), end, il);
  if (error != std::errc{} || il < 0 || after == end || *after != '.') return {-1, name};
  return {il, {after + 1, static_cast<std::size_t>(end - after - 1)}};
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

}  // namespace

std::string_view reason_to_leave(std::string_view name, const Hparams& hp) noexcept {
  const auto [il, rest] = layer_tensor(name);
  if (begins_with_any(rest, {"v.", "a.", "mm."})) return "images and sound";
  // Layers that predict further tokens follow the others, or are apart.
  if (il >= hp.n_layer || begins_with_any(rest, {"nextn.", "mtp."})) return "further tokens";
  // Files older than 2024 have them; they follow from the keys.
  if (rest == "attn_rot_embd.weight") return "angles of rotations";
  if (rest.ends_with(".input_scale")) return "scales of quantised activations";
  if (il < 0) return {};
  const LayerHparams& layer = hp.layers[static_cast<std::size_t>(il)];
  if (layer.kv_layer >= 0 && begins_with_any(rest, {"attn_k.", "attn_v.", "attn_k_norm."}))
    return "keys and values that an earlier layer gives";
  if (hp.latent.kv_rank > 0 && begins_with_any(rest, {"attn_k_b.", "attn_v_b."}))
    return "a second copy of attn_kv_b";
  return {};
}

void refuse_unused_tensors(const TensorReader& tensors, const Hparams& hp) {
  std::vector<const GgufTensor*> unused = tensors.unread();
  std::erase_if(unused, [&](const GgufTensor* t) { return !reason_to_leave(t->name, hp).empty(); });
  if (unused.empty()) return;
  const std::string more =
      unused.size() > 1 ? fmt::format(" and {} more tensors", unused.size() - 1) : std::string();
  tensors.gguf().fail(
      fmt::format("tensor {}{} would be ignored, and answers would be wrong: this version does not "
                  "support this variant of {}; get a file of the original model",
                  printable(unused.front()->name), more, hp.architecture));
}

}  // namespace confab::engine
