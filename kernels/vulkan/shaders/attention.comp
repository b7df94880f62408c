#version 460
// SPDX-License-Identifier: MIT
// softmax(q k scale) v of a row, the heads of a group that share keys and values, and a range of
// positions. x: ranges, y: groups of heads, z: rows. The workgroup that is done last joins what the
// ranges give, undoes the turn of the values, and packs the heads for the output's projection.
//
// A workgroup goes through its positions 64 at a time: four invocations take a position's key, then
// all take octets of the values, each of other positions; their sums meet at the end. Memory has to
// bring the first values while the scores are found.
#include "common.glsl"
#include "formats.glsl"

layout(constant_id = 1) const uint kTypeK = Q8_0;
layout(constant_id = 2) const uint kTypeV = Q8_0;
layout(constant_id = 3) const uint kDimK = 128;
layout(constant_id = 4) const uint kDimV = 128;
layout(constant_id = 5) const uint kGroup = 4;  // heads, at most 8
layout(constant_id = 6) const uint kTurnV = 0;  // rows of the matrix; 0: none
layout(constant_id = 7) const bool kPacks = true;
layout(constant_id = 8) const float kScale = 1;
layout(constant_id = 9) const float kSoftcap = 0;  // 0: none

layout(push_constant, scalar) uniform Arguments {
  uint64_t rows;
  uint64_t tables;
  uint64_t pages;
  uint64_t q;         // [n, n_head, kDimK]
  uint64_t sums;      // [n, n_head, n_ranges, kDimV]
  uint64_t weights;   // [n, n_head, n_ranges]: the largest score, and the sum of all weights
  uint64_t n_done;    // [n, groups]: ranges of these that were; 0 before and after
  uint64_t sinks;     // [n_head] or 0
  Packed attended;    // [n, n_head * kDimV]; where not packed, floats at its codes
  uint64_t halves;    // [n, n_head * kDimV] f16, or 0
  uint page_bytes;
  uint k_offset;
  uint v_offset;
  uint n_head;
  uint n_shared;      // heads that share a head of keys and values
  uint n_range;       // positions of a range, a multiple of 64
  uint window;        // 0: none
} a;

#include "cache.glsl"
const uint kHeadValues = kGroup * kDimV;
#include "head.glsl"

// What other workgroups write.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Counts { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer Weights { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16)
    coherent buffer RangeSums { vec4 v[]; };

const uint kChunk = 64;
const uint kInvocations = 256;
shared vec4 query[kGroup * kDimK / 4];
shared float score[kGroup * kChunk];
shared float highest[8], shrink[8], total[8];
shared vec2 joined[8];  // the highest score of all ranges, the sum of all weights
const uint kMeeting = 4096;
shared vec4 meeting[kMeeting / 4];

// The ranges that have positions of those that the row sees.
uint first_range, n_ranges;

void find_scores(Row row, uint head_kv, uint first, uint begin, uint end) {
  uint pos = first + gl_LocalInvocationIndex / 4, part = gl_LocalInvocationIndex % 4;
  bool seen = pos >= begin && pos < end;
  float sums[8] = float[8](0, 0, 0, 0, 0, 0, 0, 0);
  if (seen) {
    uint64_t key = cache_row(row, pos, a.k_offset, row_bytes(kTypeK, kDimK), head_kv);
    for (uint i = part; i < (kDimK + 7) / 8; i += 4) {
      Floats8 k = floats_of(kTypeK, key, i, kDimK);
      [[unroll]] for (uint g = 0; g < kGroup; ++g) {
        uint at = g * (kDimK / 4) + 2 * i;
        sums[g] += dot(k.a, query[at]);
        if (8 * i + 4 < kDimK) sums[g] += dot(k.b, query[at + 1]);
      }
    }
  }
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    float sum = sums[g] + subgroupShuffleXor(sums[g], 1);
    sum = (sum + subgroupShuffleXor(sum, 2)) * kScale;
    if (kSoftcap > 0) sum = kSoftcap * tanh(sum / kSoftcap);
    if (part == g % 4) score[g * kChunk + gl_LocalInvocationIndex / 4] = seen ? sum : -1.0 / 0.0;
  }
}

