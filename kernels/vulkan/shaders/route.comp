#version 460
// SPDX-License-Identifier: MIT
// Chooses the experts of each token. A workgroup handles one token.
#include "common.glsl"

layout(constant_id = 1) const uint kGating = 0;
layout(constant_id = 2) const uint kRouted = 1;
layout(constant_id = 3) const uint kUsed = 1;
layout(constant_id = 4) const uint kGroups = 1;
layout(constant_id = 5) const uint kGroupsUsed = 1;
layout(constant_id = 6) const bool kNormalises = false;
#include "choice.glsl"

layout(push_constant, scalar) uniform Arguments {
  uint64_t logits;          // [n, kRouted]
  uint64_t selection_bias;  // [kRouted] or 0
  uint64_t output_scales;   // [kRouted] or 0
  uint64_t ids;             // [n, kUsed]
  uint64_t weights;         // [n, kUsed]
  float weights_scale;
} a;

void main() {
  uint64_t t = gl_WorkGroupID.x;
  Router from =
      Router(a.logits + 4 * t * kRouted, a.selection_bias, a.output_scales, a.weights_scale);
  choose_experts(from);
  put_choice(from, a.ids + 4 * t * kUsed, a.weights + 4 * t * kUsed);
}
