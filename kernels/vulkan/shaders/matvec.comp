#version 460
// SPDX-License-Identifier: MIT
// y = W x for a few rows of activations, W read once: where decode spends most of its time.
//
// A subgroup has kRows rows of W; its invocations take octets in turn. Of each row of activations
// the same octets go to the same invocation, so that its sums do not depend on the other rows.
// As products of signed bytes, or as floats where kFloat.
#include "common.glsl"
#include "formats.glsl"

layout(constant_id = 1) const uint kFormat = Q8_0;
layout(constant_id = 2) const uint kTokens = 1;  // rows of activations, 1 to 8
layout(constant_id = 3) const uint kRows = 1;    // of W, of a subgroup
layout(constant_id = 4) const bool kFloat = false;
layout(constant_id = 5) const uint kWhat = 0;
const uint kStore = 0;    // y = scale * W x + bias
const uint kAdd = 1;      // y += added * that
const uint kHidden = 2;   // y = activation(W x) * (W2 x), packed; a workgroup has 32 rows
layout(constant_id = 6) const uint kActivation = 0;
layout(constant_id = 7) const uint kExperts = 0;  // z: row z / kExperts of ids, and of x; 0: none
layout(constant_id = 8) const bool kOwnInput = false;  // of experts: x has a row for each z

layout(push_constant, scalar) uniform Arguments {
  uint64_t w;         // [n_rows] rows of row_bytes
  uint64_t w2;        // kHidden
  uint64_t bias;      // [n_rows] or 0
  uint64_t bias2;
  uint64_t x;         // [kTokens, n_cols] signed bytes, or floats
  uint64_t x_scales;  // [kTokens, n_cols / 32]
  uint64_t y;         // [kTokens, y_stride]; packed: bytes
  uint64_t y_scales;  // packed
  uint64_t ids;       // of experts: [z]
  uint64_t expert_bytes;
  uint n_rows;
  uint n_cols;
  uint row_bytes;
  uint y_stride;
  float scale;
  float scale2;
  float added;
  uint expert_rows;  // of bias: rows of an expert
} a;

#include "activation.glsl"

shared vec2 hidden[32 * 8];  // gate and up, [kTokens, 32]

const uint kMostSums = 32;  // kRows * kTokens at most
struct Sums {
  float of[kMostSums];
};

void add_octets(uint i, uint64_t row[8], uint64_t x, inout Sums sums) {
  if (kFloat) {
    Floats8 w[8];
    [[unroll]] for (uint r = 0; r < kRows; ++r) w[r] = floats_of(kFormat, row[r], i);
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      F32x4 in4 = F32x4(x + uint64_t(t) * a.n_cols * 4 + 32 * i);
      vec4 x0 = in4.v[0], x1 = in4.v[1];
      [[unroll]] for (uint r = 0; r < kRows; ++r)
        sums.of[r * kTokens + t] += dot(w[r].a, x0) + dot(w[r].b, x1);
    }
    return;
  }
  Octet w[8];
  [[unroll]] for (uint r = 0; r < kRows; ++r) w[r] = octet_of(kFormat, row[r], i);
  [[unroll]] for (uint t = 0; t < kTokens; ++t) {
    uvec2 codes = U32x2(x + uint64_t(t) * a.n_cols).v[i];
    float scale = F32s(a.x_scales + uint64_t(t) * (a.n_cols / 8)).v[i / 4];
    float sum = has_minimum(kFormat) ? float(dot4(codes.x, 0x01010101) + dot4(codes.y, 0x01010101)) : 0;
    [[unroll]] for (uint r = 0; r < kRows; ++r) {
      float product = float(dot4(w[r].codes.x, codes.x) + dot4(w[r].codes.y, codes.y));
      sums.of[r * kTokens + t] += scale * (w[r].scale * product - w[r].minimum * sum);
    }
  }
}

// The products of rows row0 and on with all rows of activations, in all invocations.
Sums products(uint64_t w, uint row0, uint64_t x) {
  uint64_t row[8];
  [[unroll]] for (uint r = 0; r < kRows; ++r)
    row[r] = w + uint64_t(min(row0 + r, a.n_rows - 1)) * a.row_bytes;
  Sums sums;
  [[unroll]] for (uint i = 0; i < kRows * kTokens; ++i) sums.of[i] = 0;
  uint n = a.n_cols / 8, i = gl_SubgroupInvocationID;
  for (; i + 3 * gl_SubgroupSize < n; i += 4 * gl_SubgroupSize)
    [[unroll]] for (uint j = 0; j < 4; ++j) add_octets(i + j * gl_SubgroupSize, row, x, sums);
  for (; i < n; i += gl_SubgroupSize) add_octets(i, row, x, sums);
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) sums.of[k] = subgroupAdd(sums.of[k]);
  return sums;
}

// What becomes of a product of row `row`.
float finish(float product, float scale, uint64_t bias, uint row) {
  product *= scale;
  return bias != 0 ? product + F32s(bias).v[row] : product;
}

void store(uint row0, Sums sums, uint z, uint expert) {
  // One invocation for each product.
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = row0 + k / kTokens, t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize || row >= a.n_rows) continue;
    float y = finish(sums.of[k], a.scale, a.bias, expert * a.expert_rows + row);
    F32s at = F32s(a.y + 4 * (uint64_t(z + t) * a.y_stride + row));
    at.v[0] = kWhat == kAdd ? at.v[0] + a.added * y : y;
  }
}

void store_hidden(uint row0, Sums gate, Sums up, uint z, uint expert) {
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = min(row0 + k / kTokens, a.n_rows - 1);
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize) continue;
    uint of_bias = expert * a.expert_rows + row;
    hidden[(k % kTokens) * 32 + row0 % 32 + k / kTokens] =
        vec2(finish(gate.of[k], a.scale, a.bias, of_bias), finish(up.of[k], a.scale2, a.bias2, of_bias));
  }
  barrier();
  uint quarter = gl_LocalInvocationIndex % 8, t = gl_LocalInvocationIndex / 8;
  if (t >= kTokens) return;
  vec4 y;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vec2 both = hidden[t * 32 + quarter * 4 + i];
    y[i] = activate(kActivation, both.x, both.y);
  }
  uint64_t first = uint64_t(z + t) * a.y_stride + gl_WorkGroupID.x * 32;
  pack_quarter(y, a.y + first, a.y_scales + first / 8, quarter);
}

void main() {
  uint z = gl_WorkGroupID.z;
  uint expert = kExperts > 0 ? U32(a.ids).v[z] : 0;
  uint64_t x = a.x, skip = uint64_t(expert) * a.expert_bytes;
  uint64_t x_row = kExperts == 0 ? 0 : kOwnInput ? z : z / kExperts;
  x += x_row * a.n_cols * (kFloat ? 4 : 1);
  uint row0 = (gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID) * kRows;
  if (kWhat != kHidden && row0 >= a.n_rows) return;
  Sums first = products(a.w + skip, row0, x);
  if (kWhat == kHidden)
    store_hidden(row0, first, products(a.w2 + skip, row0, x), z, expert);
  else
    store(row0, first, z, expert);
}
