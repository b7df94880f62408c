// SPDX-License-Identifier: MIT
// y = W x for a few rows of activations, reading W once. Decoding spends most of its time here.
//
// A subgroup handles kRows rows of W, or as many of each of two matrices. Its invocations take
// turns at the steps of a row. The same invocation takes the same steps for each row of
// activations, so its sums do not depend on the other rows, only on whether there are up to 2 rows
// or up to 8. Products are of signed bytes, or of floats if kFloat. In a mixture of experts the
// matrix belongs to one expert, or there are matrices for all experts of a token.
#include "common.glsl"
#include "formats.glsl"
#include "parts.glsl"
#include "few.glsl"

layout(constant_id = 16) const uint kGating = 0;
layout(constant_id = 17) const uint kRouted = 1;
layout(constant_id = 18) const uint kUsed = 1;  // equal to kSharing
layout(constant_id = 19) const bool kNormalises = false;
const uint kGroups = 1, kGroupsUsed = 1;
#include "choice.glsl"

const uint kStreams = kRows * (kWhat == kHidden ? 2 : 1);
const uint kMostStreams = 8;
const uint kMostSums = kMostStreams * 8;
struct Sums {
  float of[kMostSums];  // [kStreams, kTokens]
};

// The product of a block of W and a block of activations. `sum` is the sums of the latter's halves.
float product_of(Block w, uvec4 first, uvec4 second, float scale, vec2 sum) {
  int p = dot16(w.first, first), q = dot16(w.second, second);
  float product = scale * (has_halves(kFormat) ? w.scale.x * float_of(p) + w.scale.y * float_of(q)
                                               : w.scale.x * float_of(p + q));
  if (!has_minimum(kFormat)) return product;
  return product - (has_halves(kFormat) ? dot(w.minimum, sum) : w.minimum.x * (sum.x + sum.y));
}

bool takes_small_steps() { return has_small_steps(kFormat) && kSmallSteps; }

// The number of steps in a row of n_cols values.
uint steps_of(uint n_cols) {
  if (kFloat) return (n_cols + 7) / 8;
  return n_cols / (takes_small_steps() ? 16 * parts_of_step(kFormat) : 32 * blocks_of_step(kFormat));
}

// The place that an invocation reads at once, in rows of W and in x.
struct Step {
  uint i;        // in a row
  uint64_t w;    // bytes to add to the addresses of the rows of W
  uint64_t x;    // the first value of the first row of x
  float weight;  // factor on the products
};

// Step i of a row. If y sums experts, the steps of all their rows follow each other; past their end
// the weight is 0.
Step step_of(uint i) {
  if (kSummed == 0) return Step(i, 0, x_first(), 1);
  uint n = steps_of(kColumns), k = min(i / n, kSummed - 1);
  uint64_t expert_bytes = uint64_t(a.n_rows) * a.row_bytes;
  return Step(min(i - k * n, n - 1), summed_expert(k) * expert_bytes, x_first() + k * kColumns,
              i < n * kSummed ? summed_weight(k) : 0);
}

uint64_t x_value(Step s, uint t) { return s.x + uint64_t(t) * a.n_cols; }

float squares = 0;  // kNormsX: sum over what this invocation read of x

