#version 460
// SPDX-License-Identifier: MIT
// softmax(q k scale) v for many rows, as in prompts. A workgroup handles a tile of 64 queries,
// sorted by row and then by the head that shares keys and values, and a range of positions. It goes
// through the positions 64 at a time and unpacks them once for all its queries: keys 32 columns at
// a time, then values a few positions at a time, while the next step is on its way. Each invocation
// computes 8 queries by 4 positions of the scores, and 8 by 8 of the sums. The division of work is
// that of FlashAttention-2 (Dao 2023, arXiv:2307.08691).
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"

layout(constant_id = 19) const uint kAcross = 16;  // invocations for a query: 16 or 32
const uint kQueriesEach = 8;
const uint kHeadValues = 256;
#include "heads.glsl"
#include "attended.glsl"
#include "ranges.glsl"

const uint kInvocations = 8 * kAcross;
#include "query_tile.glsl"

const uint kPositionsEach = kChunk / kAcross;
const uint kQuartersEach = (kQuartersV + kAcross - 1) / kAcross;  // at most 2
// Steps through a chunk: blocks of 32 columns for keys, and positions for values.
const uint kBlocksK = kDimK / 32, kBlocksV = kDimV / 32;
const uint kPositionsV = kBlocksV > 4 ? 8 : kBlocksV > 2 ? 16 : kBlocksV > 1 ? 32 : 64;
const uint kStepsV = kChunk / kPositionsV;

// Vectors in a row, with one more so that reads of several rows do not collide.
const uint kRow = 9, kRowOfWeights = kChunk / 4 + 1;
shared vec4 of_queries[kQueries * kRowOfWeights];  // 32 columns; later scores and weights
shared vec4 of_cache[kChunk * kRow];               // 32 columns of keys, or some positions' values
shared float shrink[kQueries];

// The data that an invocation loads for a step: octets of the cache, and quarters of queries.
const uint kOctetsEach = 256 / kInvocations, kQueryQuartersEach = 512 / kInvocations;
struct Loaded {
  Kept kept[2];
  vec4 quarters[4];
};
// The j-th octet of an invocation: its position, and which octet. A step of keys has 32 columns.
uvec2 key_octet(uint j) {
  uint at = gl_LocalInvocationIndex + j * kInvocations;
  return uvec2(at / 4, at % 4);
}
uvec2 value_octet(uint j) {
  uint at = gl_LocalInvocationIndex + j * kInvocations;
  return uvec2(at / (4 * kBlocksV), at % (4 * kBlocksV));
}

Loaded load(uint64_t page, uint first, uint step) {
  Loaded l;
  [[unroll]] for (uint j = 0; j < kOctetsEach; ++j) {
    if (step < kBlocksK) {
      uvec2 at = key_octet(j);
      l.kept[j] = kept_of(kTypeK, key_in(page, first + at.x, head_kv), 4 * step + at.y, kDimK);
    } else {
      uvec2 at = value_octet(j);
      uint pos = first + (step - kBlocksK) * kPositionsV + min(at.x, kPositionsV - 1);
      l.kept[j] = kept_of(kTypeV, value_in(page, pos, head_kv), at.y, kDimV);
    }
  }
  if (step >= kBlocksK) return l;
  [[unroll]] for (uint j = 0; j < kQueryQuartersEach; ++j) {
    uint at = gl_LocalInvocationIndex + j * kInvocations;
    l.quarters[j] = query_quarter(at / 8, 8 * step + at % 8);
  }
  return l;
}

// The positions of an invocation are consecutive, and consecutive rows are in different
// invocations.
uint row_of_position(uint i) { return i % kPositionsEach * kAcross + i / kPositionsEach; }

void put(Loaded l, Run run, uint first, uint step) {
  [[unroll]] for (uint j = 0; j < kOctetsEach; ++j) {
    if (step < kBlocksK) {
      uvec2 at = key_octet(j);
      Floats8 f = floats_of(kTypeK, l.kept[j]);
      of_cache[row_of_position(at.x) * kRow + 2 * at.y] = f.a;
      of_cache[row_of_position(at.x) * kRow + 2 * at.y + 1] = f.b;
    } else {
      uvec2 at = value_octet(j);
      if (at.x >= kPositionsV) break;
      Floats8 f = floats_of(kTypeV, l.kept[j]);
      bool is_there = first + (step - kBlocksK) * kPositionsV + at.x < run.seen_to;
      of_cache[at.x * kQuartersV + 2 * at.y] = is_there ? f.a : vec4(0);
      of_cache[at.x * kQuartersV + 2 * at.y + 1] = is_there ? f.b : vec4(0);
    }
  }
  if (step >= kBlocksK) return;
  [[unroll]] for (uint j = 0; j < kQueryQuartersEach; ++j) {
    uint at = gl_LocalInvocationIndex + j * kInvocations;
    of_queries[at / 8 * kRow + at % 8] = l.quarters[j];
  }
}

// An invocation has the queries ty, ty + 8, ... and the quarters of values tx, tx + kAcross, ...
uint tx() { return gl_LocalInvocationIndex % kAcross; }
uint ty() { return gl_LocalInvocationIndex / kAcross; }
uint query_of(uint i) { return ty() + 8 * i; }

