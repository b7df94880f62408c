#version 460
// SPDX-License-Identifier: MIT
// Copies each token's activations to the places of its choices (group.comp). A workgroup handles
// one place. n_cols is a multiple of 4, or of 32 if activations are packed.
#include "common.glsl"

layout(constant_id = 1) const uint kUsed = 1;  // experts of a token
layout(constant_id = 2) const bool kPacked = false;
layout(constant_id = 3) const bool kFloats = false;

layout(push_constant, scalar) uniform Arguments {
  uint64_t sources;  // [n]: which choice is at each place
  Packed from;       // [n / kUsed, n_cols]
  Packed to;         // [n, n_cols]
  uint64_t from_floats;
  uint64_t to_floats;
  uint64_t from_halves;  // f16, or 0
  uint64_t to_halves;
  uint n_cols;
} a;

void main() {
  uint64_t source = uint64_t(U32(a.sources).v[gl_WorkGroupID.x] / kUsed) * a.n_cols;
  uint64_t place = uint64_t(gl_WorkGroupID.x) * a.n_cols;
  for (uint i = gl_LocalInvocationIndex; i < a.n_cols / 4; i += gl_WorkGroupSize.x) {
    if (kFloats) F32x4(a.to_floats + 4 * place).v[i] = F32x4(a.from_floats + 4 * source).v[i];
    if (a.to_halves != 0)
      U32x2(a.to_halves + 2 * place).v[i] = U32x2(a.from_halves + 2 * source).v[i];
    if (!kPacked) continue;
    Packed from = packed_from(a.from, source), to = packed_from(a.to, place);
    U32(to.codes).v[i] = U32(from.codes).v[i];
    if (i % 4 == 0) F32s(to.sums).v[i / 4] = F32s(from.sums).v[i / 4];
    if (i % 8 == 0) F32s(to.scales).v[i / 8] = F32s(from.scales).v[i / 8];
  }
}
