// SPDX-License-Identifier: MIT
// Values of a head of a row, or of some, which a workgroup has; kHeadValues: as many as there are.
shared float head_values[kHeadValues];

// Four neighbours of them, after all strides of a turn that a subgroup spans.
vec4 turned_near(vec4 x, uint block) {
  x = vec4(x.x + x.y, x.x - x.y, x.z + x.w, x.z - x.w);
  if (block > 2) x = vec4(x.xy + x.zw, x.xy - x.zw);
  for (uint m = 1; 4 * m < block && m < gl_SubgroupSize; m *= 2) {
    vec4 y = subgroupShuffleXor(x, m);
    x = (gl_SubgroupInvocationID & m) == 0 ? x + y : y - x;
  }
  return x;
}

// Multiplies the first n by the Hadamard matrix of `block` rows, a power of two that divides n, at
// least 2; n is a multiple of 4.
void turn(uint n, uint block) {
  float scale = 1 / sqrt(float(block));
  barrier();
  for (uint i = 4 * gl_LocalInvocationIndex; i < n; i += 4 * gl_WorkGroupSize.x) {
    vec4 x = vec4(head_values[i], head_values[i + 1], head_values[i + 2], head_values[i + 3]);
    x = scale * turned_near(x, block);
    [[unroll]] for (uint j = 0; j < 4; ++j) head_values[i + j] = x[j];
  }
  for (uint stride = 4 * gl_SubgroupSize; stride < block; stride *= 2) {
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < n / 2; i += gl_WorkGroupSize.x) {
      uint first = i / stride * 2 * stride + i % stride;
      float x = head_values[first], y = head_values[first + stride];
      head_values[first] = x + y;
      head_values[first + stride] = x - y;
    }
  }
}
