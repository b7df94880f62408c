// SPDX-License-Identifier: MIT
// Values of a head of a row, or of some, which a workgroup has; kHeadValues: as many as there are.
shared float head_values[kHeadValues];

// Multiplies the first n by the Hadamard matrix of `block` rows, a power of two that divides
// n.
void turn(uint n, uint block) {
  for (uint stride = 1; stride < block; stride *= 2) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < n / 2; i += gl_WorkGroupSize.x) {
      uint first = i / stride * 2 * stride + i % stride;
      float x = head_values[first], y = head_values[first + stride];
      head_values[first] = x + y;
      head_values[first + stride] = x - y;
    }
  }
  barrier();
  float scale = 1 / sqrt(float(block));
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) head_values[i] *= scale;
}
