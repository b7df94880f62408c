// SPDX-License-Identifier: MIT
// Constants and arguments of the programs that read a matrix once and multiply it by a few rows of
// activations.

// The format of W. Each format is compiled as a separate program (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
// Rows of activations: 1 to 8 for matvec, 3 to 16 for matvec_cores.
layout(constant_id = 1) const uint kTokens = 1;
layout(constant_id = 2) const uint kRows = 1;    // rows of W for a subgroup
const bool kFloat = is_float(FORMAT);
layout(constant_id = 3) const uint kWhat = 0;
const uint kStore = 0;    // y = scale * W x + bias
const uint kAdd = 1;      // y += added * (scale * W x + bias)
const uint kHidden = 2;   // y = activation(W x) * (W2 x), packed, or f16 for matrix cores
// stream += added * (scale * W x + bias). y is the stream times a norm's weights, packed. Readers
// still have to divide it by the norm's root.
const uint kAddAndNorm = 3;
const bool kBy32 = kWhat == kHidden || kWhat == kAddAndNorm;  // a workgroup has 32 rows
layout(constant_id = 4) const uint kActivation = 0;
// If this is not 0, rows of y are handled separately: a column of workgroups handles kTokens of
// them, and kSharing rows of y share a row of x. If it is 0, a workgroup handles all rows.
layout(constant_id = 5) const uint kSharing = 0;
layout(constant_id = 6) const uint kSteps = 4;  // that are on their way at once
layout(constant_id = 7) const float kEps = 0;  // for the norm of x
layout(constant_id = 8) const bool kSmallSteps = false;  // if the format has them
// How many experts a row of y sums by their weights. A column of workgroups handles a token, and x
// has a row for each of the token's experts. If this is 0, y comes from one matrix.
layout(constant_id = 9) const uint kSummed = 0;
layout(constant_id = 10) const uint kIdsAt = 0;  // kSummed: bytes from a.ids to ids, [n, kSummed]
layout(constant_id = 11) const uint kWeightsAt = 0;  // bytes from a.ids to their weights
layout(constant_id = 12) const uint kColumns = 0;  // kSummed: a.n_cols
layout(constant_id = 13) const bool kNormsX = false;  // x is the stream: one row of floats
// First chooses the kSharing experts of a token from its router's logits, and writes them.
layout(constant_id = 14) const bool kChooses = false;
layout(constant_id = 15) const uint kLogitsAt = 0;  // bytes from a.ids to logits [n, kRouted]

// Values that only some variants need share a member.
layout(push_constant, scalar) uniform Arguments {
  uint64_t w;        // [n_rows] rows of row_bytes
  uint64_t w2;       // kHidden: as w; the norm's weights: kAddAndNorm [n_rows], kNormsX [n_cols]
  uint64_t bias;     // [n_rows] or 0
  uint64_t bias2;    // kHidden: as bias; kAddAndNorm: y as floats, [kTokens, n_rows], or 0
  Packed x;          // [kTokens, n_cols]; `codes` can be floats, or f16 for matrix cores
  Packed y;          // [kTokens, n_rows]; unless kBy32, `codes` are floats
  // Ids of experts, [n], or 0 if W is one matrix. With kAddAndNorm, the stream, [kTokens, n_rows].
  uint64_t ids;
  // Sums of the squares of each 32 values of the stream. kAddAndNorm writes them; other programs
  // divide their products with x by the root of the mean. 0 if x is normed already.
  uint64_t squares;
  uint64_t grid;
  uint n_rows;
  uint n_cols;
  uint row_bytes;
  float scale;
  float scale2;
  float added;
} a;

#include "activation.glsl"

// Workgroups with the same rows of W follow each other, so that weights which several tokens'
// experts share are read only once.
const bool kApart = kSharing > 0 || kSummed > 0;
uint rows_of_workgroup() { return kApart ? gl_WorkGroupID.y : gl_WorkGroupID.x; }

// place() is the row of y that product t belongs to; x_row() is the first row of x that is read.
uint place(uint t) { return kApart ? gl_WorkGroupID.x * kTokens + t : t; }
uint x_row() { return kSharing > 0 ? place(0) / kSharing : place(0) * kSummed; }
uint64_t x_first() { return uint64_t(x_row()) * a.n_cols; }

