#pragma use_vulkan_memory_model
// SPDX-License-Identifier: MIT
// y = W x for 3 to 16 rows of activations on matrix cores, reading W once. Both sides are f16, and
// sums are f32.
//
// A workgroup handles 16 rows of W, or of each of two matrices. Its subgroups take turns at steps
// of the columns, and their sums are added up at the end. An invocation unpacks weights straight
// into its elements of a matrix, without going through memory. It does not matter which columns of
// a row become which of the 16 columns of a matrix, as long as both sides agree: each of four
// neighbouring invocations has four columns of a different step.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"
#include "few.glsl"
#include "matrix.glsl"
#include "weight_halves.glsl"
#include "fragments.glsl"

const uint kMatrices = kWhat == kHidden ? 2 : 1;
const uint kMostMatrices = 2, kMostResults = 16;  // subgroups times matrices
const uint kParts = has_small_steps(FORMAT) ? parts_of_step(FORMAT) : 1;  // in a step
shared float results[kMostResults * kSide * kSide];

// Sixteen values of a row as f16.
struct Halves {
  uvec4 first, second;
};

// Sixteen weights that have been requested. Floats are converted to f16 at once.
struct Held {
  Part part;
  Halves halves;
};

void load_weights(uint64_t row, uint s, out Held held[4]) {
#if has_small_steps(FORMAT)
  Part parts[4];
  load_small_step(row, s, a.n_cols, parts);
  [[unroll]] for (uint p = 0; p < kParts; ++p) held[p].part = parts[p];
#elif is_float(FORMAT)
  RawPart raw = fetch_weights(row, s);
  unpack_weights(raw, s, held[0].halves.first, held[0].halves.second);
  held[0].part.at = s;
#else
  held[0].part = part_of(fetch_part(row, s, a.n_cols), s);
#endif
}

Halves w_halves(Held held) {
  if (kFloat) return held.halves;
  Halves h;
  halves_of_part(held.part, h.first, h.second);
  return h;
}

const Halves kNone = Halves(uvec4(0), uvec4(0));

// Sixteen values of row t of x, or of the last row if there is no row t. Zeros unless `is_in`.
Halves x_halves(uint t, uint at, bool is_in) {
  U32x4 x = U32x4(a.x.codes + 2 * (uint64_t(min(t, kTokens - 1)) * a.n_cols + 16 * at));
  return is_in ? Halves(x.v[0], x.v[1]) : kNone;
}

// Four of sixteen columns.
uvec2 quarter_of(Halves h, uint i) {
  return i == 0 ? h.first.xy : i == 1 ? h.first.zw : i == 2 ? h.second.xy : h.second.zw;
}

// Adds up the products of all subgroups, for four of the tile's rows and row t of x.
vec4 products(uint matrix, uint t, uint quarter) {
  vec4 sum = vec4(0);
  for (uint k = 0; k < gl_NumSubgroups; ++k) {
    uint at = ((k * kMatrices + matrix) * kSide + t) * kSide + 4 * quarter;
    sum += vec4(results[at], results[at + 1], results[at + 2], results[at + 3]);
  }
  return sum * kProductScale;
}

void store_quarter(uint row, uint t, uint quarter) {
  vec4 y = products(0, t, quarter);
  if (kWhat == kHidden) {
    vec4 up = products(1, t, quarter);
    [[unroll]] for (uint k = 0; k < 4; ++k)
      y[k] = activate(kActivation, finish(y[k], t, a.scale, a.bias, row + k),
                      finish(up[k], t, a.scale2, a.bias2, row + k));
    put_halves(y, a.y.codes, (t * a.n_rows + row) / 4);
    return;
  }
  [[unroll]] for (uint k = 0; k < 4; ++k) {
    if (row + k >= a.n_rows) return;
    F32s at = F32s(a.y.codes + 4 * (uint64_t(t) * a.n_rows + row + k));
    float product = finish(y[k], t, a.scale, a.bias, row + k);
    at.v[0] = kWhat == kAdd ? at.v[0] + a.added * product : product;
  }
}

// Finds the addresses of two rows of each matrix, eight rows apart.
void find_rows(uint row0, out uint64_t row[2 * kMostMatrices]) {
  [[unroll]] for (uint i = 0; i < 2; ++i) {
    uint64_t at = uint64_t(min(row0 + 8 * i, a.n_rows - 1)) * a.row_bytes;
    row[i] = a.w + at;
    row[2 + i] = a.w2 + at;
  }
}

void store(uint row0) {
  for (uint i = gl_LocalInvocationIndex; i < 4 * kTokens; i += gl_WorkGroupSize.x) {
    uint quarter = i % 4, row = row0 + 4 * quarter;
    if (row < a.n_rows) store_quarter(row, i / 4, quarter);
  }
}

void main() {
  grid = a.grid;
  uint in_tile = gl_SubgroupInvocationID / 4, row0 = gl_WorkGroupID.x * kSide;
  uint64_t row[2 * kMostMatrices];
  find_rows(row0 + in_tile, row);
  Accumulator sums[kMostMatrices];
  [[unroll]] for (uint m = 0; m < kMatrices; ++m) sums[m] = filled(0.0);
  uint n = a.n_cols / (16 * kParts);
  for (uint four = 4 * gl_SubgroupID; four < n; four += 4 * gl_NumSubgroups) {
    uint s = four + gl_SubgroupInvocationID % 4;
    Held held[2 * kMostMatrices][4];
    [[unroll]] for (uint i = 0; i < 2 * kMatrices; ++i)
      load_weights(row[i], min(s, n - 1), held[i]);
    [[unroll]] for (uint p = 0; p < kParts; ++p) {
      uint at = held[0][p].part.at;
      Halves x_low = x_halves(in_tile, at, s < n);
      Halves x_high = kTokens > 8 ? x_halves(in_tile + 8, at, s < n) : kNone;
      Halves w[2 * kMostMatrices];
      [[unroll]] for (uint i = 0; i < 2 * kMatrices; ++i) w[i] = w_halves(held[i][p]);
      [[unroll]] for (uint e = 0; e < 4; ++e) {
        MatrixB x = filled_b(float16_t(0));
        SET_FRAGMENT(with_b, x, quarter_of(x_low, e), quarter_of(x_high, e))
        [[unroll]] for (uint m = 0; m < kMatrices; ++m) {
          MatrixA weights = filled_a(float16_t(0));
          SET_FRAGMENT(with_a, weights, quarter_of(w[2 * m], e), quarter_of(w[2 * m + 1], e))
          sums[m] = multiply_add(weights, x, sums[m]);
        }
      }
    }
  }
  [[unroll]] for (uint m = 0; m < kMatrices; ++m) {
    uint first = (gl_SubgroupID * kMatrices + m) * kSide * kSide;
    store_sums(results[first], sums[m], kColumnMajor, kSide);
  }
  barrier();
  store(row0);
}
