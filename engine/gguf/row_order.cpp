// SPDX-License-Identifier: MIT
#include "engine/gguf/row_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace confab::engine {
namespace {

std::int64_t n_rows_of(const GgufTensor& tensor) noexcept {
  return tensor.shape.size() > 1 ? tensor.shape[1] : tensor.shape[0];
}

// Shortens "blk.3.ssm_a" to "ssm_a". Empty for names outside the layers.
std::string_view in_layer(std::string_view name) noexcept {
  const std::size_t dot = name.starts_with("blk.") ? name.find('.', 4) : name.npos;
  return dot == name.npos ? std::string_view() : name.substr(dot + 1);
}

}  // namespace

RowOrder::RowOrder(const Gguf& gguf, const GgufTensor& tensor) {
  const std::string prefix =
      fmt::format("{}.", gguf.find_string("general.architecture").value_or(""));
  const auto key = [&](std::string_view name) { return prefix + std::string(name); };
  if (!gguf.find_bool(key(kTiledKey)).value_or(true)) set_value_heads(gguf, tensor, prefix);
  const bool is_rotated = tensor.name.find(".attn_q.") != std::string_view::npos ||
                          tensor.name.find(".attn_k.") != std::string_view::npos;
  if (!is_rotated || gguf.find_bool(key(kInterleavedKey)).value_or(true)) return;
  const std::int64_t head_rows = gguf.find_int(key("rope.dimension_count")).value_or(0);
  const std::int64_t n_rows = n_rows_of(tensor);
  if (head_rows < 2 || head_rows % 2 != 0 || n_rows % head_rows != 0) {
    gguf.fail(
        fmt::format("tensor {} has {} rows, expected heads of {}", tensor.name, n_rows, head_rows));
  }
  pairs_.head = head_rows;
}

void RowOrder::set_value_heads(const Gguf& gguf, const GgufTensor& tensor,
                               std::string_view prefix) {
  constexpr std::array<std::string_view, 4> kOfHeads = {"ssm_a", "ssm_dt.bias", "ssm_beta.weight",
                                                        "ssm_alpha.weight"};
  const auto number = [&](std::string_view name) {
    return gguf.find_int(std::string(prefix) + std::string(name)).value_or(0);
  };
  const std::int64_t n_keys = number("ssm.group_count"), n_values = number("ssm.time_step_rank");
  const std::int64_t d_state = number("ssm.state_size"), n_before = 2 * n_keys * d_state;
  if (n_keys < 1 || n_values % n_keys != 0 || d_state < 1 || n_values == n_keys) return;
  const auto heads = [&](std::int64_t first, std::int64_t head) {
    return ValueHeads{first, head, n_keys, n_values / n_keys};
  };
  const auto check = [&](std::int64_t n, const ValueHeads& of) {
    if (n == of.first + n_values * of.head) return of;
    gguf.fail(fmt::format("tensor {} has {} rows, expected {} value heads of {}", tensor.name, n,
                          n_values, of.head));
  };
  const std::string_view name = in_layer(tensor.name);
  if (std::ranges::find(kOfHeads, name) != kOfHeads.end())
    rows_ = check(n_rows_of(tensor), heads(0, 1));
  else if (name == "attn_gate.weight")
    rows_ = check(n_rows_of(tensor), heads(0, d_state));
  else if (name == "ssm_conv1d.weight" ||
           (name == "attn_qkv.weight" && n_rows_of(tensor) == n_before + n_values * d_state))
    rows_ = check(n_rows_of(tensor), heads(n_before, d_state));
  else if (name == "ssm_out.weight")
    columns_ = check(tensor.shape[0], heads(0, d_state));
}

std::int64_t RowOrder::Pairs::source(std::int64_t i) const noexcept {
  if (head == 0) return i;
  const std::int64_t in_head = i % head;
  return i - in_head + in_head / 2 + in_head % 2 * (head / 2);
}

std::int64_t RowOrder::ValueHeads::source(std::int64_t i) const noexcept {
  if (head == 0 || i < first) return i;
  const std::int64_t to = (i - first) / head, in_head = (i - first) % head;
  return first + (to % n_keys * n_shared + to / n_keys) * head + in_head;
}

std::int64_t RowOrder::source(std::int64_t i) const noexcept {
  return rows_.source(pairs_.source(i));
}

}  // namespace confab::engine
