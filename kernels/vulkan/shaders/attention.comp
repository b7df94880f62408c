#version 460
// SPDX-License-Identifier: MIT
// softmax(q k scale) v for few rows. A workgroup handles one row, a group of heads that share keys
// and values, and a range of positions: x is the range, y the group and z the row. The workgroup
// that finishes last joins the results of the ranges, undoes the Hadamard transform of the values,
// and packs the heads for the output projection.
//
// If few rows are computed, this program also does what rope_append.comp does otherwise. Each
// workgroup makes the heads of this pass that it reads, so that rows do not wait for each other.
//
// A workgroup goes through its positions 64 at a time. Four invocations share the key of a
// position. Then each invocation takes an octet of the values at different positions, and the sums
// meet at the end. Memory is requested as early as possible, before heads are made and scores
// computed. The program is kept short, since a device that runs it once in each layer has to fetch
// it each time.
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"

layout(constant_id = 19) const uint kGroup = 4;  // heads, at most 8
layout(constant_id = 24) const uint kFresh = 0;     // rows of the pass whose heads it makes, or 0
layout(constant_id = 25) const bool kAppends = true;  // the layer has its own keys

const uint kFreshAt = kGroup * kDimK, kFreshValuesAt = kFreshAt + kFresh * kDimK;
const uint kPreparedValues = kFreshValuesAt + kFresh * kDimV;
const uint kHeadValues = kPreparedValues > kGroup * kDimV ? kPreparedValues : kGroup * kDimV;
#include "heads.glsl"
#include "attended.glsl"
#include "ranges.glsl"

// The invocations' sums meet here.
const uint kMeeting = 4096;
shared vec4 meeting[kMeeting / 4];
// The highest score and the sum of weights relative to it, for each head of the group.
shared float highest[8], total[8];

const uint kChunk = 64;
const uint kInvocations = 256;
// The queries of the group's heads, in quarters. There is room for nine quarters in each 32 values,
// so that four invocations that read four blocks of 32 do not use the same bank of memory.
const uint kBlocksK = (kDimK + 31) / 32, kQuery = 9 * kBlocksK;
shared vec4 query[kGroup * kQuery];
shared float score[kGroup * kChunk];
shared float shrink[8];

// The workgroup's row and heads, and those of its positions that the row sees.
Row row;
uint head_kv, head, n_heads, begin, end;
// The ranges that contain positions which the row sees.
uint first_range, n_ranges;

// From this position on, keys and values belong to this pass and may not be in the cache yet.
uint fresh_from = 0xffffffffu, first_row = 0;

// The heads that subgroups make: queries, then the key and value of the row itself, then the keys
// and values of the rows before it in its sequence.
const uint kTasks = kGroup + (kFresh > 0 && kAppends ? 2 * kFresh : 0);
bool is_of_key(uint task) { return (task - kGroup) % 2 == 0; }
uint row_of_task(uint task) {
  uint back = task < kGroup ? 0 : (task - kGroup) / 2;
  return gl_WorkGroupID.z - min(back, gl_WorkGroupID.z);
}
Head head_of_task(uint task) {
  if (task < kGroup) return query_head(gl_WorkGroupID.z, head + min(task, n_heads - 1));
  return is_of_key(task) ? key_head(row_of_task(task), head_kv) : value_head(row_of_task(task), head_kv);
}

void put_query(uint g) {
  for (uint i = gl_SubgroupInvocationID; i < kDimK / 4; i += gl_SubgroupSize)
    query[g * kQuery + i + i / 8] = g < n_heads ? head_quarter(g * kDimK / 4 + i) : vec4(0);
}

// Only one workgroup writes a row's key and value to the cache.
void make(uint task, Head made, Early early) {
  uint what = task < kGroup ? kQueryHead : is_of_key(task) ? kKeyHead : kValueHead;
  uint r = row_of_task(task), pos = row.pos - (gl_WorkGroupID.z - r), at = task * kDimK;
  uint64_t to = 0;
  if (what != kQueryHead) {
    if (pos < begin || pos >= end) return;
    at = what == kKeyHead ? kFreshAt + r * kDimK : kFreshValuesAt + r * kDimV;
    bool writes = r == gl_WorkGroupID.z && head % kShared == 0;
    uint64_t page = writes ? page_of(row, pos) : uint64_t(0);
    if (writes) to = what == kKeyHead ? key_in(page, pos, head_kv) : value_in(page, pos, head_kv);
  }
  if (kFresh > 0) {
    make_head(at, made, early, what, pos, to);
  } else {
    load_head(at, made, early);
    meet();
  }
  if (what == kQueryHead) put_query(task);
}