float add_dot(float sum, vec4 x, vec4 y) {
  return fma(x.w, y.w, fma(x.z, y.z, fma(x.y, y.y, fma(x.x, y.x, sum))));
}

struct Scores {
  float of[kQueriesEach][4];
};
void add_scores(inout Scores scores) {
  for (uint c = 0; c < 8; ++c) {
    vec4 k[4];
    [[unroll]] for (uint j = 0; j < 4; ++j)
      if (j < kPositionsEach) k[j] = of_cache[(tx() + kAcross * j) * kRow + c];
    [[unroll]] for (uint i = 0; i < kQueriesEach; ++i) {
      vec4 q = of_queries[query_of(i) * kRow + c];
      [[unroll]] for (uint j = 0; j < 4; ++j)
        if (j < kPositionsEach) scores.of[i][j] = add_dot(scores.of[i][j], q, k[j]);
    }
  }
}

void put_scores(Scores scores) {
  [[unroll]] for (uint i = 0; i < kQueriesEach; ++i) {
    uint row = query_of(i) * kRowOfWeights;
    vec4 s = vec4(scores.of[i][0], scores.of[i][1], scores.of[i][2], scores.of[i][3]);
    if (kPositionsEach == 4) of_queries[row + tx()] = s;
    else if (tx() % 2 == 0) of_queries[row + tx() / 2].xy = s.xy;
    else of_queries[row + tx() / 2].zw = s.xy;
  }
}

vec4 score_quarter(uint q, uint i) { return of_queries[q * kRowOfWeights + i]; }
void put_weights(uint q, uint i, vec4 weights) { of_queries[q * kRowOfWeights + i] = weights; }
void put_shrink(uint q, uint neighbour, float by) {
  if (neighbour == 0) shrink[q] = by;
}

struct Sums {
  vec4 of[kQueriesEach][2];
};
void shrink_sums(inout Sums sums) {
  [[unroll]] for (uint i = 0; i < kQueriesEach; ++i) [[unroll]] for (uint k = 0; k < 2; ++k)
    sums.of[i][k] *= shrink[query_of(i)];
}

// `step` counts the steps of values.
void add_values(uint step, inout Sums sums) {
  for (uint c = 0; c < kPositionsV / 4; ++c) {
    vec4 weights[kQueriesEach];
    [[unroll]] for (uint i = 0; i < kQueriesEach; ++i)
      weights[i] = of_queries[query_of(i) * kRowOfWeights + step * (kPositionsV / 4) + c];
    [[unroll]] for (uint p = 0; p < 4; ++p) [[unroll]] for (uint k = 0; k < 2; ++k) {
      if (k >= kQuartersEach) continue;
      vec4 v = of_cache[(4 * c + p) * kQuartersV + min(tx() + kAcross * k, kQuartersV - 1)];
      [[unroll]] for (uint i = 0; i < kQueriesEach; ++i)
        sums.of[i][k] = fma(vec4(weights[i][p]), v, sums.of[i][k]);
    }
  }
}

void attend(Run run, inout Sums sums) {
  const uint n_steps = kBlocksK + kStepsV;
  uint first = run.seen_from / kChunk * kChunk;
  uint64_t page = page_of(run, first);
  Loaded next = load(page, first, 0);
  while (first < run.seen_to) {
    uint after = min(first + kChunk, run.seen_to - 1) / kChunk * kChunk;
    uint64_t page_after = page_of(run, after);
    Scores scores;
    [[unroll]] for (uint i = 0; i < kQueriesEach; ++i) scores.of[i] = float[4](0, 0, 0, 0);
    [[dont_unroll]] for (uint step = 0; step < n_steps; ++step) {
      barrier();
      if (step == kBlocksK) {
        put_scores(scores);
        barrier();
        find_weights(run, first);
      }
      put(next, run, first, step);
      barrier();
      bool is_last = step + 1 == n_steps;
      next = load(is_last ? page_after : page, is_last ? after : first, is_last ? 0 : step + 1);
      if (step == kBlocksK) shrink_sums(sums);
      if (step < kBlocksK) add_scores(scores);
      else add_values(step - kBlocksK, sums);
    }
    page = page_after;
    first += kChunk;
  }
}

void give(Sums sums) {
  [[unroll]] for (uint i = 0; i < kQueriesEach; ++i) [[unroll]] for (uint k = 0; k < 2; ++k) {
    uint d = tx() + kAcross * k;
    if (d < kQuartersV) give_quarter(query_of(i), d, sums.of[i][k]);
  }
}

void main() {
  take_tile();
  Sums sums;
  [[unroll]] for (uint j = 0; j < kQueriesEach; ++j) sums.of[j] = vec4[2](vec4(0), vec4(0));
  for (uint first = 0; first < kQueries;) {
    Run run = run_from(first);
    if (run.seen_from < run.seen_to) attend(run, sums);
    first = run.end;
  }
  give(sums);
  if (!heads_are_near()) join();
}
