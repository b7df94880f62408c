// SPDX-License-Identifier: MIT
// y = W x for many rows of activations, as in prompts. A workgroup of 256 handles a tile of 128
// rows of W by 128 or 64 rows of activations, and goes through the columns a block of 32 at a time.
// Both sides of a block are unpacked to shared memory once, while the next block is on its way to
// registers. Then each invocation computes 8 by 8 of the products, or 8 by 4.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"
#include "product.glsl"

layout(constant_id = 3) const uint kTokens = 8;    // rows of activations for an invocation

const uint kRows = 8;                // rows of W for an invocation
const uint kTile = 16 * kRows;       // rows of W for a workgroup
const uint kStride = 3;  // vectors in a row of a tile: 2, and 1 against bank conflicts
const uint kColumns = kFloat ? 8 : 32;
shared uvec4 w_codes[kTile * kStride];
shared uvec4 x_codes[kTile * kStride];
// A row of W has the scale of the block or of each half, then the minimum or minimums. A row of
// activations has the scale of the block and, if W has minimums, the sum of the block or of each
// half.
#if has_halves(FORMAT) && has_minimum(FORMAT)
#define Scales vec4
#elif has_halves(FORMAT) || has_minimum(FORMAT)
#define Scales vec2
#else
#define Scales float
#endif
shared Scales w_scales[kTile];
shared Scales x_scales[kTile];

float sums[kRows][8];

// Half a block of a row, for each side: bytes, or four floats.
struct Loaded {
  RawPart w;
  uvec4 x;
  float x_scale;
  vec2 x_sums;
  uint at;  // which half
};

// Two neighbouring invocations load a row of both tiles.
Loaded load(uint t0, uint block) {
  uint r = gl_LocalInvocationIndex / 2, half_ = gl_LocalInvocationIndex % 2;
  uint64_t of_w = w_row(gl_WorkGroupID.x * kTile + r), first = x_row(t0 + min(r, 16 * kTokens - 1));
  if (kFloat) {
    Floats8 f = floats_of(kFormat, of_w, block, a.n_cols);
    uint at = 8 * block + 4 * half_;
    vec4 x = at < a.n_cols ? F32x4(a.x.codes + 4 * (first + at)).v[0] : vec4(0);
    return Loaded(RawPart(floatBitsToUint(half_ == 0 ? f.a : f.b), uvec4(0), uvec4(0), 0),
                  floatBitsToUint(x), 0, vec2(0), at);
  }
  uint at = 2 * block + half_;
  Packed x = packed_from(a.x, first);
  return Loaded(fetch_part(of_w, at, a.n_cols), U32x4(x.codes).v[at],
                F32s(x.scales).v[block], has_minimum(kFormat) ? F32x2(x.sums).v[block] : vec2(0), at);
}

void put(Loaded l) {
  uint r = gl_LocalInvocationIndex / 2, half_ = gl_LocalInvocationIndex % 2;
  x_codes[r * kStride + half_] = l.x;
  if (kFloat) {
    w_codes[r * kStride + half_] = l.w.a;
    return;
  }
  Part part = part_of(l.w, l.at);
  w_codes[r * kStride + half_] = part.codes;
#if has_halves(FORMAT)
  w_scales[r][half_] = part.scale;
#if has_minimum(FORMAT)
  w_scales[r][2 + half_] = part.minimum;
#endif
#endif
  if (half_ != 0) return;
#if has_halves(FORMAT) && has_minimum(FORMAT)
  x_scales[r] = vec4(l.x_scale, l.x_sums, 0);
#elif has_halves(FORMAT)
  x_scales[r].x = l.x_scale;
#elif has_minimum(FORMAT)
  w_scales[r] = vec2(part.scale, part.minimum);
  x_scales[r] = vec2(l.x_scale, l.x_sums.x + l.x_sums.y);
#else
  w_scales[r] = part.scale;
  x_scales[r] = l.x_scale;
#endif
}

// Adds the product of a block of a row of W and a block of a row of activations to `sum`.
float add_product(float sum, uvec4 w0, uvec4 w1, Scales of_w, uvec4 x0, uvec4 x1, Scales of_x) {
  if (kFloat)
    return sum + dot(uintBitsToFloat(w0), uintBitsToFloat(x0)) +
           dot(uintBitsToFloat(w1), uintBitsToFloat(x1));
#if has_halves(FORMAT)
  float both = of_w.x * float_of(dot16(w0, x0)) + of_w.y * float_of(dot16(w1, x1));
  sum = fma(of_x.x, both, sum);
#if has_minimum(FORMAT)
  sum = fma(-of_w.w, of_x.z, fma(-of_w.z, of_x.y, sum));
#endif
#else
  float both = above_large(add_dot16(add_dot16(kLargeFloat, w0, x0), w1, x1));
#if has_minimum(FORMAT)
  sum = fma(of_x.x * of_w.x, both, fma(-of_w.y, of_x.y, sum));
#else
  sum = fma(of_x * of_w, both, sum);
#endif
#endif
  return sum;
}

// n_there is how many rows of activations exist for the invocation that has most.
void add_tile(uint ty, uint tx, uint n_there) {
  [[unroll]] for (uint first = 0; first < kRows; first += 4) {
    uvec4 w0[4], w1[4];
    Scales of_w[4];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      uint r = ty * kRows + first + i;
      w0[i] = w_codes[r * kStride];
      w1[i] = w_codes[r * kStride + 1];
      of_w[i] = w_scales[r];
    }
    [[unroll]] for (uint j = 0; j < kTokens; ++j) {
      if (kExperts && j >= n_there) continue;
      uint t = tx + 16 * j;
      uvec4 x0 = x_codes[t * kStride], x1 = x_codes[t * kStride + 1];
      Scales of_x = x_scales[t];
      [[unroll]] for (uint i = 0; i < 4; ++i)
        sums[first + i][j] = add_product(sums[first + i][j], w0[i], w1[i], of_w[i], x0, x1, of_x);
    }
  }
}

void store(uint t0, uint ty, uint tx) {
  [[unroll]] for (uint j = 0; j < kTokens; ++j) {
    uint t = t0 + 16 * j + tx;
    [[unroll]] for (uint i = 0; i < kRows; ++i)
      put_product(gl_WorkGroupID.x * kTile + ty * kRows + i, t, sums[i][j]);
  }
}

void main() {
  uint t0 = take_tile(16 * kTokens);
  if (t0 >= t_end) return;
  uint ty = gl_LocalInvocationIndex / 16, tx = gl_LocalInvocationIndex % 16;
  [[unroll]] for (uint i = 0; i < kRows; ++i) [[unroll]] for (uint j = 0; j < kTokens; ++j) sums[i][j] = 0;
  uint n = (a.n_cols + kColumns - 1) / kColumns;
  uint n_there = (t_end - t0 + 15) / 16;
  Loaded next = load(t0, 0);
  for (uint b = 0; b < n; ++b) {
    barrier();
    put(next);
    barrier();
    next = load(t0, min(b + 1, n - 1));
    add_tile(ty, tx, n_there);
  }
  store(t0, ty, tx);
}
