#version 460
// SPDX-License-Identifier: MIT
// The best logits of rows, of equal ones the lowest id first; what is not finite comes last, as
// -infinity. In two steps: the best of each part of a row, a workgroup each, in no order; then the
// best of these, from the best down.
//
// A workgroup of 256 finds the least of them by the digits of their keys, the highest first: of each
// digit it counts how many keys have it, besides those that it knows to be above or below. Where all
// of those are wanted that it has not told apart yet, it is done: after three digits, mostly.
#include "common.glsl"

layout(constant_id = 1) const uint kBest = 1;       // 1 to kMostBest
layout(constant_id = 2) const bool kLast = false;   // the second step

const uint kMostBest = 64;
const uint kDigits = 256;
const uint kMinusInfinity = 0xff800000u;

layout(push_constant, scalar) uniform Arguments {
  uint64_t from;  // [n_rows, n]: logits; of the second step, pairs of the bits of a logit and its id
  uint64_t best;  // [n_rows, parts, kBest] pairs
  uint n;         // of a row; each part has kBest at least
} a;

shared uint n_keys[kDigits];
shared uint sums[kMostSubgroups];
shared uint digit_found, n_found, n_left;
shared uint n_taken;
shared uint64_t taken[kMostBest];

// Where floats are greater, so are these; 0: it is not finite.
uint rank_of(uint bits) {
  if ((bits & 0x7f800000u) == 0x7f800000u) return 0;
  if (bits == 0x80000000u) bits = 0;  // -0
  return bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
}
uint bits_of(uint rank) {
  return rank == 0 ? kMinusInfinity : rank ^ ((rank >> 31) != 0 ? 0x80000000u : 0xffffffffu);
}

// All keys of a row differ.
uint64_t key_of(uint i) {
  uint64_t at = uint64_t(gl_WorkGroupID.y) * a.n + i;
  uvec2 pair = kLast ? U32x2(a.from + 8 * at).v[0] : uvec2(U32(a.from + 4 * at).v[0], i);
  return uint64_t(rank_of(pair.x)) << 32 | (~pair.y);
}
uvec2 pair_of(uint64_t key) { return uvec2(bits_of(uint(key >> 32)), ~uint(key)); }

// The sum of the values up to this invocation's; by linear index.
uint sum_up_to(uint index, uint x) {
  uint sum = subgroupInclusiveAdd(x);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) sums[gl_SubgroupID] = sum;
  barrier();
  for (uint i = 0; i < gl_SubgroupID; ++i) sum += sums[i];
  return sum;
}

// From here on there are the kBest greatest keys of [first, end), and no others.
uint64_t least_of_best(uint index, uint first, uint end) {
  uint64_t least = 0;
  if (index == 0) n_left = kBest;
  for (int d = 7; d >= 0; --d) {
    n_keys[index] = 0;
    barrier();
    for (uint i = first + index; i < end; i += kDigits) {
      uint64_t key = key_of(i);
      if (d == 7 || (key ^ least) >> (8 * (d + 1)) == 0) atomicAdd(n_keys[uint(key >> (8 * d)) & 255], 1);
    }
    barrier();
    uint n = n_keys[kDigits - 1 - index], n_up_to = sum_up_to(index, n), left = n_left;
    barrier();
    if (n_up_to >= left && n_up_to - n < left) {
      digit_found = kDigits - 1 - index;
      n_found = n;
      n_left = left - (n_up_to - n);
    }
    barrier();
    least |= uint64_t(digit_found) << (8 * d);
    if (n_found == n_left) break;
  }
  return least;
}

void main() {
  uint index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
  uint size = (a.n + gl_NumWorkGroups.x - 1) / gl_NumWorkGroups.x;
  uint first = gl_WorkGroupID.x * size, end = min(first + size, a.n);
  uint64_t least = least_of_best(index, first, end);
  U32x2 best = U32x2(a.best + 8 * uint64_t(kBest) * (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x));
  if (index == 0) n_taken = 0;
  barrier();
  for (uint i = first + index; i < end; i += kDigits) {
    uint64_t key = key_of(i);
    if (key < least) continue;
    uint at = atomicAdd(n_taken, 1);
    if (kLast) taken[at] = key; else best.v[at] = pair_of(key);
  }
  if (!kLast) return;
  barrier();
  if (index >= kBest) return;
  uint n_above = 0;
  for (uint i = 0; i < kBest; ++i) n_above += taken[i] > taken[index] ? 1 : 0;
  best.v[n_above] = pair_of(taken[index]);
}
