#version 460
// SPDX-License-Identifier: MIT
// Scales and caps logits in place.
#include "common.glsl"

layout(push_constant, scalar) uniform Arguments {
  uint64_t logits;
  uint n;
  float scale;
  float cap;  // 0: no cap
} a;

void main() {
  const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < a.n; i += step) {
    const float x = F32s(a.logits).v[i] * a.scale;
    F32s(a.logits).v[i] = a.cap > 0 ? a.cap * tanh(x / a.cap) : x;
  }
}
