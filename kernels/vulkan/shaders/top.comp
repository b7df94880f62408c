#version 460
// SPDX-License-Identifier: MIT
// Finds the best logits of rows. Among equal logits the lowest id comes first; logits that are not
// finite come last, as -infinity. This takes two steps: first a workgroup for each part of a row
// finds the best of that part, in no order; then one workgroup for each row finds the best of these
// and sorts them from the best down.
//
// A workgroup of 256 finds the lowest of the best keys digit by digit, the highest digit first. It
// counts how many keys have each value of the digit, and leaves out keys that it knows to be above
// or below. It stops when all keys that are still undecided belong to the best, mostly after three
// digits.
#include "common.glsl"

layout(constant_id = 1) const uint kBest = 1;       // 1 to kMostBest
layout(constant_id = 2) const bool kLast = false;   // this is the second step

const uint kMostBest = 64;
const uint kDigits = 256;
const uint kMinusInfinity = 0xff800000u;

layout(push_constant, scalar) uniform Arguments {
  uint64_t from;  // [n_rows, n] logits; in the second step, pairs of a logit's bits and its id
  uint64_t best;  // [n_rows, parts, kBest] pairs
  uint n;         // of a row; each part has at least kBest
} a;

shared uint n_keys[kDigits];
shared uint sums[kMostSubgroups];
shared uint digit_found, n_found, n_left;
shared uint n_taken;
shared uint64_t taken[kMostBest];

// Orders floats as integers. Returns 0 for a float that is not finite.
uint rank_of(uint bits) {
  if ((bits & 0x7f800000u) == 0x7f800000u) return 0;
  if (bits == 0x80000000u) bits = 0;  // -0
  return bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
}
uint bits_of(uint rank) {
  return rank == 0 ? kMinusInfinity : rank ^ ((rank >> 31) != 0 ? 0x80000000u : 0xffffffffu);
}

// The key of value i; no two keys of a row are equal.
uint64_t key_of(uint i) {
  uint64_t at = uint64_t(gl_WorkGroupID.y) * a.n + i;
  uvec2 pair = kLast ? U32x2(a.from + 8 * at).v[0] : uvec2(U32(a.from + 4 * at).v[0], i);
  return uint64_t(rank_of(pair.x)) << 32 | (~pair.y);
}
uvec2 pair_of(uint64_t key) { return uvec2(bits_of(uint(key >> 32)), ~uint(key)); }

// The sum of the values of all invocations up to this one, in order of `index`.
uint sum_up_to(uint index, uint x) {
  uint sum = subgroupInclusiveAdd(x);
  if (gl_SubgroupInvocationID == gl_SubgroupSize - 1) sums[gl_SubgroupID] = sum;
  barrier();
  for (uint i = 0; i < gl_SubgroupID; ++i) sum += sums[i];
  return sum;
}

// Returns the key from which on there are exactly kBest keys in [first, end).
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
