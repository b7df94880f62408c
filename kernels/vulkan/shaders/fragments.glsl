// SPDX-License-Identifier: MIT
// Builds matrices from values that the invocations hold, without going through memory. Include it
// after matrix.glsl.
//
// Vulkan leaves it to the driver which elements each invocation holds. This is the layout of
// NVIDIA's driver, read off an H200; probe_cores.comp checks whether a driver has the same one.
// With g = invocation / 4 and t = invocation % 4, an invocation of A holds the columns 2 t, 2 t +
// 1, 2 t + 8 and 2 t + 9 of row g, then the same columns of row g + 8. For B, exchange rows and
// columns.
spirv_instruction(id = 80) MatrixA filled_a(float16_t x);
spirv_instruction(id = 80) MatrixB filled_b(float16_t x);
spirv_instruction(id = 82) MatrixA with_a(float16_t x, MatrixA m, spirv_literal int i);
spirv_instruction(id = 82) MatrixB with_b(float16_t x, MatrixB m, spirv_literal int i);

// WITH is with_a or with_b; `low` and `high` are the two pairs of row g and of row g + 8, a uvec2
// each.
#define SET_PAIR(WITH, m, i, pair) \
  { f16vec2 h = unpackFloat2x16(pair); m = WITH(h.x, m, i); m = WITH(h.y, m, i + 1); }
#define SET_FRAGMENT(WITH, m, low, high) \
  SET_PAIR(WITH, m, 0, low.x) SET_PAIR(WITH, m, 2, low.y) \
  SET_PAIR(WITH, m, 4, high.x) SET_PAIR(WITH, m, 6, high.y)
