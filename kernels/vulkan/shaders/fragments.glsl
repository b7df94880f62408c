// SPDX-License-Identifier: MIT
// Matrices made of what each invocation has of them, with no way through memory; after matrix.glsl.
//
// Which elements these are Vulkan leaves to drivers: here they are as on NVIDIA's (read off an
// H200), and probe_cores.comp tells whether a driver has the same. With g = invocation / 4 and t =
// invocation % 4: the columns 2 t, 2 t + 1, 2 t + 8 and 2 t + 9 of row g, then those of row g + 8;
// of A, and of B with its columns for rows.
spirv_instruction(id = 80) MatrixA filled_a(float16_t x);
spirv_instruction(id = 80) MatrixB filled_b(float16_t x);
spirv_instruction(id = 82) MatrixA with_a(float16_t x, MatrixA m, spirv_literal int i);
spirv_instruction(id = 82) MatrixB with_b(float16_t x, MatrixB m, spirv_literal int i);

// WITH: with_a or with_b. low, high: both pairs of row g, and of row g + 8, a uvec2 each.
#define SET_PAIR(WITH, m, i, pair) \
  { f16vec2 h = unpackFloat2x16(pair); m = WITH(h.x, m, i); m = WITH(h.y, m, i + 1); }
#define SET_FRAGMENT(WITH, m, low, high) \
  SET_PAIR(WITH, m, 0, low.x) SET_PAIR(WITH, m, 2, low.y) \
  SET_PAIR(WITH, m, 4, high.x) SET_PAIR(WITH, m, 6, high.y)
