#version 460
// SPDX-License-Identifier: MIT
// y = W x for a few rows of activations, W read once: where decode spends most of its time.
//
// A subgroup has kRows rows of W, or as many of each of two matrices; its invocations take steps of
// them in turn. Of each row of activations the same steps go to the same invocation, so that its
// sums do not depend on the other rows. As products of signed bytes, or as floats where kFloat.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"

// FORMAT: of W; each is a program of its own (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
layout(constant_id = 1) const uint kTokens = 1;  // rows of activations, 1 to 8
layout(constant_id = 2) const uint kRows = 1;    // of W, of a subgroup
const bool kFloat = is_float(FORMAT);
layout(constant_id = 3) const uint kWhat = 0;
const uint kStore = 0;    // y = scale * W x + bias
const uint kAdd = 1;      // y += added * that
const uint kHidden = 2;   // y = activation(W x) * (W2 x), packed; a workgroup has 32 rows
layout(constant_id = 4) const uint kActivation = 0;
layout(constant_id = 5) const uint kExperts = 0;  // of experts: z has row z / kExperts of x; 0: none
layout(constant_id = 6) const uint kSteps = 4;  // that are on their way at once

layout(push_constant, scalar) uniform Arguments {
  uint64_t w;         // [n_rows] rows of row_bytes
  uint64_t w2;        // kHidden
  uint64_t bias;      // [n_rows] or 0
  uint64_t bias2;
  Packed x;           // [kTokens, n_cols]; codes: or floats
  Packed y;           // [kTokens, n_rows]; floats at its codes but for kHidden
  uint64_t ids;       // of experts: [z]
  uint64_t expert_bytes;
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

// Values of x before the first row that is read.
uint64_t x_first() {
  return kExperts == 0 ? 0 : uint64_t(gl_WorkGroupID.z / kExperts) * a.n_cols;
}

shared vec2 hidden[32 * 8];  // gate and up, [kTokens, 32]

const uint kStreams = kRows * (kWhat == kHidden ? 2 : 1);
const uint kMostStreams = 8;
const uint kMostSums = kMostStreams * 8;
struct Sums {
  float of[kMostSums];  // [kStreams, kTokens]
};

void add_floats(uint i, uint64_t row[kMostStreams], inout Sums sums) {
  Floats8 w[kMostStreams];
  [[unroll]] for (uint r = 0; r < kStreams; ++r) w[r] = floats_of(kFormat, row[r], i, a.n_cols);
  [[unroll]] for (uint t = 0; t < kTokens; ++t) {
    F32x4 in4 = F32x4(a.x.codes + (x_first() + uint64_t(t) * a.n_cols) * 4 + 32 * i);
    vec4 x0 = in4.v[0], x1 = 8 * i + 4 < a.n_cols ? in4.v[1] : vec4(0);
    [[unroll]] for (uint r = 0; r < kStreams; ++r)
      sums.of[r * kTokens + t] += dot(w[r].a, x0) + dot(w[r].b, x1);
  }
}

void add_step(uint s, uint64_t row[kMostStreams], inout Sums sums) {
  Part w[kMostStreams][4];
  [[unroll]] for (uint r = 0; r < kStreams; ++r) load_step(row[r], s, a.n_cols, w[r]);
  [[unroll]] for (uint p = 0; p < parts_of_step(kFormat); ++p) {
    uint at = w[0][p].at;
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      Packed x = packed_from(a.x, x_first() + uint64_t(t) * a.n_cols);
      uvec4 codes = U32x4(x.codes).v[at];
      float scale = F32s(x.scales).v[at / 2];
      float sum = has_minimum(kFormat) ? F32s(x.sums).v[at] : 0;
      [[unroll]] for (uint r = 0; r < kStreams; ++r) {
        Part part = w[r][p];
        int product = dot4(part.codes.x, codes.x) + dot4(part.codes.y, codes.y) +
                      dot4(part.codes.z, codes.z) + dot4(part.codes.w, codes.w);
        sums.of[r * kTokens + t] += scale * part.scale * float(product) - part.minimum * sum;
      }
    }
  }
}

