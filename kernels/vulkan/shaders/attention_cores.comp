#version 460
#pragma use_vulkan_memory_model
// SPDX-License-Identifier: MIT
// Does what attention_tiles.comp does, on matrix cores: queries, keys, values and weights are f16,
// scores and sums are f32. Each of eight subgroups handles 16 queries, with half of a chunk's
// positions for the scores and half of the values' columns for the sums. Keys go through shared
// memory 64 columns at a time, and values as many positions at a time as there is room for. Heads
// have 64 or 128 columns.
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"
const uint kHeadValues = 128;  // no head is made here
#include "heads.glsl"
#include "attended.glsl"
#include "ranges.glsl"
const uint kInvocations = 256;
#include "query_tile.glsl"
#include "matrix.glsl"

const uint kColumns = 64;  // in a step of keys
const uint kStepsK = kDimK / kColumns, kStepsV = kDimV / 64, kPositionsV = kChunk / kStepsV;

// Vectors in rows, with one more that keeps reads of several rows apart. of_queries holds the
// scores of each query, then its weights and, from kShrinkAt on, the factor on its sums for each of
// 16 columns. In the end it holds what the query attends to.
const uint kRow = 9, kRowOfValues = kDimV / 8 + 1, kRowOfScores = 17, kShrinkAt = 8;
const uint kRowOfSums = kDimV / 4 + 1;
shared uvec4 of_cache[kChunk * kRow];
shared uvec4 of_queries[kQueries * kRowOfScores];

uint first_query() { return gl_SubgroupID / 2 * kSide; }
uint half_() { return gl_SubgroupID % 2; }

vec4 score_quarter(uint q, uint i) { return uintBitsToFloat(of_queries[q * kRowOfScores + i]); }
void put_weights(uint q, uint i, vec4 weights) {
  uvec2 halves = uvec2(packHalf2x16(weights.xy), packHalf2x16(weights.zw));
  uint at = q * kRowOfScores + i / 2;
  if (i % 2 == 0) of_queries[at].xy = halves;
  else of_queries[at].zw = halves;
}
void put_shrink(uint q, uint neighbour, float by) {
  of_queries[q * kRowOfScores + kShrinkAt + neighbour] = uvec4(floatBitsToUint(by));
}

// The data that an invocation loads for a step: two octets of keys or values.
struct Loaded {
  Kept kept[2];
};
// The j-th octet of a step: its position in the chunk, and which octet it is.
uvec2 octet_at(uint j, uint step) {
  uint at = gl_LocalInvocationIndex + j * kInvocations;
  if (step < kStepsK) return uvec2(at / 8, 8 * step + at % 8);
  return uvec2((step - kStepsK) * kPositionsV + at / (kDimV / 8), at % (kDimV / 8));
}
Loaded load(uint64_t page, uint first, uint step) {
  Loaded l;
  [[unroll]] for (uint j = 0; j < 2; ++j) {
    uvec2 at = octet_at(j, step);
    if (step < kStepsK) l.kept[j] = kept_of(kTypeK, key_in(page, first + at.x, head_kv), at.y, kDimK);
    else l.kept[j] = kept_of(kTypeV, value_in(page, first + at.x, head_kv), at.y, kDimV);
  }
  return l;
}

// Converts eight values to f16, each four in the order of matrix.glsl.
uvec4 halves_of(uint type, Kept kept) {
  if (type != Q8_0) return uvec4(halves_of(kept.floats.a), halves_of(kept.floats.b));
  f16vec2 scale = f16vec2(kept.octet.scale);
  return uvec4(halves_of_codes(kept.octet.codes.x, scale, f16vec2(0)),
               halves_of_codes(kept.octet.codes.y, scale, f16vec2(0)));
}
void put(Loaded l, Run run, uint first, uint step) {
  [[unroll]] for (uint j = 0; j < 2; ++j) {
    uvec2 at = octet_at(j, step);
    bool is_there = first + at.x < run.seen_to;
    if (step < kStepsK) of_cache[at.x * kRow + at.y % 8] = halves_of(kTypeK, l.kept[j]);
    else
      of_cache[at.x % kPositionsV * kRowOfValues + at.y] =
          is_there ? halves_of(kTypeV, l.kept[j]) : uvec4(0);
  }
}

// The subgroup's queries, 16 columns in each matrix.
MatrixA queries[8];
void take_queries() {
  [[unroll]] for (uint step = 0; step < 2; ++step) {
    if (step >= kStepsK) break;
    barrier();
    [[unroll]] for (uint j = 0; j < 2; ++j) {
      uint at = gl_LocalInvocationIndex + j * kInvocations, q = at / 8, i = 16 * step + 2 * (at % 8);
      of_cache[q * kRow + at % 8] = uvec4(halves_of(query_quarter(q, i)), halves_of(query_quarter(q, i + 1)));
    }
    barrier();
    [[unroll]] for (uint k = 0; k < 4; ++k)
      queries[4 * step + k] = load_a(of_cache[first_query() * kRow + 2 * k], kRowMajor, kRow);
  }
}

