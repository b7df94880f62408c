#pragma use_vulkan_memory_model
// SPDX-License-Identifier: MIT
// y = W x for many rows of activations on matrix cores (SPV_KHR_cooperative_matrix). Both sides are
// f16, and sums are f32. A workgroup of eight subgroups handles a tile of 128 rows of W by 128 or
// 64 rows of activations, and goes through the columns 32 at a time. Each subgroup computes 64 by
// 32 of the products, or 64 by 16. Meanwhile the next columns of both sides are unpacked to the
// other half of shared memory, and the columns after those are on their way to registers.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"
#include "product.glsl"
#include "matrix.glsl"
#include "weight_halves.glsl"

layout(constant_id = 3) const uint kAcross = 2;  // matrices of a subgroup, over activations
const uint kDown = 4;                            // and over rows of W
layout(constant_id = 4) const uint kBuffers = 2;  // 1 if shared memory has no room for two

const uint kTile = 128;    // rows of W; also most rows of activations
const uint kStride = 5;    // vectors in a row of a tile: 4, and 1 against bank conflicts
shared uvec4 w_tile[kBuffers * kTile * kStride];
shared uvec4 x_tile[kBuffers * kTile * kStride];
shared float results[8 * kSide * kSide];  // a matrix for each subgroup

// An invocation's share of the next 32 columns: sixteen of a row of W, and eight of a row of
// activations and of the row 64 below.
struct Loaded {
  uvec4 w_a, w_b, w_c;  // the members of a RawPart
  uint w_d;
  uint at;  // which sixteen columns
  uvec4 x0, x1;
};

// Where an invocation's rows begin.
struct Origin {
  uint64_t w, x0, x1;
};

Origin origin(uint t0) {
  uint i = gl_LocalInvocationIndex;
  uint64_t x = a.x.codes + 16 * (i % 4);
  return Origin(w_row(gl_WorkGroupID.x * kTile + i / 2), x + 2 * x_row(t0 + i / 4),
                x + 2 * x_row(t0 + kTile / 2 + i / 4));
}

// Two neighbouring invocations load a row of W, and four a row of activations: a subgroup's load
// then touches as few lines of the cache as possible.
Loaded load(Origin from, uint block) {
  uint at = 2 * block + gl_LocalInvocationIndex % 2;
  RawPart w = fetch_weights(from.w, at);
  return Loaded(w.a, w.b, w.c, w.d, at, U32x4(from.x0 + 64 * block).v[0],
                kAcross > 1 ? U32x4(from.x1 + 64 * block).v[0] : uvec4(0));
}

// buffer_ is the first vector of the half that is written.
void put_w(Loaded l, uint buffer_) {
  uint at = buffer_ + gl_LocalInvocationIndex / 2 * kStride + gl_LocalInvocationIndex % 2 * 2;
  uvec4 first, second;
  unpack_weights(RawPart(l.w_a, l.w_b, l.w_c, l.w_d), l.at, first, second);
  w_tile[at] = first;
  w_tile[at + 1] = second;
}

void put_x(Loaded l, uint buffer_) {
  uint at = buffer_ + gl_LocalInvocationIndex / 4 * kStride + gl_LocalInvocationIndex % 4;
  x_tile[at] = l.x0;
  if (kAcross > 1) x_tile[at + kTile / 2 * kStride] = l.x1;
}

// Stores a matrix of products by way of shared memory.
void store(Accumulator sums, uint row0, uint t0) {
  uint first = gl_SubgroupID * kSide * kSide;
  subgroup_barrier();
  store_sums(results[first], sums, kColumnMajor, kSide);
  subgroup_barrier();
  for (uint i = gl_SubgroupInvocationID; i < kSide * kSide; i += gl_SubgroupSize)
    put_product(row0 + i % kSide, t0 + i / kSide, results[first + i] * kProductScale);
}

void main() {
  uint tile = take_tile(64 * kAcross);
  if (tile >= t_end) return;
  uint down0 = gl_SubgroupID % 2 * 64, across0 = gl_SubgroupID / 2 * kSide * kAcross;
  Accumulator sums[kDown * 2];
  [[unroll]] for (uint i = 0; i < kDown * 2; ++i) sums[i] = filled(0.0);
  uint n = a.n_cols / 32;
  const Origin from = origin(tile);
  Loaded next = load(from, 0);
  put_w(next, 0);
  put_x(next, 0);
  next = load(from, min(1, n - 1));
  barrier();
  for (uint b = 0; b < n; ++b) {
    const uint here = b % kBuffers * kTile * kStride, there = (b + 1) % kBuffers * kTile * kStride;
    [[unroll]] for (uint k = 0; k < 2; ++k) {
      if (k == 1 && kBuffers == 2) put_w(next, there);  // between products: up to 4 % faster than after
      MatrixB x[2];
      [[unroll]] for (uint j = 0; j < 2; ++j)
        if (j < kAcross) x[j] = load_b(x_tile[here + (across0 + kSide * j) * kStride + 2 * k], kColumnMajor, kStride);
      [[unroll]] for (uint i = 0; i < kDown; ++i) {
        MatrixA w = load_a(w_tile[here + (down0 + kSide * i) * kStride + 2 * k], kRowMajor, kStride);
        [[unroll]] for (uint j = 0; j < 2; ++j)
          if (j < kAcross) sums[i * 2 + j] = multiply_add(w, x[j], sums[i * 2 + j]);
      }
    }
    if (kBuffers == 1) {
      barrier();
      put_w(next, there);
    }
    put_x(next, there);
    next = load(from, min(b + 2, n - 1));
    barrier();
  }
  uint row0 = gl_WorkGroupID.x * kTile + down0, t0 = tile + across0;
  [[unroll]] for (uint i = 0; i < kDown; ++i) [[unroll]] for (uint j = 0; j < 2; ++j)
    if (j < kAcross) store(sums[i * 2 + j], row0 + kSide * i, t0 + kSide * j);
}