// Scores to weights, relative to the highest score so far.
void find_weights() {
  for (uint g = gl_SubgroupID; g < kGroup; g += gl_NumSubgroups) {
    float most = highest[g];
    for (uint i = gl_SubgroupInvocationID; i < kChunk; i += gl_SubgroupSize)
      most = max(most, score[g * kChunk + i]);
    most = subgroupMax(most);
    float sum = 0;
    for (uint i = gl_SubgroupInvocationID; i < kChunk; i += gl_SubgroupSize) {
      float s = score[g * kChunk + i];
      float weight = s == -1.0 / 0.0 ? 0 : exp(s - most);
      score[g * kChunk + i] = weight;
      sum += weight;
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) {
      shrink[g] = highest[g] == -1.0 / 0.0 ? 0 : exp(highest[g] - most);
      total[g] = total[g] * shrink[g] + sum;
      highest[g] = most;
    }
  }
}

const uint kOctets = (kDimV + 7) / 8;
const uint kLanes = kInvocations / kOctets;  // positions that are taken at once
const uint kEach = (kChunk + kLanes - 1) / kLanes;
const uint kAhead = kEach < 4 ? kEach : 4;  // positions of an invocation that are asked for early

// Of each head of the group, the sums of an octet.
struct Sums {
  vec4 a[8], b[8];
};

// Positions that are not seen have no weight, whatever is read for them.
Floats8 value_of(Row row, uint head_kv, uint pos, uint begin, uint end, uint octet) {
  uint seen = clamp(pos, begin, end - 1);
  return floats_of(kTypeV, cache_row(row, seen, a.v_offset, row_bytes(kTypeV, kDimV), head_kv),
                   octet, kDimV);
}

void add_value(Floats8 v, uint i, inout Sums sums) {
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    float weight = score[g * kChunk + i];
    sums.a[g] += weight * v.a;
    sums.b[g] += weight * v.b;
  }
}

void add_chunk(Row row, uint head_kv, uint first, uint begin, uint end, uint octet, uint lane,
               inout Sums sums) {
  Floats8 ahead[4];
  [[unroll]] for (uint j = 0; j < kAhead; ++j)
    ahead[j] = value_of(row, head_kv, first + lane + j * kLanes, begin, end, octet);
  find_scores(row, head_kv, first, begin, end);
  barrier();
  find_weights();
  barrier();
  if (lane < kLanes) {
    [[unroll]] for (uint g = 0; g < kGroup; ++g) {
      sums.a[g] *= shrink[g];
      sums.b[g] *= shrink[g];
    }
    [[unroll]] for (uint j = 0; j < kAhead; ++j)
      if (lane + j * kLanes < kChunk) add_value(ahead[j], lane + j * kLanes, sums);
    for (uint i = lane + kAhead * kLanes; kEach > kAhead && i < kChunk; i += kLanes)
      add_value(value_of(row, head_kv, first + i, begin, end, octet), i, sums);
  }
  barrier();
}

vec4 head_quarter(uint i) {
  uint at = 4 * i;
  return vec4(head_values[at], head_values[at + 1], head_values[at + 2], head_values[at + 3]);
}
void put_head_values(uint quarter, vec4 x) {
  [[unroll]] for (uint j = 0; j < 4; ++j) head_values[4 * quarter + j] = x[j];
}

// Where a subgroup has all octets of some lanes, it adds these up itself.
bool add_near(inout Sums sums) {
  if ((kOctets & (kOctets - 1)) != 0 || kOctets > gl_SubgroupSize) return false;
  for (uint m = kOctets; m < gl_SubgroupSize; m *= 2) {
    [[unroll]] for (uint g = 0; g < kGroup; ++g) {
      sums.a[g] += subgroupShuffleXor(sums.a[g], m);
      sums.b[g] += subgroupShuffleXor(sums.b[g], m);
    }
  }
  return true;
}