Floats8 fresh_octet(uint at, uint i, uint n) {
  return Floats8(head_quarter(at / 4 + 2 * i),
                 8 * i + 4 < n ? head_quarter(at / 4 + 2 * i + 1) : vec4(0));
}
uint row_of_fresh(uint pos) { return gl_WorkGroupID.z - (row.pos - pos); }

// Keys: an invocation reads every fourth block of 32 of a position's key, or half a block if there
// are at most two. The first read is requested early.
const uint kParts = 4, kSplit = kBlocksK > 2 ? 1 : 2, kOctetsOfPart = 4 / kSplit;
uint key_part() { return gl_LocalInvocationIndex % kParts; }
uint key_place() { return gl_LocalInvocationIndex / kParts; }  // in the chunk
void ask_for_keys(uint64_t page, uint first, uint b, out Kept kept[4]) {
  block_of(kTypeK, key_in(page, first + key_place(), head_kv), min(b, kBlocksK - 1), kDimK, kept);
}

void add_scores(Kept kept[4], uint b, uint pos, inout float sums[8]) {
  [[unroll]] for (uint o = 0; o < kOctetsOfPart; ++o) {
    bool second = kSplit == 2 && key_part() % 2 == 1;
    uint i = 4 * b + o + (second ? 2 : 0);
    if (8 * i >= kDimK) break;
    Kept octet = kept[o];
    if (second) octet = kept[(o + 2) % 4];
    Floats8 k = floats_of(kTypeK, octet);
    if (pos >= fresh_from && pos < end) k = fresh_octet(kFreshAt + row_of_fresh(pos) * kDimK, i, kDimK);
    [[unroll]] for (uint g = 0; g < kGroup; ++g) {
      uint at = g * kQuery + 2 * i + i / 4;
      sums[g] += dot(k.a, query[at]);
      if (8 * i + 4 < kDimK) sums[g] += dot(k.b, query[at + 1]);
    }
  }
}

void find_scores(uint64_t page, uint first, Kept kept[4]) {
  uint pos = first + key_place();
  float sums[8] = float[8](0, 0, 0, 0, 0, 0, 0, 0);
  for (uint b = key_part() / kSplit; b < kBlocksK; b += kParts / kSplit) {
    if (kBlocksK > kParts / kSplit && b >= kParts / kSplit) ask_for_keys(page, first, b, kept);
    add_scores(kept, b, pos, sums);
  }
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    float sum = sums[g] + subgroupShuffleXor(sums[g], 1);
    sum = (sum + subgroupShuffleXor(sum, 2)) * kScale;
    if (kSoftcap > 0) sum = kSoftcap * tanh(sum / kSoftcap);
    if (key_part() == g % kParts) score[g * kChunk + key_place()] = pos >= begin && pos < end ? sum : -1.0 / 0.0;
  }
}

// Turns scores into weights relative to the highest score so far.
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

// Values: an invocation reads an octet of every kLanes-th position of a chunk.
const uint kOctets = (kDimV + 7) / 8;
const uint kLanes = kInvocations / kOctets;
const uint kEach = (kChunk + kLanes - 1) / kLanes;
const uint kAhead = kEach < 4 ? kEach : 4;  // positions that are requested early
uint octet() { return gl_LocalInvocationIndex % kOctets; }
uint lane() { return gl_LocalInvocationIndex / kOctets; }

// Sums of an octet, for each head of the group.
struct Sums {
  vec4 a[8], b[8];
};

Kept ask_for_value(uint64_t page, uint pos) {
  return kept_of(kTypeV, value_in(page, pos, head_kv), octet(), kDimV);
}

