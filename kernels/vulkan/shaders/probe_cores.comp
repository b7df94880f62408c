#version 460
#pragma use_vulkan_memory_model
// SPDX-License-Identifier: MIT
// Checks whether this driver lays out matrices as fragments.glsl does: multiplies two matrices that
// are built this way and compares the product with the right one. One subgroup runs it.
#include "common.glsl"
#include "matrix.glsl"
#include "fragments.glsl"

layout(push_constant, scalar) uniform Arguments {
  uint64_t answer;  // a word, set to 1 if it does
} a;

shared float results[kSide * kSide];

// Whole numbers without a pattern, small enough that the sums of their products are exact.
int element(uint matrix, uint row, uint column) {
  return int((matrix * 256 + row * kSide + column) * 2654435761u >> 20) % 61 - 30;
}

// Four columns of a row for each of four neighbours. It does not matter which columns become which
// elements, as long as both matrices agree.
uvec2 four_of(uint matrix, uint row) {
  uint first = 4 * (gl_SubgroupInvocationID % 4);
  f16vec4 x;
  [[unroll]] for (uint i = 0; i < 4; ++i) x[i] = float16_t(element(matrix, row, first + i));
  return uvec2(packFloat2x16(x.xy), packFloat2x16(x.zw));
}

int product_of(uint row, uint column) {
  int sum = 0;
  for (uint k = 0; k < kSide; ++k) sum += element(0, row, k) * element(1, column, k);
  return sum;
}

void main() {
  uint row = gl_SubgroupInvocationID / 4;
  uvec2 a_low = four_of(0, row), a_high = four_of(0, row + 8);
  uvec2 b_low = four_of(1, row), b_high = four_of(1, row + 8);
  MatrixA x = filled_a(float16_t(0));
  SET_FRAGMENT(with_a, x, a_low, a_high)
  MatrixB y = filled_b(float16_t(0));
  SET_FRAGMENT(with_b, y, b_low, b_high)
  store_sums(results[0], multiply_add(x, y, filled(0.0)), kColumnMajor, kSide);
  barrier();
  float n_wrong = 0;
  for (uint i = gl_LocalInvocationIndex; i < kSide * kSide; i += gl_WorkGroupSize.x)
    if (results[i] != float(product_of(i % kSide, i / kSide))) n_wrong += 1;
  n_wrong = workgroup_add(n_wrong);
  if (gl_LocalInvocationIndex == 0 && n_wrong == 0) U32(a.answer).v[0] = 1;
}
