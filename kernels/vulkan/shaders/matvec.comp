#version 460
// SPDX-License-Identifier: MIT
// y = W x for a few rows of activations, W read once: where decode spends most of its time.
//
// A subgroup has kRows rows of W, or as many of each of two matrices; its invocations take steps of
// them in turn. Of each row of activations the same steps go to the same invocation, so that its
// sums do not depend on the other rows, but for their number: to 2, or to 8. As products of signed
// bytes, or as floats where kFloat.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"
#include "few.glsl"

const uint kStreams = kRows * (kWhat == kHidden ? 2 : 1);
const uint kMostStreams = 8;
const uint kMostSums = kMostStreams * 8;
struct Sums {
  float of[kMostSums];  // [kStreams, kTokens]
};

// Of a block and a block of activations, and the sums of its halves.
float product_of(Block w, uvec4 first, uvec4 second, float scale, vec2 sum) {
  int p = dot16(w.first, first), q = dot16(w.second, second);
  float product = scale * (has_halves(kFormat) ? w.scale.x * float_of(p) + w.scale.y * float_of(q)
                                               : w.scale.x * float_of(p + q));
  if (!has_minimum(kFormat)) return product;
  return product - (has_halves(kFormat) ? dot(w.minimum, sum) : w.minimum.x * (sum.x + sum.y));
}

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

// A block of a row of activations.
struct BlockX {
  uvec4 first, second;
  float scale;
  vec2 sums;  // of its halves
};

BlockX x_block(uint t, uint at) {
  Packed x = packed_from(a.x, x_first() + uint64_t(t) * a.n_cols);
  return BlockX(U32x4(x.codes).v[2 * at], U32x4(x.codes).v[2 * at + 1], F32s(x.scales).v[at],
                has_minimum(kFormat) ? F32x2(x.sums).v[at] : vec2(0));
}

void add_blocks(uint s, uint64_t row[kMostStreams], inout Sums sums) {
  Block w[kMostStreams][2];
  [[unroll]] for (uint r = 0; r < kStreams; ++r) load_step(row[r], s, a.n_cols, w[r]);
  [[unroll]] for (uint b = 0; b < blocks_of_step(kFormat); ++b) {
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      BlockX x = x_block(t, w[0][b].at);
      [[unroll]] for (uint r = 0; r < kStreams; ++r)
        sums.of[r * kTokens + t] += product_of(w[r][b], x.first, x.second, x.scale, x.sums);
    }
  }
}

bool takes_small_steps() { return has_small_steps(kFormat) && kSmallSteps; }

void add_small_step(uint s, uint64_t row[kMostStreams], inout Sums sums) {
  Part w[kMostStreams][4];
  [[unroll]] for (uint r = 0; r < kStreams; ++r) load_small_step(row[r], s, a.n_cols, w[r]);
  [[unroll]] for (uint p = 0; p < parts_of_step(kFormat); ++p) {
    uint at = w[0][p].at;
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      Packed x = packed_from(a.x, x_first() + uint64_t(t) * a.n_cols);
      uvec4 codes = U32x4(x.codes).v[at];
      float scale = F32s(x.scales).v[at / 2];
      float sum = has_minimum(kFormat) ? F32s(x.sums).v[at] : 0;
      [[unroll]] for (uint r = 0; r < kStreams; ++r) {
        Part part = w[r][p];
        sums.of[r * kTokens + t] +=
            scale * part.scale * float(dot16(part.codes, codes)) - part.minimum * sum;
      }
    }
  }
}

void add(uint s, uint64_t row[kMostStreams], inout Sums sums) {
  if (kFloat) add_floats(s, row, sums);
  else if (takes_small_steps()) add_small_step(s, row, sums);
  else add_blocks(s, row, sums);
}

// The products of the rows of these places with all rows of activations, in all invocations.
Sums products(uint64_t row[kMostStreams]) {
  Sums sums;
  [[unroll]] for (uint i = 0; i < kStreams * kTokens; ++i) sums.of[i] = 0;
  uint n = kFloat        ? (a.n_cols + 7) / 8
           : takes_small_steps() ? a.n_cols / (16 * parts_of_step(kFormat))
                         : a.n_cols / (32 * blocks_of_step(kFormat));
  uint s = gl_SubgroupInvocationID;
  if (kSteps > 1) {
    for (; s + (kSteps - 1) * gl_SubgroupSize < n; s += kSteps * gl_SubgroupSize)
      [[unroll]] for (uint j = 0; j < kSteps; ++j) add(s + j * gl_SubgroupSize, row, sums);
  }
  for (; s < n; s += gl_SubgroupSize) add(s, row, sums);
  [[unroll]] for (uint k = 0; k < kStreams * kTokens; ++k) sums.of[k] = subgroupAdd(sums.of[k]);
  return sums;
}

void store(uint row0, Sums sums) {
  // One invocation for each product.
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = row0 + k / kTokens, t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize || row >= a.n_rows) continue;
    float y = finish(sums.of[k], t, a.scale, a.bias, expert() * a.n_rows + row);
    F32s at = F32s(a.y.codes + 4 * (uint64_t(gl_WorkGroupID.z + t) * a.n_rows + row));
    at.v[0] = kWhat == kAdd ? at.v[0] + a.added * y : y;
  }
}

void keep(uint row0, Sums sums) {
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint of_bias = expert() * a.n_rows + min(row0 + k / kTokens, a.n_rows - 1), t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize) continue;
    vec2 both = vec2(finish(sums.of[k], t, a.scale, a.bias, of_bias), 0);
    if (kWhat == kHidden) both.y = finish(sums.of[kRows * kTokens + k], t, a.scale2, a.bias2, of_bias);
    of_32[t * 32 + row0 % 32 + k / kTokens] = both;
  }
}

void main() {
  grid = a.grid;
  if (kEps > 0) find_roots();
  // Rows of a workgroup; a subgroup has some of them, then others.
  uint n = kBy32 ? 32 : gl_NumSubgroups * kRows;
  for (uint r = gl_SubgroupID * kRows; r < n; r += gl_NumSubgroups * kRows) {
    uint row0 = gl_WorkGroupID.x * n + r;
    if (row0 >= a.n_rows) break;
    uint64_t skip = uint64_t(expert()) * a.n_rows * a.row_bytes;
    uint64_t row[kMostStreams];
    [[unroll]] for (uint i = 0; i < kRows; ++i) {
      uint64_t at = skip + uint64_t(min(row0 + i, a.n_rows - 1)) * a.row_bytes;
      row[i] = a.w + at;
      if (kWhat == kHidden) row[kRows + i] = a.w2 + at;
    }
    Sums sums = products(row);
    if (kBy32) keep(row0, sums); else store(row0, sums);
  }
  if (kBy32) store_32();
}