void add_value(Kept kept, uint first, uint i, inout Sums sums) {
  uint pos = first + i;
  if (i >= kChunk || pos < begin || pos >= end) return;
  Floats8 v = floats_of(kTypeV, kept);
  if (pos >= fresh_from) v = fresh_octet(kFreshValuesAt + row_of_fresh(pos) * kDimV, octet(), kDimV);
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    float weight = score[g * kChunk + i];
    sums.a[g] += weight * v.a;
    sums.b[g] += weight * v.b;
  }
}

void add_values(uint64_t page, uint first, Kept ahead[kAhead], inout Sums sums) {
  [[unroll]] for (uint g = 0; g < kGroup; ++g) {
    sums.a[g] *= shrink[g];
    sums.b[g] *= shrink[g];
  }
  [[unroll]] for (uint j = 0; j < kAhead; ++j) add_value(ahead[j], first, lane() + j * kLanes, sums);
  for (uint i = lane() + kAhead * kLanes; kEach > kAhead && i < kChunk; i += kLanes)
    add_value(ask_for_value(page, first + i), first, i, sums);
}

// If a subgroup has all octets of some lanes, it adds these lanes up itself.
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

// Stores what the heads attend to.
void give_quarter(uint64_t row_head, uint i, vec4 x) {
  if (turns_near()) pack_turned(row_head, i, x);
  else put_head_quarter(i, x);
}
void turn_and_pack(uint64_t row_head) {
  barrier();
  for (uint g = gl_SubgroupID; g < n_heads; g += gl_NumSubgroups) turn(g * kDimV, kDimV, kTurnV);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < n_heads * (kDimV / 4); i += kInvocations)
    pack(row_head, i, head_quarter(i));
}

// Adds up the sums of all lanes, for as many heads at once as there is room for. If there are
// several ranges, stores the sums for join(); otherwise stores what the heads attend to.
void store(Sums sums, uint64_t row_head) {
  bool near = add_near(sums), puts = near ? gl_SubgroupInvocationID < kOctets : lane() < kLanes;
  uint n_lanes = near ? gl_NumSubgroups : kLanes, own = near ? gl_SubgroupID : lane();
  uint n_at_once = kMeeting / (n_lanes * kDimV);
  for (uint first = 0; first < n_heads; first += n_at_once) {
    if (first > 0) barrier();
    [[unroll]] for (uint g = 0; g < kGroup; ++g) {
      if (!puts || g < first || g >= first + n_at_once) continue;
      uint at = ((g - first) * n_lanes + own) * (kDimV / 4) + 2 * octet();
      meeting[at] = sums.a[g];
      if (8 * octet() + 4 < kDimV) meeting[at + 1] = sums.b[g];
    }
    barrier();
    uint n = min(n_at_once, n_heads - first) * (kDimV / 4);
    for (uint i = gl_LocalInvocationIndex; i < n; i += kInvocations) {
      uint in_first = i / (kDimV / 4), g = first + in_first, d = i % (kDimV / 4);
      vec4 sum = vec4(0);
      for (uint l = 0; l < n_lanes; ++l) sum += meeting[(in_first * n_lanes + l) * (kDimV / 4) + d];
      if (n_ranges == 1)
        give_quarter(row_head, g * (kDimV / 4) + d, share_of(head + g, highest[g], total[g]) * sum);
      else range_sums(place_of(row_head + g, gl_WorkGroupID.x - first_range)).v[d] = sum;
    }
  }
  if (n_ranges > 1 && gl_LocalInvocationIndex < n_heads) {
    uint g = gl_LocalInvocationIndex;
    range_weights(place_of(row_head + g, gl_WorkGroupID.x - first_range)).v[0] = vec2(highest[g], total[g]);
  }
}

// The factor on range r's sums, for head g of the group. There is room for 512 ranges.
float factor_of(uint g, uint r) { return meeting[(512 * g + r) / 4][r % 4]; }
void find_factors(uint64_t row_head) {
  for (uint g = gl_SubgroupID; g < n_heads; g += gl_NumSubgroups) {
    float sink = sink_of(head + g), most = sink, sum = 0;
    for (uint r = gl_SubgroupInvocationID; r < n_ranges; r += gl_SubgroupSize)
      most = max(most, range_weights(place_of(row_head + g, r)).v[0].x);
    most = subgroupMax(most);
    for (uint r = gl_SubgroupInvocationID; r < n_ranges; r += gl_SubgroupSize) {
      vec2 of_range = range_weights(place_of(row_head + g, r)).v[0];
      float weight = weight_to(of_range, most);
      meeting[(512 * g + r) / 4][r % 4] = weight;
      sum += of_range.y * weight;
    }
    sum = subgroupAdd(sum) + (a.sinks != 0 ? exp(sink - most) : 0);
    if (subgroupElect()) total[g] = sum;
  }
}