void add(uint s, uint64_t row[kMostStreams], inout Sums sums) {
  if (kFloat) add_floats(s, row, sums); else add_step(s, row, sums);
}

// The products of the rows of these places with all rows of activations, in all invocations.
Sums products(uint64_t row[kMostStreams]) {
  Sums sums;
  [[unroll]] for (uint i = 0; i < kStreams * kTokens; ++i) sums.of[i] = 0;
  uint n = kFloat ? (a.n_cols + 7) / 8 : a.n_cols / (16 * parts_of_step(kFormat));
  uint s = gl_SubgroupInvocationID;
  if (kSteps > 1) {
    for (; s + (kSteps - 1) * gl_SubgroupSize < n; s += kSteps * gl_SubgroupSize)
      [[unroll]] for (uint j = 0; j < kSteps; ++j) add(s + j * gl_SubgroupSize, row, sums);
  }
  for (; s < n; s += gl_SubgroupSize) add(s, row, sums);
  [[unroll]] for (uint k = 0; k < kStreams * kTokens; ++k) sums.of[k] = subgroupAdd(sums.of[k]);
  return sums;
}

// What becomes of a product of row `row`.
float finish(float product, float scale, uint64_t bias, uint row) {
  product *= scale;
  return bias != 0 ? product + F32s(bias).v[row] : product;
}

void store(uint row0, Sums sums) {
  // One invocation for each product.
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = row0 + k / kTokens, t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize || row >= a.n_rows) continue;
    float y = finish(sums.of[k], a.scale, a.bias, expert() * a.n_rows + row);
    F32s at = F32s(a.y.codes + 4 * (uint64_t(gl_WorkGroupID.z + t) * a.n_rows + row));
    at.v[0] = kWhat == kAdd ? at.v[0] + a.added * y : y;
  }
}

void keep_hidden(uint row0, Sums sums) {
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint of_bias = expert() * a.n_rows + min(row0 + k / kTokens, a.n_rows - 1);
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize) continue;
    hidden[(k % kTokens) * 32 + row0 % 32 + k / kTokens] =
        vec2(finish(sums.of[k], a.scale, a.bias, of_bias),
             finish(sums.of[kRows * kTokens + k], a.scale2, a.bias2, of_bias));
  }
}

void store_hidden() {
  barrier();
  uint quarter = gl_LocalInvocationIndex % 8, t = gl_LocalInvocationIndex / 8;
  if (t >= kTokens) return;
  vec4 y;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vec2 both = hidden[t * 32 + quarter * 4 + i];
    y[i] = activate(kActivation, both.x, both.y);
  }
  uint64_t first = uint64_t(gl_WorkGroupID.z + t) * a.n_rows + gl_WorkGroupID.x * 32;
  pack_quarter(y, packed_from(a.y, first), quarter);
}

void main() {
  grid = a.grid;
  // Rows of a workgroup; a subgroup has some of them, then others.
  uint n = kWhat == kHidden ? 32 : gl_NumSubgroups * kRows;
  for (uint r = gl_SubgroupID * kRows; r < n; r += gl_NumSubgroups * kRows) {
    uint row0 = gl_WorkGroupID.x * n + r;
    if (row0 >= a.n_rows) break;
    uint64_t skip = uint64_t(expert()) * a.expert_bytes;
    uint64_t row[kMostStreams];
    [[unroll]] for (uint i = 0; i < kRows; ++i) {
      uint64_t at = skip + uint64_t(min(row0 + i, a.n_rows - 1)) * a.row_bytes;
      row[i] = a.w + at;
      if (kWhat == kHidden) row[kRows + i] = a.w2 + at;
    }
    Sums sums = products(row);
    if (kWhat == kHidden) keep_hidden(row0, sums); else store(row0, sums);
  }
  if (kWhat == kHidden) store_hidden();
}
