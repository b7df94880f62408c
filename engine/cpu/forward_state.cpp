// SPDX-License-Identifier: MIT
#include "engine/cpu/forward_state.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace confab::engine {

using kernels::ActFormat;

ActFormats formats_of(std::initializer_list<const Matrix*> matrices, bool exact) noexcept {
  ActFormats formats;
  for (const Matrix* m : matrices) {
    if (m->n_rows == 0) continue;
    formats.add(kernels::act_format(m->rows.dtype, exact));
  }
  return formats;
}

void ForwardState::pack(const float* row, int n_cols, int t, ActFormats formats) noexcept {
  for (const ActFormat format : {ActFormat::f32, ActFormat::q8, ActFormat::bf16}) {
    if (!formats.has(format)) continue;
    const std::size_t row_bytes = kernels::act_row_bytes(format, n_cols);
    kernel.pack_row(format, row, n_cols,
                    buffers.packed(format) + row_bytes * static_cast<std::size_t>(t));
  }
}

void ForwardState::look_up(const Matrix& table, Token id, float* x) const noexcept {
  const kernels::WeightRows& rows = table.rows;
  if (table.file == nullptr) return kernel.decode_weights(rows, id, x);
  constexpr std::int64_t kPiece = 4096;  // columns; a multiple of every block size
  std::array<std::byte, kPiece * sizeof(float)> bytes;
  const std::byte* from = rows.data + static_cast<std::size_t>(id) * rows.row_bytes;
  for (std::int64_t i = 0; i < rows.n_cols; i += kPiece) {
    const std::int64_t n = std::min(kPiece, rows.n_cols - i);
    const std::size_t n_bytes = kernels::row_bytes(rows.dtype, n);
    table.read({from, n_bytes}, bytes.data());
    kernel.decode_weights({rows.dtype, bytes.data(), n, n_bytes}, 0, x + i);
    from += n_bytes;
  }
}

void ForwardState::embedding_row(const Matrix& table, int t, float* x) const noexcept {
  const Token id = tokens[static_cast<std::size_t>(t)];
  assert(id >= 0 && id < hp.n_vocab);
  assert(table.rows.n_cols == hp.n_embd);
  look_up(table, id, x);
  if (hp.embedding_scale == 1) return;
  for (int i = 0; i < hp.n_embd; ++i) x[i] *= hp.embedding_scale;
}

void ForwardState::norm_row(const float* x, const Norm& norm, float* y) const noexcept {
  const auto norm_of = hp.norm == NormKind::rms ? kernel.rms_norm : kernel.layer_norm;
  norm_of(x, norm.weight, hp.n_embd, hp.norm_eps, y);
  if (norm.bias != nullptr) kernel.add(norm.bias, hp.n_embd, y);
}

void ForwardState::add_waiting(const Residual& residual, int t, float* scratch) noexcept {
  const float* y = buffers.y() + std::int64_t{t} * hp.n_embd;
  if (residual.norm.weight != nullptr) {
    norm_row(y, residual.norm, scratch);
    y = scratch;
  }
  float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
  kernel.add_scaled(y, hp.n_embd, hp.residual_scale, x);
  if (residual.x_scale != nullptr) scale_row(t, *residual.x_scale);
}

void ForwardState::scale_row(int t, float scale) noexcept {
  float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
  for (int i = 0; i < hp.n_embd; ++i) x[i] *= scale;
}

void ForwardState::scale_stream(float scale) noexcept {
  for_each_token([&](int t, int) { scale_row(t, scale); });
}

void ForwardState::pack_normed(const StreamInput& input, ActFormats formats) noexcept {
  const bool has_norm = input.norm.weight != nullptr;
  const Residual& before = input.before;
  for_each_token([&](int t, int worker) {
    float* x = buffers.x() + std::int64_t{t} * hp.n_embd;
    float* scratch = buffers.worker(worker);
    if (before.when == Residual::When::before_norm) add_waiting(before, t, scratch);
    if (has_norm) norm_row(x, input.norm, scratch);
    pack(has_norm ? scratch : x, hp.n_embd, t, formats);
    if (before.when == Residual::When::after_norm) add_waiting(before, t, scratch);
  });
}

void ForwardState::norm_stream(const StreamInput& input) noexcept {
  assert(input.before.when != Residual::When::after_norm);
  for_each_token([&](int t, int worker) {
    const std::int64_t row = std::int64_t{t} * hp.n_embd;
    if (input.before.when == Residual::When::before_norm)
      add_waiting(input.before, t, buffers.worker(worker));
    if (input.norm.weight == nullptr)
      std::copy_n(buffers.x() + row, hp.n_embd, buffers.normed() + row);
    else
      norm_row(buffers.x() + row, input.norm, buffers.normed() + row);
  });
}

void ForwardState::pack_rows(const float* rows, int n_cols, const Matrix& m) noexcept {
  assert(m.rows.n_cols == n_cols);
  const ActFormats formats = formats_of({&m}, options.exact);
  for_each_token([&](int t, int) { pack(rows + std::int64_t{t} * n_cols, n_cols, t, formats); });
}

kernels::Activations ForwardState::packed_rows(const Matrix& m, int first,
                                               int n_rows) const noexcept {
  const ActFormat format = kernels::act_format(m.rows.dtype, options.exact);
  const std::size_t row_bytes = kernels::act_row_bytes(format, m.rows.n_cols);
  return {format, buffers.packed(format) + row_bytes * static_cast<std::size_t>(first), n_rows,
          row_bytes};
}

void ForwardState::project(const Matrix& m, RowSlice rows, const kernels::Activations& x, float* y,
                           std::int64_t y_stride) noexcept {
  kernel.matmul(m.rows, rows.row0, rows.n_rows, x, y, y_stride);
  for (int t = 0; t < x.n_tokens; ++t, y += y_stride) {
    if (m.scale != 1) {
      for (std::int64_t i = 0; i < rows.n_rows; ++i) y[i] *= m.scale;
    }
    if (m.bias != nullptr) kernel.add(m.bias + rows.row0, rows.n_rows, y);
  }
}

void ForwardState::project(const Matrix& m, std::int64_t row0, std::int64_t n_rows, float* y,
                           std::int64_t y_stride) noexcept {
  project(m, {row0, n_rows}, packed_rows(m, 0, n), y, y_stride);
}

void ForwardState::add_projection(const Matrix& m, Residual::When when) noexcept {
  assert(m.n_rows == hp.n_embd);
  if (when != Residual::When::at_once) {
    return for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int) {
      project(m, row0, n_rows, buffers.y() + row0, hp.n_embd);
    });
  }
  for_each_slice(m.n_rows, [&](std::int64_t row0, std::int64_t n_rows, int worker) {
    float* y = buffers.worker(worker);
    project(m, row0, n_rows, y, n_rows);
    for (int t = 0; t < n; ++t) {
      kernel.add_scaled(y + t * n_rows, n_rows, hp.residual_scale,
                        buffers.x() + std::int64_t{t} * hp.n_embd + row0);
    }
  });
}

}  // namespace confab::engine
