#version 460
// SPDX-License-Identifier: MIT
// y = W x for many rows of activations: prompts. A workgroup of 256 has a tile of 64 rows of W by
// 64 rows of activations, and goes through the columns a block of 32 at a time: both sides of it
// are unpacked to shared memory once, then each invocation has 4 by 4 of the products.
#include "common.glsl"
#include "formats.glsl"

// FORMAT: of W; each is a program of its own (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
const bool kFloat = is_float(FORMAT);
layout(constant_id = 1) const bool kAdds = false;  // y += added * product, else y = product
layout(constant_id = 2) const bool kExperts = false;  // W of many, one a tile of activations

layout(push_constant, scalar) uniform Arguments {
  uint64_t w;         // [n_rows] rows of row_bytes
  uint64_t bias;      // [n_rows] or 0
  uint64_t x;         // [n_tokens, n_cols] signed bytes, or floats
  uint64_t x_scales;  // [n_tokens, n_cols / 32]
  uint64_t y;         // [n_tokens, y_stride]
  uint64_t tiles;     // of experts, as group.comp has them
  uint64_t expert_bytes;
  uint n_rows;
  uint n_cols;
  uint row_bytes;
  uint y_stride;
  uint n_tokens;
  float scale;
  float added;
} a;

// What the workgroup has: of W, of its bias, and the end of its rows of activations.
uint64_t w, bias;
uint t_end;

const uint kTile = 64;
const uint kStride = 12;  // words of a row of a tile: 8, and room so that no two reads collide
shared uvec4 w_codes[kTile * kStride / 4];
shared uvec4 x_codes[kTile * kStride / 4];
shared vec4 w_scales[kTile];  // of both halves of a block; then the minimums
shared vec4 x_scales[kTile];  // its scale; then the sums of both halves

float sums[4][4];

void load_tile(uint row0, uint t0, uint block) {
  uint r = gl_LocalInvocationIndex / 4, quarter = gl_LocalInvocationIndex % 4;
  uint64_t row = w + uint64_t(min(row0 + r, a.n_rows - 1)) * a.row_bytes;
  Octet o = octet_of(kFormat, row, block * 4 + quarter, a.n_cols);
  uint64_t x = a.x + uint64_t(min(t0 + r, t_end - 1)) * a.n_cols;
  uvec2 codes = U32x2(x).v[block * 4 + quarter];
  uint at = r * (kStride / 4) + quarter / 2;
  w_codes[at][quarter % 2 * 2] = o.codes.x;
  w_codes[at][quarter % 2 * 2 + 1] = o.codes.y;
  x_codes[at][quarter % 2 * 2] = codes.x;
  x_codes[at][quarter % 2 * 2 + 1] = codes.y;
  if (quarter % 2 == 0) {
    w_scales[r][quarter / 2] = o.scale;
    w_scales[r][2 + quarter / 2] = o.minimum;
  }
  if (has_minimum(kFormat)) {
    int sum = dot4(codes.x, 0x01010101) + dot4(codes.y, 0x01010101);
    sum += subgroupShuffleXor(sum, 1);
    if (quarter % 2 == 0) x_scales[r][1 + quarter / 2] = float(sum);
  }
  if (quarter == 0)
    x_scales[r][0] = F32s(a.x_scales + uint64_t(min(t0 + r, t_end - 1)) * (a.n_cols / 8)).v[block];
}

int dot16(uvec4 x, uvec4 y) {
  return dot4(x.x, y.x) + dot4(x.y, y.y) + dot4(x.z, y.z) + dot4(x.w, y.w);
}

void add_tile(uint ty, uint tx) {
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    uint t = tx + 16 * j;
    uvec4 x0 = x_codes[t * (kStride / 4)], x1 = x_codes[t * (kStride / 4) + 1];
    vec4 of_x = x_scales[t];
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      uint r = ty * 4 + i;
      int low = dot16(w_codes[r * (kStride / 4)], x0), high = dot16(w_codes[r * (kStride / 4) + 1], x1);
      vec4 of_w = w_scales[r];
      float sum = of_w.x * float(low) + of_w.y * float(high);
      if (has_minimum(kFormat)) sum -= of_w.z * of_x.y + of_w.w * of_x.z;
      sums[i][j] += of_x.x * sum;
    }
  }
}

// As floats: eight columns at a time.
void load_floats(uint row0, uint t0, uint octet) {
  uint side = gl_LocalInvocationIndex / kTile, r = gl_LocalInvocationIndex % kTile;
  if (side == 0) {
    uint64_t row = w + uint64_t(min(row0 + r, a.n_rows - 1)) * a.row_bytes;
    Floats8 f = floats_of(kFormat, row, octet, a.n_cols);
    w_codes[r * (kStride / 4)] = floatBitsToUint(f.a);
    w_codes[r * (kStride / 4) + 1] = floatBitsToUint(f.b);
  } else if (side == 1) {
    F32x4 x = F32x4(a.x + 4 * (uint64_t(min(t0 + r, t_end - 1)) * a.n_cols + 8 * octet));
    x_codes[r * (kStride / 4)] = floatBitsToUint(x.v[0]);
    x_codes[r * (kStride / 4) + 1] = floatBitsToUint(8 * octet + 4 < a.n_cols ? x.v[1] : vec4(0));
  }
}

void add_floats(uint ty, uint tx) {
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    uint t = tx + 16 * j;
    vec4 x0 = uintBitsToFloat(x_codes[t * (kStride / 4)]), x1 = uintBitsToFloat(x_codes[t * (kStride / 4) + 1]);
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      uint r = (ty * 4 + i) * (kStride / 4);
      sums[i][j] += dot(uintBitsToFloat(w_codes[r]), x0) + dot(uintBitsToFloat(w_codes[r + 1]), x1);
    }
  }
}

// The first row of activations of the workgroup's tile, where it has one.
uint take_tile() {
  w = a.w;
  bias = a.bias;
  t_end = a.n_tokens;
  if (!kExperts) return gl_WorkGroupID.y * kTile;
  U32 tile = U32(a.tiles + 12 * gl_WorkGroupID.y);
  w += uint64_t(tile.v[0]) * a.expert_bytes;
  if (bias != 0) bias += 4 * uint64_t(tile.v[0]) * a.n_rows;
  t_end = tile.v[2];
  return tile.v[1];
}

void main() {
  uint row0 = gl_WorkGroupID.x * kTile, t0 = take_tile();
  if (t0 >= t_end) return;
  uint ty = gl_LocalInvocationIndex / 16, tx = gl_LocalInvocationIndex % 16;
  [[unroll]] for (uint i = 0; i < 4; ++i) [[unroll]] for (uint j = 0; j < 4; ++j) sums[i][j] = 0;
  uint n = kFloat ? (a.n_cols + 7) / 8 : a.n_cols / 32;
  for (uint b = 0; b < n; ++b) {
    barrier();
    if (kFloat) load_floats(row0, t0, b); else load_tile(row0, t0, b);
    barrier();
    if (kFloat) add_floats(ty, tx); else add_tile(ty, tx);
  }
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    uint row = row0 + ty * 4 + i;
    if (row >= a.n_rows) continue;
    float added = bias != 0 ? F32s(bias).v[row] : 0;
    [[unroll]] for (uint j = 0; j < 4; ++j) {
      uint t = t0 + tx + 16 * j;
      if (t >= t_end) continue;
      float y = sums[i][j] * a.scale + added;
      F32s at = F32s(a.y + 4 * (uint64_t(t) * a.y_stride + row));
      at.v[0] = kAdds ? at.v[0] + a.added * y : y;
    }
  }
}
