#version 460
// SPDX-License-Identifier: MIT
// hidden = activation(gate) * up, packed as well if asked for. An invocation handles four values of
// a row.
#include "common.glsl"
#include "activation.glsl"

layout(constant_id = 1) const uint kActivation = 0;
layout(constant_id = 2) const bool kHasGate = true;  // otherwise up is 1
layout(constant_id = 3) const bool kPacks = false;

layout(push_constant, scalar) uniform Arguments {
  uint64_t gate;    // [n, n_cols], overwritten
  uint64_t up;      // [n, n_cols]
  Packed packed;    // [n, n_cols]
  uint64_t halves;  // [n, n_cols] f16, or 0
  uint n_quarters;  // groups of four values in all rows
} a;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= a.n_quarters) return;
  vec4 gate = F32x4(a.gate).v[i], up = kHasGate ? F32x4(a.up).v[i] : vec4(1), y;
  [[unroll]] for (uint j = 0; j < 4; ++j) y[j] = activate(kActivation, gate[j], up[j]);
  F32x4(a.gate).v[i] = y;
  if (kPacks) pack_quarter(y, a.packed, i);
  if (a.halves != 0) put_halves(y, a.halves, i);
}