uint chosen_expert = 0;  // if kChooses
uint expert() {
  if (kChooses) return chosen_expert;
  return kSharing > 0 && a.ids != 0 ? U32(a.ids).v[place(0)] : 0;
}

// The k-th expert that y sums, and its weight.
uint summed_expert(uint k) { return U32(a.ids + kIdsAt).v[place(0) * kSummed + k]; }
float summed_weight(uint k) { return F32s(a.ids + kWeightsAt).v[place(0) * kSummed + k]; }

shared vec2 of_32[32 * 8];  // products, [kTokens, 32]; kHidden: gate and up

float inverse_roots[8];  // for each row of x

void find_roots() {
  [[unroll]] for (uint t = 0; t < kTokens; ++t) {
    float sum = 0;
    uint n = a.n_cols / 32;
    for (uint i = gl_SubgroupInvocationID; i < n; i += gl_SubgroupSize)
      sum += F32s(a.squares).v[(x_row() + t) * n + i];
    inverse_roots[t] = 1 / sqrt(subgroupAdd(sum) / float(a.n_cols) + kEps);
  }
}

// The bias of row `row` of W.
float bias_of(uint64_t bias, uint row) {
  if (kSummed == 0) return F32s(bias).v[expert() * a.n_rows + row];
  float sum = 0;
  for (uint k = 0; k < kSummed; ++k)
    sum += summed_weight(k) * F32s(bias).v[summed_expert(k) * a.n_rows + row];
  return sum;
}

// Finishes the product of row `row` with row t of x: scales it, norms it and adds the bias.
float finish(float product, uint t, float scale, uint64_t bias, uint row) {
  product *= scale;
  if (kEps > 0) product *= inverse_roots[t];
  return bias != 0 ? product + bias_of(bias, row) : product;
}

// Four values of the hidden row, from the products in of_32.
vec4 hidden_quarter(uint t, uint quarter) {
  vec4 y;
  [[unroll]] for (uint i = 0; i < 4; ++i) {
    vec2 both = of_32[t * 32 + quarter * 4 + i];
    y[i] = activate(kActivation, both.x, both.y);
  }
  return y;
}

// The row of y and the quarter of its 32 values that this invocation handles.
uint quarter_of_32() { return gl_LocalInvocationIndex % 8; }
uint token_of_32() { return gl_LocalInvocationIndex / 8; }
uint stream_in_row() { return rows_of_workgroup() * 8 + quarter_of_32(); }
uint stream_place() { return place(token_of_32()) * (a.n_rows / 4) + stream_in_row(); }

// Requested before the products are computed, so that it arrives meanwhile.
struct EarlyStream {
  vec4 x, weight;
};
EarlyStream early_stream() {
  if (kWhat != kAddAndNorm || token_of_32() >= kTokens) return EarlyStream(vec4(0), vec4(0));
  return EarlyStream(F32x4(a.ids).v[stream_place()], F32x4(a.w2).v[stream_in_row()]);
}

// Adds the products in of_32 to a quarter of the stream, and returns it times the norm's weights.
vec4 stream_quarter(EarlyStream early) {
  vec4 x = early.x;
  [[unroll]] for (uint k = 0; k < 4; ++k)
    x[k] += a.added * of_32[token_of_32() * 32 + quarter_of_32() * 4 + k].x;
  F32x4(a.ids).v[stream_place()] = x;
  return weighted_for_norm(x, early.weight, stream_place(), ForNorm(a.w2, a.bias2, a.squares));
}

void store_32(EarlyStream early) {
  barrier();
  uint quarter = quarter_of_32(), t = token_of_32();
  if (t >= kTokens) return;
  vec4 y = kWhat == kHidden ? hidden_quarter(t, quarter) : stream_quarter(early);
  uint64_t first = uint64_t(place(t)) * a.n_rows + rows_of_workgroup() * 32;
  pack_quarter(y, packed_from(a.y, first), quarter);
}
