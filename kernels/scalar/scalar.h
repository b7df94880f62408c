// SPDX-License-Identifier: MIT
// The functions of the scalar table. The contracts are those of KernelTable.
#pragma once

#include "kernels/block.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::scalar {

void pack_row(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept;
void decode_row(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept;
void decode_weights(const WeightRows& w, std::int64_t row, float* out) noexcept;
// Columns [c, c + n) of the row. c is a multiple of 256.
void decode_columns(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                    float* out) noexcept;
void encode_row(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept;

void rms_norm(const float* x, const float* weight, std::int64_t n, float eps, float* y) noexcept;
void rope(float* x, int n_rot, bool interleaved, const float* cosines, const float* sines) noexcept;
void silu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
void layer_norm(const float* x, const float* weight, std::int64_t n, float eps, float* y) noexcept;
void sigmoid_mul(const float* gate, const float* x, std::int64_t n, float* y) noexcept;
void delta_rule(const DeltaRule& rule) noexcept;
void gelu_mul(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
void add_scaled(const float* x, std::int64_t n, float scale, float* y) noexcept;
void soft_cap(float* x, std::int64_t n, float cap) noexcept;
void swiglu_oai(const float* gate, const float* up, std::int64_t n, float* y) noexcept;
void add(const float* x, std::int64_t n, float* y) noexcept;
void softmax(float* x, std::int64_t n) noexcept;
void hadamard(float* x, std::int64_t n, int block) noexcept;

void matmul(const WeightRows& w, std::int64_t row0, std::int64_t n_rows, const Activations& x,
            float* y, std::int64_t y_stride) noexcept;
void attention(const AttentionJob& job) noexcept;
void attention_partial(const AttentionJob& job, int slice, float* partial) noexcept;
void attention_join(const AttentionJob& job, float* partials, int n_partials) noexcept;

// Rounds to nearest, ties to even, for |x| < 2^22; other results are undefined. Adding 1.5 * 2^23
// leaves the number in the low bits.
[[maybe_unused]] static int round_to_int(float x) noexcept {
  return static_cast<int>(bits_of(x + 0x1.8p23F)) - static_cast<int>(0x4b400000);
}

}  // namespace confab::kernels::scalar
