#version 460
// SPDX-License-Identifier: MIT
// Prepares the queries, keys and values of a layer: norms them, rotates queries and keys, and
// applies the Hadamard transform that the cache asks for. Queries stay where they are; keys and
// values go to the cache. Subgroups along x handle one head each: queries first, then keys, then
// values. Workgroups along y handle rows.
#include "common.glsl"
#include "formats.glsl"
#include "cache.glsl"
layout(constant_id = 19) const bool kAppends = true;  // the layer has its own keys
const uint kHeadRoom = kDimK > kDimV ? kDimK : kDimV;
layout(constant_id = 20) const uint kMost = 2;  // most subgroups of a workgroup
const uint kHeadValues = kMost * kHeadRoom;
#include "heads.glsl"

void main() {
  uint t = gl_WorkGroupID.y, h = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
  uint at = gl_SubgroupID * kHeadRoom;
  uint what = h < kHeads ? kQueryHead : h < kHeads + kHeadsKv ? kKeyHead : kValueHead;
  if (h >= kHeads + (kAppends ? 2 * kHeadsKv : 0)) return;
  uint head_kv = h - kHeads - (what == kValueHead ? kHeadsKv : 0);
  Head head = what == kQueryHead ? query_head(t, h) : what == kKeyHead ? key_head(t, head_kv) : value_head(t, head_kv);
  Early early = ask_for(head);
  Row row = row_of(t);
  uint64_t page = page_of(row, row.pos), to = 0;
  if (what == kKeyHead) to = key_in(page, row.pos, head_kv);
  if (what == kValueHead) to = value_in(page, row.pos, head_kv);
  make_head(at, head, early, what, row.pos, to);
  if (what != kQueryHead) return;
  F32s made = F32s(head.from);
  for (uint i = gl_SubgroupInvocationID; i < kDimK; i += gl_SubgroupSize) made.v[i] = head_values[at + i];
}
