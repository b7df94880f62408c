// SPDX-License-Identifier: MIT
// A head of a row, which a workgroup has.
shared float head[512];

// Multiplies its first n values by the Hadamard matrix of `block` rows, a power of two that divides
// n.
void turn(uint n, uint block) {
  for (uint stride = 1; stride < block; stride *= 2) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < n / 2; i += gl_WorkGroupSize.x) {
      uint first = i / stride * 2 * stride + i % stride;
      float x = head[first], y = head[first + stride];
      head[first] = x + y;
      head[first + stride] = x - y;
    }
  }
  barrier();
  float scale = 1 / sqrt(float(block));
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) head[i] *= scale;
}
