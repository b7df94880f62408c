#version 460
// SPDX-License-Identifier: MIT
// softmax(q k scale) v of a row, the heads of a group that share keys and values, and a range of
// positions. x: ranges, y: groups of heads, z: rows. The workgroup that is done last joins what the
// ranges give, undoes the turn of the values, and packs the heads for the output's projection.
// Where few rows are computed, it also does what rope_append.comp does for others, each workgroup
// for itself what it reads of this pass: rows do not wait for each other.
//
// A workgroup goes through its positions 64 at a time: four invocations take a position's key, then
// all take octets of the values, each of other positions; their sums meet at the end. Memory has to
// bring the first values while the scores are found.
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"

layout(constant_id = 19) const uint kGroup = 4;  // heads, at most 8
layout(constant_id = 20) const bool kPacks = true;
layout(constant_id = 21) const float kScale = 1;
layout(constant_id = 22) const float kSoftcap = 0;  // 0: none
layout(constant_id = 23) const uint kWindow = 0;    // 0: none
layout(constant_id = 24) const uint kFresh = 0;     // rows of the pass, where they are; 0: none is
layout(constant_id = 25) const bool kAppends = true;  // the layer has keys of its own

const uint kShared = kHeads / kHeadsKv;  // heads that share a head of keys and values
const uint kFreshAt = kFresh > 0 ? kGroup * kDimK : 0, kFreshValuesAt = kFreshAt + kFresh * kDimK;
const uint kPreparedValues = kFreshValuesAt + kFresh * kDimV;
const uint kHeadValues = kPreparedValues > kGroup * kDimV ? kPreparedValues : kGroup * kDimV;
#include "heads.glsl"

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

// Of positions from this one on, keys and values are of this pass, and may not be in the cache yet.
uint fresh_from = 0xffffffffu;

Floats8 fresh_octet(uint at, uint i, uint n) {
  return Floats8(head_quarter(at / 4 + 2 * i),
                 8 * i + 4 < n ? head_quarter(at / 4 + 2 * i + 1) : vec4(0));
}
Floats8 fresh_key(uint pos, uint i) {
  return fresh_octet(kFreshAt + (pos - fresh_from) * kDimK, i, kDimK);
}
Floats8 fresh_value(uint pos, uint i) {
  return fresh_octet(kFreshValuesAt + (pos - fresh_from) * kDimV, i, kDimV);
}

// Queries of the group, and keys and values of this pass that the range has. Of a row's own, one
// workgroup writes them to the cache.
void prepare(Row row, uint head_kv, uint head, uint n_heads, uint begin, uint end) {
  uint t = gl_WorkGroupID.z, first_row = t;
  while (kAppends && first_row > 0 && row_of(first_row - 1).table == row.table) --first_row;
  if (kAppends) fresh_from = row.pos - (t - first_row);
  uint n_fresh = kAppends ? t + 1 - first_row : 0;
  for (uint task = gl_SubgroupID; task < kGroup + 2 * n_fresh; task += gl_NumSubgroups) {
    uint i = (task - kGroup) % max(n_fresh, 1), pos = fresh_from + i;
    bool writes = i + 1 == n_fresh && head % kShared == 0;
    if (task < kGroup) {
      if (task < n_heads) make_query(task * kDimK, row, t, head + task);
    } else if (pos >= begin && pos < end) {
      Row of = row_of(first_row + i);
      if (task < kGroup + n_fresh) make_key(kFreshAt + i * kDimK, of, first_row + i, head_kv, writes);
      else make_value(kFreshValuesAt + i * kDimV, of, first_row + i, head_kv, writes);
    }
  }
  barrier();
}

void take_queries(uint head, uint n_heads) {
  uint64_t q = of_device(a.q) + 4 * uint64_t(gl_WorkGroupID.z * kHeads + head) * kDimK;
  for (uint i = gl_LocalInvocationIndex; i < kGroup * kDimK / 4; i += kInvocations) {
    if (i >= n_heads * kDimK / 4) query[i] = vec4(0);
    else if (kFresh > 0) query[i] = head_quarter(i);
    else query[i] = F32x4(q).v[i];
  }
}

void add_scores(Floats8 k, uint i, inout float sums[8]) {
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    uint at = g * (kDimK / 4) + 2 * i;
    sums[g] += dot(k.a, query[at]);
    if (8 * i + 4 < kDimK) sums[g] += dot(k.b, query[at + 1]);
  }
}

