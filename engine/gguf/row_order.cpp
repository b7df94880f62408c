// SPDX-License-Identifier: MIT
#include "engine/gguf/row_order.h"

#include <fmt/format.h>

namespace confab::engine {

RowOrder::RowOrder(const Gguf& gguf, const GgufTensor& tensor) {
  const bool is_rotated = tensor.name.find(".attn_q.") != std::string_view::npos ||
                          tensor.name.find(".attn_k.") != std::string_view::npos;
  const std::string_view architecture = gguf.find_string("general.architecture").value_or("");
  const auto key = [&](std::string_view name) { return fmt::format("{}.{}", architecture, name); };
  if (!is_rotated || gguf.find_bool(key(kInterleavedKey)).value_or(true)) return;
  const std::int64_t head_rows = gguf.find_int(key("rope.dimension_count")).value_or(0);
  const std::int64_t n_rows = tensor.shape.size() > 1 ? tensor.shape[1] : tensor.shape[0];
  if (head_rows < 2 || head_rows % 2 != 0 || n_rows % head_rows != 0) {
    gguf.fail(
        fmt::format("tensor {} has {} rows, expected heads of {}", tensor.name, n_rows, head_rows));
  }
  head_rows_ = head_rows;
}

std::int64_t RowOrder::source(std::int64_t i) const noexcept {
  if (head_rows_ == 0) return i;
  const std::int64_t in_head = i % head_rows_;
  return i - in_head + in_head / 2 + in_head % 2 * (head_rows_ / 2);
}

}  // namespace confab::engine