Accumulator scores[2], sums[4];

void add_scores(uint step) {
  [[unroll]] for (uint k = 0; k < 4; ++k) [[unroll]] for (uint j = 0; j < 2; ++j) {
    MatrixB keys = load_b(of_cache[(32 * half_() + kSide * j) * kRow + 2 * k], kColumnMajor, kRow);
    scores[j] = multiply_add(queries[4 * step + k], keys, scores[j]);
  }
}
void put_scores() {
  uint at = first_query() * kRowOfScores + 8 * half_();
  store_vectors(of_queries[at], scores[0], kRowMajor, kRowOfScores);
  store_vectors(of_queries[at + 4], scores[1], kRowMajor, kRowOfScores);
}

const uint kMatricesV = kDimV / 32;  // matrices of a subgroup, at most 4
void shrink_sums() {
  uint at = first_query() * kRowOfScores + kShrinkAt;
  Accumulator shrink = load_sums(of_queries[at], kRowMajor, kRowOfScores);
  [[unroll]] for (uint j = 0; j < 4; ++j)
    if (j < kMatricesV) sums[j] = multiplied(sums[j], shrink);
}
void add_values(uint step) {
  for (uint k = 0; k < kPositionsV / kSide; ++k) {
    uint of_positions = first_query() * kRowOfScores + 2 * (step * (kPositionsV / kSide) + k);
    MatrixA weights = load_a(of_queries[of_positions], kRowMajor, kRowOfScores);
    [[unroll]] for (uint j = 0; j < 4; ++j) {
      if (j >= kMatricesV) break;
      uint at = kSide * k * kRowOfValues + 2 * (half_() * kMatricesV + j);
      MatrixB values = load_b(of_cache[at], kRowMajor, kRowOfValues);
      sums[j] = multiply_add(weights, values, sums[j]);
    }
  }
}

void attend(Run run) {
  uint first = run.seen_from / kChunk * kChunk;
  uint64_t page = page_of(run, first);
  Loaded next = load(page, first, 0);
  while (first < run.seen_to) {
    uint after = min(first + kChunk, run.seen_to - 1) / kChunk * kChunk;
    uint64_t page_after = page_of(run, after);
    scores[0] = filled(0.0);
    scores[1] = filled(0.0);
    [[unroll]] for (uint step = 0; step < 2; ++step) {
      if (step >= kStepsK) break;
      barrier();
      put(next, run, first, step);
      barrier();
      next = load(page, first, step + 1);
      add_scores(step);
    }
    put_scores();
    barrier();
    find_weights(run, first);
    [[unroll]] for (uint step = 0; step < 2; ++step) {
      if (step >= kStepsV) break;
      if (step > 0) barrier();
      put(next, run, first, kStepsK + step);
      barrier();
      bool is_last = step + 1 == kStepsV;
      next = load(is_last ? page_after : page, is_last ? after : first, is_last ? 0 : kStepsK + step + 1);
      if (step == 0) shrink_sums();
      add_values(step);
    }
    page = page_after;
    first += kChunk;
  }
}

// Stores what queries attend to, for 32 queries at a time.
void give() {
  [[unroll]] for (uint first = 0; first < kQueries; first += 32) {
    barrier();
    if (first_query() / 32 * 32 == first) {
      [[unroll]] for (uint j = 0; j < 4; ++j) {
        if (j >= kMatricesV) break;
        uint at = (first_query() - first) * kRowOfSums + 4 * (half_() * kMatricesV + j);
        store_vectors(of_queries[at], sums[j], kRowMajor, kRowOfSums);
      }
    }
    barrier();
    for (uint at = gl_LocalInvocationIndex; at < 32 * kQuartersV; at += kInvocations) {
      uint q = first + at / kQuartersV, d = at % kQuartersV;
      give_quarter(q, d, uintBitsToFloat(of_queries[at / kQuartersV * kRowOfSums + d]).xzyw);
    }
  }
}

void main() {
  take_tile();
  take_queries();
  [[unroll]] for (uint j = 0; j < 4; ++j) sums[j] = filled(0.0);
  for (uint first = 0; first < kQueries;) {
    Run run = run_from(first);
    if (run.seen_from < run.seen_to) attend(run);
    first = run.end;
  }
  give();
  if (!heads_are_near()) join();
}