void find_scores(Row row, uint head_kv, uint first, uint begin, uint end) {
  uint pos = first + gl_LocalInvocationIndex / 4, part = gl_LocalInvocationIndex % 4;
  bool seen = pos >= begin && pos < end;
  float sums[8] = float[8](0, 0, 0, 0, 0, 0, 0, 0);
  if (seen) {
    uint64_t key = key_row(row, pos, head_kv);
    for (uint i = part; i < (kDimK + 7) / 8; i += 4) add_scores(floats_of(kTypeK, key, i, kDimK), i, sums);
  }
  if (first + kChunk > fresh_from && seen && pos >= fresh_from) {
    sums = float[8](0, 0, 0, 0, 0, 0, 0, 0);
    for (uint i = part; i < (kDimK + 7) / 8; i += 4) add_scores(fresh_key(pos, i), i, sums);
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
  return floats_of(kTypeV, value_row(row, clamp(pos, begin, end - 1), head_kv), octet, kDimV);
}

// The value, or what it is when it is of this pass.
Floats8 settled(Floats8 v, uint pos, uint begin, uint end, uint octet) {
  pos = clamp(pos, begin, end - 1);
  return pos >= fresh_from ? fresh_value(pos, octet) : v;
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
    if (first + kChunk > fresh_from) {
      [[unroll]] for (uint j = 0; j < kAhead; ++j)
        ahead[j] = settled(ahead[j], first + lane + j * kLanes, begin, end, octet);
    }
    [[unroll]] for (uint j = 0; j < kAhead; ++j)
      if (lane + j * kLanes < kChunk) add_value(ahead[j], lane + j * kLanes, sums);
    for (uint i = lane + kAhead * kLanes; kEach > kAhead && i < kChunk; i += kLanes) {
      Floats8 v = value_of(row, head_kv, first + i, begin, end, octet);
      add_value(settled(v, first + i, begin, end, octet), i, sums);
    }
  }
  barrier();
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
  uint64_t row_head = uint64_t(gl_WorkGroupID.z) * kHeads + head;
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
        put_head_quarter((first + g) * (kDimV / 4) + d, sum);
      } else {
        uint64_t at = (row_head + first + g) * gl_NumWorkGroups.x + gl_WorkGroupID.x - first_range;
        RangeSums(of_device(a.sums) + 4 * at * kDimV).v[d] = sum;
      }
    }
  }
  if (n_ranges > 1 && gl_LocalInvocationIndex < n_heads) {
    uint64_t at = (row_head + gl_LocalInvocationIndex) * gl_NumWorkGroups.x + gl_WorkGroupID.x - first_range;
    Weights(of_device(a.weights) + 8 * at).v[0] =
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
    Counts n_done = Counts(of_device(a.n_done) + 4 * group);
    last = atomicAdd(n_done.v[0], 1) + 1 == n_ranges;
    if (last) n_done.v[0] = 0;
  }
  barrier();
  return last;
}

// Of a range, of a head of the group: the highest score, and the sum of the weights.
vec2 weight_of(uint64_t row_head, uint g, uint r) {
  if (n_ranges == 1) return vec2(highest[g], total[g]);
  return Weights(of_device(a.weights) + 8 * (row_head + g) * gl_NumWorkGroups.x).v[r];
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
                                            : RangeSums(of_device(a.sums) + 4 * at * kDimV).v[quarter];
    sum += exp(weight.x - joined[g].x) * of_range;
  }
  return sum / joined[g].y;
}

void join(uint head, uint n_heads) {
  uint64_t row_head = uint64_t(gl_WorkGroupID.z) * kHeads + head;
  if (n_ranges > 1) memoryBarrierBuffer();
  barrier();
  if (n_ranges > 1) join_weights(row_head, head, n_heads);
  else if (gl_LocalInvocationIndex < n_heads) take_weight(head, gl_LocalInvocationIndex);
  barrier();
  uint n = n_heads * (kDimV / 4);
  for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations)
    put_head_quarter(i, joined_sum(row_head, i / (kDimV / 4), i % (kDimV / 4)));
  barrier();
  for (uint g = gl_SubgroupID; kTurnV > 0 && g < n_heads; g += gl_NumSubgroups)
    turn(g * kDimV, kDimV, kTurnV);
  if (kTurnV > 0) barrier();
  Packed attended =
      packed_from(Packed(of_device(a.codes), of_device(a.scales), of_device(a.code_sums)), row_head * kDimV);
  for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations) {
    vec4 x = head_quarter(i);
    if (kPacks) pack_quarter(x, attended, i);
    else F32x4(of_device(a.codes) + 4 * row_head * kDimV).v[i] = x;
    if (a.halves != 0) put_halves(x, of_device(a.halves) + 2 * row_head * kDimV, i);
  }
}

void main() {
  Row row = row_of(gl_WorkGroupID.z);
  uint n_parts = (kShared + kGroup - 1) / kGroup;
  uint head_kv = gl_WorkGroupID.y / n_parts, in_group = gl_WorkGroupID.y % n_parts * kGroup;
  uint head = head_kv * kShared + in_group, n_heads = min(kGroup, kShared - in_group);
  uint seen_from = kWindow > 0 && row.pos + 1 > kWindow ? row.pos + 1 - kWindow : 0;
  first_range = seen_from / a.n_range;
  uint last_range = row.pos / a.n_range;
  if (gl_WorkGroupID.x < first_range || gl_WorkGroupID.x > last_range) return;
  n_ranges = last_range - first_range + 1;
  uint begin = max(gl_WorkGroupID.x * a.n_range, seen_from);
  uint end = min((gl_WorkGroupID.x + 1) * a.n_range, row.pos + 1);
  if (kFresh > 0) prepare(row, head_kv, head, n_heads, begin, end);
  take_queries(head, n_heads);
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
