#version 460
// SPDX-License-Identifier: MIT
// Reads the stream for a part of a layer (StreamInput in engine/model/layer_plan.h): adds what is
// waiting to it, norms the row, and packs it for products. A workgroup handles one row. n_cols is a
// multiple of 4, or of 32 if the row is packed.
#include "common.glsl"

layout(constant_id = 1) const uint kKind = 0;  // kind of the norm
const uint kRms = 0, kLayerNorm = 1, kNone = 2;
layout(constant_id = 2) const uint kWaits = 0;
const uint kBeforeNorm = 1, kAfterNorm = 2;
layout(constant_id = 3) const uint kPostKind = 2;  // of what is waiting: post_weight, post_bias
layout(constant_id = 4) const bool kPacks = false;

layout(push_constant, scalar) uniform Arguments {
  uint64_t x;            // [n, n_cols]
  uint64_t waiting;      // [n, n_cols]
  uint64_t post_weight;  // [n_cols]
  uint64_t post_bias;    // [n_cols] or 0
  uint64_t x_scale;      // [1] or 0: x is multiplied by it after the addition
  uint64_t weight;       // [n_cols]
  uint64_t bias;         // [n_cols] or 0
  uint64_t normed;       // [n, n_cols] floats, or 0
  Packed packed;         // [n, n_cols]
  uint64_t halves;       // [n, n_cols] f16, or 0
  uint64_t picked;       // [n] rows to read of x and `waiting`, or 0: all
  uint n_cols;
  float eps;
  float residual_scale;
} a;

// The mean is subtracted from a row, which is then multiplied by the inverse.
struct Moments {
  float mean, inverse;
};

Moments moments_of(uint kind, F32x4 row) {
  uint n = a.n_cols / 4;
  float mean = 0, sum = 0;
  if (kind == kLayerNorm) {
    for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) sum += dot(row.v[i], vec4(1));
    mean = workgroup_add(sum) / float(a.n_cols);
    sum = 0;
  }
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) {
    vec4 v = row.v[i] - mean;
    sum += dot(v, v);
  }
  return Moments(mean, 1 / sqrt(workgroup_add(sum) / float(a.n_cols) + a.eps));
}

vec4 apply(Moments m, vec4 v, uint64_t weight, uint64_t bias, uint i) {
  v = (v - m.mean) * m.inverse * F32x4(weight).v[i];
  return bias != 0 ? v + F32x4(bias).v[i] : v;
}

void add_waiting(F32x4 x, F32x4 waiting) {
  Moments m;
  if (kPostKind != kNone) m = moments_of(kPostKind, waiting);
  float x_scale = a.x_scale != 0 ? F32s(a.x_scale).v[0] : 1;
  for (uint i = gl_LocalInvocationIndex; i < a.n_cols / 4; i += gl_WorkGroupSize.x) {
    vec4 v = waiting.v[i];
    if (kPostKind != kNone) v = apply(m, v, a.post_weight, a.post_bias, i);
    x.v[i] = (x.v[i] + a.residual_scale * v) * x_scale;
  }
}

void main() {
  uint64_t first = uint64_t(gl_WorkGroupID.x) * a.n_cols;
  uint64_t from = a.picked != 0 ? uint64_t(U32(a.picked).v[gl_WorkGroupID.x]) * a.n_cols : first;
  F32x4 x = F32x4(a.x + 4 * from), waiting = F32x4(a.waiting + 4 * from);
  if (kWaits == kBeforeNorm) add_waiting(x, waiting);
  Moments m;
  if (kKind != kNone) m = moments_of(kKind, x);
  for (uint i = gl_LocalInvocationIndex; i < a.n_cols / 4; i += gl_WorkGroupSize.x) {
    vec4 v = x.v[i];
    if (kKind != kNone) v = apply(m, v, a.weight, a.bias, i);
    if (a.normed != 0) F32x4(a.normed + 4 * first).v[i] = v;
    if (kPacks) pack_quarter(v, packed_from(a.packed, first), i);
    if (a.halves != 0) put_halves(v, a.halves + 2 * first, i);
  }
  if (kWaits == kAfterNorm) add_waiting(x, waiting);
}
