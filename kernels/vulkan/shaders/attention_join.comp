#version 460
// SPDX-License-Identifier: MIT
// Joins what attention gives for the ranges of positions, undoes the turn of the values, and packs
// the row for the output's projection. x: heads, y: rows.
#include "common.glsl"
#include "head.glsl"

layout(constant_id = 1) const uint kDimV = 128;
layout(constant_id = 2) const uint kTurnV = 0;
layout(constant_id = 3) const bool kPacks = true;

layout(push_constant, scalar) uniform Arguments {
  uint64_t sums;     // [n, n_head, n_ranges, kDimV]
  uint64_t weights;  // [n, n_head, n_ranges]
  uint64_t sinks;    // [n_head] or 0
  uint64_t out_;     // [n, n_head, kDimV] floats, or 0
  Packed packed;     // [n, n_head * kDimV]
  uint64_t halves;   // [n, n_head * kDimV] f16, or 0
  uint n_head;
  uint n_ranges;
} a;

void main() {
  uint h = gl_WorkGroupID.x;
  uint64_t at = uint64_t(gl_WorkGroupID.y) * a.n_head + h;
  F32s weights = F32s(a.weights + 8 * at * a.n_ranges), sums = F32s(a.sums + 4 * at * a.n_ranges * kDimV);
  float most = a.sinks != 0 ? F32s(a.sinks).v[h] : -1.0 / 0.0;
  for (uint r = 0; r < a.n_ranges; ++r) most = max(most, weights.v[2 * r]);
  float total = a.sinks != 0 ? exp(F32s(a.sinks).v[h] - most) : 0;
  for (uint r = 0; r < a.n_ranges; ++r)
    if (weights.v[2 * r + 1] > 0) total += weights.v[2 * r + 1] * exp(weights.v[2 * r] - most);
  for (uint d = gl_LocalInvocationIndex; d < kDimV; d += gl_WorkGroupSize.x) {
    float sum = 0;
    for (uint r = 0; r < a.n_ranges; ++r)
      if (weights.v[2 * r + 1] > 0) sum += sums.v[uint(r * kDimV + d)] * exp(weights.v[2 * r] - most);
    head[d] = sum / total;
  }
  if (kTurnV > 0) turn(kDimV, kTurnV);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kDimV / 4; i += gl_WorkGroupSize.x) {
    vec4 x = vec4(head[4 * i], head[4 * i + 1], head[4 * i + 2], head[4 * i + 3]);
    if (a.out_ != 0) F32x4(a.out_ + 4 * at * kDimV).v[i] = x;
    if (kPacks) pack_quarter(x, packed_from(a.packed, at * kDimV), i);
    if (a.halves != 0) put_halves(x, a.halves + 2 * at * kDimV, i);
  }
}