void add_floats(Step s, uint64_t row[kMostStreams], inout Sums sums) {
  Floats8 w[kMostStreams];
  [[unroll]] for (uint r = 0; r < kStreams; ++r)
    w[r] = floats_of(kFormat, row[r] + s.w, s.i, a.n_cols);
  [[unroll]] for (uint t = 0; t < kTokens; ++t) {
    F32x4 in4 = F32x4(a.x.codes + x_value(s, t) * 4 + 32 * s.i);
    vec4 x0 = in4.v[0], x1 = 8 * s.i + 4 < a.n_cols ? in4.v[1] : vec4(0);
    if (kNormsX) {
      F32x4 norm = F32x4(a.w2 + 32 * s.i);
      squares += dot(x0, x0) + dot(x1, x1);
      x0 *= norm.v[0];
      if (8 * s.i + 4 < a.n_cols) x1 *= norm.v[1];
    }
    if (kSummed > 0) {
      x0 *= s.weight;
      x1 *= s.weight;
    }
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

// Multiplies by the weight of the step's expert, if y sums experts.
float by_weight(Step s, float x) { return kSummed > 0 ? s.weight * x : x; }
vec2 by_weight(Step s, vec2 x) { return kSummed > 0 ? s.weight * x : x; }

BlockX x_block(Step s, uint t, uint at) {
  Packed x = packed_from(a.x, x_value(s, t));
  return BlockX(U32x4(x.codes).v[2 * at], U32x4(x.codes).v[2 * at + 1],
                by_weight(s, F32s(x.scales).v[at]),
                has_minimum(kFormat) ? by_weight(s, F32x2(x.sums).v[at]) : vec2(0));
}

void add_blocks(Step s, uint64_t row[kMostStreams], inout Sums sums) {
  Block w[kMostStreams][2];
  [[unroll]] for (uint r = 0; r < kStreams; ++r) load_step(row[r] + s.w, s.i, a.n_cols, w[r]);
  [[unroll]] for (uint b = 0; b < blocks_of_step(kFormat); ++b) {
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      BlockX x = x_block(s, t, w[0][b].at);
      [[unroll]] for (uint r = 0; r < kStreams; ++r)
        sums.of[r * kTokens + t] += product_of(w[r][b], x.first, x.second, x.scale, x.sums);
    }
  }
}

void add_small_step(Step s, uint64_t row[kMostStreams], inout Sums sums) {
  Part w[kMostStreams][4];
  [[unroll]] for (uint r = 0; r < kStreams; ++r)
    load_small_step(row[r] + s.w, s.i, a.n_cols, w[r]);
  [[unroll]] for (uint p = 0; p < parts_of_step(kFormat); ++p) {
    uint at = w[0][p].at;
    [[unroll]] for (uint t = 0; t < kTokens; ++t) {
      Packed x = packed_from(a.x, x_value(s, t));
      uvec4 codes = U32x4(x.codes).v[at];
      float scale = by_weight(s, F32s(x.scales).v[at / 2]);
      float sum = has_minimum(kFormat) ? by_weight(s, F32s(x.sums).v[at]) : 0;
      [[unroll]] for (uint r = 0; r < kStreams; ++r) {
        Part part = w[r][p];
        sums.of[r * kTokens + t] +=
            scale * part.scale * float(dot16(part.codes, codes)) - part.minimum * sum;
      }
    }
  }
}

void add(Step s, uint64_t row[kMostStreams], inout Sums sums) {
  if (kFloat) add_floats(s, row, sums);
  else if (takes_small_steps()) add_small_step(s, row, sums);
  else add_blocks(s, row, sums);
}

// Returns the products of the rows at these addresses with all rows of activations. Every
// invocation has all of them.
Sums products(uint64_t row[kMostStreams]) {
  Sums sums;
  [[unroll]] for (uint i = 0; i < kStreams * kTokens; ++i) sums.of[i] = 0;
  uint n = kSummed > 0 ? steps_of(kColumns) * kSummed : steps_of(a.n_cols);
  uint i = gl_SubgroupInvocationID;
  if (kSteps > 1) {
    uint ahead = kSummed > 0 ? 0 : (kSteps - 1) * gl_SubgroupSize;  // steps up to here must exist
    for (; i + ahead < n; i += kSteps * gl_SubgroupSize)
      [[unroll]] for (uint j = 0; j < kSteps; ++j) add(step_of(i + j * gl_SubgroupSize), row, sums);
  }
  for (; i < n; i += gl_SubgroupSize) add(step_of(i), row, sums);
  if (kNormsX) inverse_roots[0] = 1 / sqrt(subgroupAdd(squares) / float(a.n_cols) + kEps);
  [[unroll]] for (uint k = 0; k < kStreams * kTokens; ++k) sums.of[k] = subgroupAdd(sums.of[k]);
  return sums;
}

void store(uint row0, Sums sums) {
  // One invocation stores each product.
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = row0 + k / kTokens, t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize || row >= a.n_rows) continue;
    float y = finish(sums.of[k], t, a.scale, a.bias, row);
    F32s at = F32s(a.y.codes + 4 * (uint64_t(place(t)) * a.n_rows + row));
    at.v[0] = kWhat == kAdd ? at.v[0] + a.added * y : y;
  }
}

void keep(uint row0, Sums sums) {
  [[unroll]] for (uint k = 0; k < kRows * kTokens; ++k) {
    uint row = min(row0 + k / kTokens, a.n_rows - 1), t = k % kTokens;
    if (gl_SubgroupInvocationID != k % gl_SubgroupSize) continue;
    vec2 both = vec2(finish(sums.of[k], t, a.scale, a.bias, row), 0);
    if (kWhat == kHidden) both.y = finish(sums.of[kRows * kTokens + k], t, a.scale2, a.bias2, row);
    of_32[t * 32 + row0 % 32 + k / kTokens] = both;
  }
}

void choose() {
  uint t = place(0) / kUsed, i = place(0) % kUsed;
  uint64_t ids = a.ids + 4 * t * kUsed, weights = a.ids + kWeightsAt + 4 * t * kUsed;
  Router from = Router(a.ids + kLogitsAt + 4 * t * kRouted, 0, 0, a.added);
  choose_experts(from);
  chosen_expert = chosen[i];
  if (i == 0 && gl_WorkGroupID.y == 0) put_choice(from, ids, weights);
}

void main() {
  grid = a.grid;
  if (kChooses) choose();
  if (kEps > 0 && !kNormsX) find_roots();
  EarlyStream early = early_stream();
  // A workgroup has n rows. Each subgroup takes some of them, then others.
  uint n = kBy32 ? 32 : gl_NumSubgroups * kRows;
  for (uint r = gl_SubgroupID * kRows; r < n; r += gl_NumSubgroups * kRows) {
    uint row0 = rows_of_workgroup() * n + r;
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
  if (kBy32) store_32(early);
}
