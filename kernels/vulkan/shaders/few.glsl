// SPDX-License-Identifier: MIT
// What programs take and give that multiply a matrix, read once, by a few rows of activations.

// FORMAT: of W; each is a program of its own (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
layout(constant_id = 1) const uint kTokens = 1;  // rows of activations: of matvec 1 to 8, of
                                                 // matvec_cores 3 to 16
layout(constant_id = 2) const uint kRows = 1;    // of W, of a subgroup
const bool kFloat = is_float(FORMAT);
layout(constant_id = 3) const uint kWhat = 0;
const uint kStore = 0;    // y = scale * W x + bias
const uint kAdd = 1;      // y += added * that
const uint kHidden = 2;   // y = activation(W x) * (W2 x), packed, or f16 for matrix cores
const uint kAddAndNorm = 3;  // stream += added * (scale * W x + bias); y is what a norm makes of it,
                             // but for the root that readers divide by, packed
const bool kBy32 = kWhat == kHidden || kWhat == kAddAndNorm;  // a workgroup has 32 rows
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kExperts = 0;  // of experts: z has row z / kExperts of x; 0: none
layout(constant_id = 6) const uint kSteps = 4;  // that are on their way at once
layout(constant_id = 7) const float kEps = 0;  // of the norm of x
layout(constant_id = 8) const bool kSmallSteps = false;  // where the format has such

// What only some of these need shares its place.
layout(push_constant, scalar) uniform Arguments {
  uint64_t w;        // [n_rows] rows of row_bytes
  uint64_t w2;       // kHidden; kAddAndNorm: [n_rows] of the norm
  uint64_t bias;     // [n_rows] or 0
  uint64_t bias2;    // kHidden; kAddAndNorm: [kTokens, n_rows] floats, as y, or 0
  Packed x;          // [kTokens, n_cols]; codes: or floats, or f16 for matrix cores
  Packed y;          // [kTokens, n_rows]; floats at its codes unless kBy32, or f16
  uint64_t ids;      // of experts: [z]; kAddAndNorm: [kTokens, n_rows] the stream
  uint64_t squares;  // sums of those of 32 values of the stream: kAddAndNorm gives them; others
                     // divide what they have of x by the root of their mean. 0: x is normed
  uint64_t grid;
  uint n_rows;
  uint n_cols;
  uint row_bytes;
  float scale;
  float scale2;
  float added;
} a;

#include "activation.glsl"

uint expert() { return kExperts > 0 ? U32(a.ids).v[gl_WorkGroupID.z] : 0; }

// The first row of x that is read.
uint x_row() { return kExperts == 0 ? 0 : gl_WorkGroupID.z / kExperts; }
uint64_t x_first() { return uint64_t(x_row()) * a.n_cols; }

shared vec2 of_32[32 * 8];  // products, [kTokens, 32]; kHidden: gate and up

float inverse_roots[8];  // of rows of x

void find_roots() {
  [[unroll]] for (uint t = 0; t < kTokens; ++t) {
    float sum = 0;
    uint n = a.n_cols / 32;
    for (uint i = gl_SubgroupInvocationID; i < n; i += gl_SubgroupSize)
      sum += F32s(a.squares).v[(x_row() + t) * n + i];
    inverse_roots[t] = 1 / sqrt(subgroupAdd(sum) / float(a.n_cols) + kEps);
  }
}

// What becomes of a product of row `row` with row t of x.
float finish(float product, uint t, float scale, uint64_t bias, uint row) {
  product *= scale;
  if (kEps > 0) product *= inverse_roots[t];
  return bias != 0 ? product + F32s(bias).v[row] : product;
}

// Four values of the hidden row from what has been kept.
vec4 hidden_quarter(uint t, uint quarter) {
  vec4 y;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vec2 both = of_32[t * 32 + quarter * 4 + i];
    y[i] = activate(kActivation, both.x, both.y);
  }
  return y;
}

// Of the stream, with what has been kept: as the norm's weights make them.
vec4 stream_quarter(uint t, uint quarter) {
  uint in_row = gl_WorkGroupID.x * 8 + quarter, i = t * (a.n_rows / 4) + in_row;
  vec4 x = F32x4(a.ids).v[i];
  [[unroll]] for (uint k = 0; k < 4; ++k) x[k] += a.added * of_32[t * 32 + quarter * 4 + k].x;
  F32x4(a.ids).v[i] = x;
  return weighted_for_norm(x, i, in_row, ForNorm(a.w2, a.bias2, a.squares));
}

void store_32() {
  barrier();
  uint quarter = gl_LocalInvocationIndex % 8, t = gl_LocalInvocationIndex / 8;
  if (t >= kTokens) return;
  vec4 y = kWhat == kHidden ? hidden_quarter(t, quarter) : stream_quarter(t, quarter);
  uint64_t first = uint64_t(gl_WorkGroupID.z + t) * a.n_rows + gl_WorkGroupID.x * 32;
  pack_quarter(y, packed_from(a.y, first), quarter);
}
