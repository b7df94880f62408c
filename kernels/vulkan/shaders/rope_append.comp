#version 460
// SPDX-License-Identifier: MIT
// Queries, keys and values of a layer: normed, rotated, turned by the Hadamard matrix that the
// cache asks for; queries stay where they are, keys and values go to the cache. x: heads of queries,
// then of keys and of values, one a subgroup; y: rows.
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"
layout(constant_id = 19) const bool kAppends = true;  // the layer has keys of its own
const uint kHeadRoom = kDimK > kDimV ? kDimK : kDimV;
layout(constant_id = 20) const uint kMost = 2;  // subgroups of a workgroup
const uint kHeadValues = kMost * kHeadRoom;
#include "heads.glsl"

void main() {
  uint t = gl_WorkGroupID.y, h = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
  uint at = gl_SubgroupID * kHeadRoom;
  Row row = row_of(t);
  if (h < kHeads) {
    make_query(at, row, t, h);
    meet();
    F32s to = F32s(of_device(a.q) + 4 * uint64_t(t * kHeads + h) * kDimK);
    for (uint i = gl_SubgroupInvocationID; i < kDimK; i += gl_SubgroupSize) to.v[i] = head_values[at + i];
  } else if (kAppends && h < kHeads + kHeadsKv) {
    make_key(at, row, t, h - kHeads, true);
  } else if (kAppends && h < kHeads + 2 * kHeadsKv) {
    make_value(at, row, t, h - kHeads - kHeadsKv, true);
  }
}
