#version 460
// SPDX-License-Identifier: MIT
// Adds up a mixture of experts: the outputs of a token's experts by their weights, then the output
// of the shared experts. An invocation handles four values of a row.
#include "common.glsl"

layout(constant_id = 1) const uint kUsed = 1;  // experts of a token
layout(constant_id = 2) const bool kAdds = false;  // y += scale * sum, else y = sum

layout(push_constant, scalar) uniform Arguments {
  uint64_t given;          // [n * kUsed, n_cols]
  uint64_t weights;        // [n, kUsed]
  uint64_t places;         // [n, kUsed] rows of `given`, or 0: they are in order
  uint64_t shared_given;   // [n, n_cols] or 0
  uint64_t shared_logits;  // [n]: their sigmoid is the factor on shared_given; 0: the factor is 1
  uint64_t y;              // [n, n_cols]
  // Used where y is the stream and a norm follows; filled as matvec.comp does with kAddAndNorm.
  ForNorm norm;   // with a weight of 0 if no norm follows
  Packed packed;  // [n, n_cols]
  uint n_cols;
  float scale;
} a;

void main() {
  uint i = gl_GlobalInvocationID.x, t = gl_WorkGroupID.y;
  if (i >= a.n_cols / 4) return;
  uint64_t at = 4 * uint64_t(t) * a.n_cols;
  F32x4 y = F32x4(a.y + at);
  vec4 before = kAdds ? y.v[i] : vec4(0), sum = vec4(0);
  [[unroll]] for (uint k = 0; k < kUsed; ++k) {
    uint choice = t * kUsed + k, row = a.places != 0 ? U32(a.places).v[choice] : choice;
    sum += F32s(a.weights).v[choice] * F32x4(a.given + 4 * uint64_t(row) * a.n_cols).v[i];
  }
  if (a.shared_given != 0) {
    float turn = a.shared_logits != 0 ? 1 / (1 + exp(-F32s(a.shared_logits).v[t])) : 1;
    sum += turn * F32x4(a.shared_given + at).v[i];
  }
  if (kAdds) sum = before + a.scale * sum;
  y.v[i] = sum;
  if (a.norm.weight == 0) return;
  vec4 weight = F32x4(a.norm.weight).v[i];
  vec4 normed = weighted_for_norm(sum, weight, t * (a.n_cols / 4) + i, a.norm);
  pack_quarter(normed, packed_from(a.packed, uint64_t(t) * a.n_cols), i);
}