// Computes what the heads attend to over all ranges.
void join(uint64_t row_head) {
  find_factors(row_head);
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < n_heads * (kDimV / 4); i += kInvocations) {
    uint g = i / (kDimV / 4);
    vec4 sum = vec4(0);
    for (uint r = 0; r < n_ranges; ++r)
      sum += factor_of(g, r) * range_sums(place_of(row_head + g, r)).v[i % (kDimV / 4)];
    give_quarter(row_head, i, sum / total[g]);
  }
}

// Find the heads and positions of the workgroup. take_positions() returns whether it has any.
void take_heads() {
  uint n_parts = (kShared + kGroup - 1) / kGroup, in_group = gl_WorkGroupID.y % n_parts * kGroup;
  head_kv = gl_WorkGroupID.y / n_parts;
  head = head_kv * kShared + in_group;
  n_heads = min(kGroup, kShared - in_group);
}
bool take_positions() {
  uint seen_from = kWindow > 0 && row.pos + 1 > kWindow ? row.pos + 1 - kWindow : 0;
  first_range = seen_from / a.n_range;
  uint last_range = row.pos / a.n_range;
  n_ranges = last_range - first_range + 1;
  begin = max(gl_WorkGroupID.x * a.n_range, seen_from);
  end = min((gl_WorkGroupID.x + 1) * a.n_range, row.pos + 1);
  if (kFresh > 0 && kAppends) {
    first_row = gl_WorkGroupID.z;
    while (first_row > 0 && row_of(first_row - 1).table == row.table) --first_row;
    fresh_from = row.pos - (gl_WorkGroupID.z - first_row);
  }
  return gl_WorkGroupID.x >= first_range && gl_WorkGroupID.x <= last_range;
}

// `made` and `early` belong to the subgroup's first head.
void make_all(Head made, Early early) {
  uint n_tasks = kTasks > kGroup ? kGroup + 2 * (gl_WorkGroupID.z - first_row + 1) : kGroup;
  for (uint task = gl_SubgroupID; task < n_tasks; task += gl_NumSubgroups) {
    if (task != gl_SubgroupID) {
      made = head_of_task(task);
      early = ask_for(made);
    }
    make(task, made, early);
  }
}

void main() {
  row = row_of(gl_WorkGroupID.z);
  take_heads();
  Head made = head_of_task(min(gl_SubgroupID, kTasks - 1));
  Early early = ask_for(made);
  if (!take_positions()) return;
  if (gl_LocalInvocationIndex < 8) {
    highest[gl_LocalInvocationIndex] = -1.0 / 0.0;
    total[gl_LocalInvocationIndex] = 0;
  }
  Sums sums;
  [[unroll]] for (uint g = 0; g < kGroup; ++g) sums.a[g] = sums.b[g] = vec4(0);
  bool made_all = false;
  for (uint first = begin / kChunk * kChunk; first < end; first += kChunk) {
    uint64_t page = page_of(row, first);
    Kept keys[4], values[kAhead];
    ask_for_keys(page, first, key_part() / kSplit, keys);
    [[unroll]] for (uint j = 0; j < kAhead; ++j) values[j] = ask_for_value(page, first + lane() + j * kLanes);
    if (!made_all) make_all(made, early);
    made_all = true;
    barrier();
    find_scores(page, first, keys);
    barrier();
    find_weights();
    barrier();
    add_values(page, first, values, sums);
  }
  uint64_t row_head = uint64_t(gl_WorkGroupID.z) * kHeads + head;
  store(sums, row_head);
  if (n_ranges > 1) {
    if (!is_last(n_ranges)) return;
    join(row_head);
  }
  if (!turns_near()) turn_and_pack(row_head);
}