// The sums of all lanes, of as many heads at once as there is room for: of one range of several to
// where it is joined.
void store(Sums sums, uint octet, uint lane, uint head, uint n_heads) {
  uint64_t row_head = uint64_t(gl_WorkGroupID.z) * a.n_head + head;
  bool near = add_near(sums), puts = near ? gl_SubgroupInvocationID < kOctets : lane < kLanes;
  uint n_lanes = near ? gl_NumSubgroups : kLanes, own = near ? gl_SubgroupID : lane;
  uint n_at_once = kMeeting / (n_lanes * kDimV);
  for (uint first = 0; first < n_heads; first += n_at_once) {
    barrier();
    [[unroll]] for (uint g = 0; g < kGroup; ++g) {
      if (!puts || g < first || g >= first + n_at_once) continue;
      uint at = ((g - first) * n_lanes + own) * (kDimV / 4) + 2 * octet;
      meeting[at] = sums.a[g];
      if (8 * octet + 4 < kDimV) meeting[at + 1] = sums.b[g];
    }
    barrier();
    uint n = min(n_at_once, n_heads - first) * (kDimV / 4);
    for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations) {
      uint g = i / (kDimV / 4), d = i % (kDimV / 4);
      vec4 sum = vec4(0);
      for (uint l = 0; l < n_lanes; ++l) sum += meeting[(g * n_lanes + l) * (kDimV / 4) + d];
      if (n_ranges == 1) {
        put_head_values((first + g) * (kDimV / 4) + d, sum);
      } else {
        uint64_t at = (row_head + first + g) * gl_NumWorkGroups.x + gl_WorkGroupID.x - first_range;
        RangeSums(a.sums + 4 * at * kDimV).v[d] = sum;
      }
    }
  }
  if (n_ranges > 1 && gl_LocalInvocationIndex < n_heads) {
    uint64_t at = (row_head + gl_LocalInvocationIndex) * gl_NumWorkGroups.x + gl_WorkGroupID.x - first_range;
    Weights(a.weights + 8 * at).v[0] =
        vec2(highest[gl_LocalInvocationIndex], total[gl_LocalInvocationIndex]);
  }
}

shared bool last;

// Whether all other ranges are there.
bool is_last() {
  if (n_ranges == 1) return true;
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
    Counts n_done = Counts(a.n_done + 4 * group);
    last = atomicAdd(n_done.v[0], 1) + 1 == n_ranges;
    if (last) n_done.v[0] = 0;
  }
  barrier();
  return last;
}

// Of a range, of a head of the group: the highest score, and the sum of the weights.
vec2 weight_of(uint64_t row_head, uint g, uint r) {
  if (n_ranges == 1) return vec2(highest[g], total[g]);
  return Weights(a.weights + 8 * (row_head + g) * gl_NumWorkGroups.x).v[r];
}

// The highest score of all ranges and of the sink, and the sum of all weights.
void join_weights(uint64_t row_head, uint head, uint n_heads) {
  for (uint g = gl_SubgroupID; g < n_heads; g += gl_NumSubgroups) {
    float sink = a.sinks != 0 ? F32s(a.sinks).v[head + g] : -1.0 / 0.0;
    float most = sink, sum = 0;
    for (uint r = gl_SubgroupInvocationID; r < n_ranges; r += gl_SubgroupSize)
      most = max(most, weight_of(row_head, g, r).x);
    most = subgroupMax(most);
    for (uint r = gl_SubgroupInvocationID; r < n_ranges; r += gl_SubgroupSize) {
      vec2 weight = weight_of(row_head, g, r);
      if (weight.y > 0) sum += weight.y * exp(weight.x - most);
    }
    sum = subgroupAdd(sum);
    if (subgroupElect()) joined[g] = vec2(most, sum + (a.sinks != 0 ? exp(sink - most) : 0));
  }
}

// The same of one range.
void take_weight(uint head, uint g) {
  float sink = a.sinks != 0 ? F32s(a.sinks).v[head + g] : -1.0 / 0.0, most = max(sink, highest[g]);
  joined[g] = vec2(most, total[g] * exp(highest[g] - most) + (a.sinks != 0 ? exp(sink - most) : 0));
}

// A quarter of a head's values, over all ranges.
vec4 joined_sum(uint64_t row_head, uint g, uint quarter) {
  vec4 sum = vec4(0);
  for (uint r = 0; r < n_ranges; ++r) {
    vec2 weight = weight_of(row_head, g, r);
    if (weight.y <= 0) continue;
    uint64_t at = (row_head + g) * gl_NumWorkGroups.x + r;
    vec4 of_range = n_ranges == 1 ? head_quarter(g * (kDimV / 4) + quarter)
                                            : RangeSums(a.sums + 4 * at * kDimV).v[quarter];
    sum += exp(weight.x - joined[g].x) * of_range;
  }
  return sum / joined[g].y;
}

void join(uint head, uint n_heads) {
  uint64_t row_head = uint64_t(gl_WorkGroupID.z) * a.n_head + head;
  if (n_ranges > 1) memoryBarrierBuffer();
  barrier();
  if (n_ranges > 1) join_weights(row_head, head, n_heads);
  else if (gl_LocalInvocationIndex < n_heads) take_weight(head, gl_LocalInvocationIndex);
  barrier();
  uint n = n_heads * (kDimV / 4);
  for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations)
    put_head_values(i, joined_sum(row_head, i / (kDimV / 4), i % (kDimV / 4)));
  if (kTurnV > 0) turn(n_heads * kDimV, kTurnV);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations) {
    vec4 x = head_quarter(i);
    if (kPacks) pack_quarter(x, packed_from(a.attended, row_head * kDimV), i);
    else F32x4(a.attended.codes + 4 * row_head * kDimV).v[i] = x;
    if (a.halves != 0) put_halves(x, a.halves + 2 * row_head * kDimV, i);
  }
}

void main() {
  Row row = Rows(a.rows).v[gl_WorkGroupID.z];
  uint n_parts = (a.n_shared + kGroup - 1) / kGroup;
  uint head_kv = gl_WorkGroupID.y / n_parts, in_group = gl_WorkGroupID.y % n_parts * kGroup;
  uint head = head_kv * a.n_shared + in_group, n_heads = min(kGroup, a.n_shared - in_group);
  uint seen_from = a.window > 0 && row.pos + 1 > a.window ? row.pos + 1 - a.window : 0;
  first_range = seen_from / a.n_range;
  uint last_range = row.pos / a.n_range;
  if (gl_WorkGroupID.x < first_range || gl_WorkGroupID.x > last_range) return;
  n_ranges = last_range - first_range + 1;
  uint begin = max(gl_WorkGroupID.x * a.n_range, seen_from);
  uint end = min((gl_WorkGroupID.x + 1) * a.n_range, row.pos + 1);
  uint64_t q = a.q + 4 * uint64_t(gl_WorkGroupID.z * a.n_head + head) * kDimK;
  for (uint i = gl_LocalInvocationIndex; i < kGroup * kDimK / 4; i += kInvocations)
    query[i] = i < n_heads * kDimK / 4 ? F32x4(q).v[i] : vec4(0);
  if (gl_LocalInvocationIndex < 8) {
    highest[gl_LocalInvocationIndex] = -1.0 / 0.0;
    total[gl_LocalInvocationIndex] = 0;
  }
  uint octet = gl_LocalInvocationIndex % kOctets, lane = gl_LocalInvocationIndex / kOctets;
  Sums sums;
  [[unroll]] for (uint g = 0; g < kGroup; ++g) sums.a[g] = sums.b[g] = vec4(0);
  barrier();
  for (uint first = begin / kChunk * kChunk; first < end; first += kChunk)
    add_chunk(row, head_kv, first, begin, end, octet, lane, sums);
  store(sums, octet, lane, head, n_heads);
  if (is_last()) join(head, n_heads);
}
