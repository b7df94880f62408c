// SPDX-License-Identifier: MIT
// Each workgroup of attention handles a range of positions. With this it hands its results to the
// workgroup that finishes last, which joins them. A workgroup's x is its range. Include it after
// attended.glsl.

// Memory that other workgroups write.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Counts { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer Weights { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16)
    coherent buffer RangeSums { vec4 v[]; };

// Range r's results for head row_head, counted over all rows: the highest score, the sum of weights
// relative to it, and the sums of values with these weights.
uint64_t place_of(uint64_t row_head, uint r) { return row_head * gl_NumWorkGroups.x + r; }
Weights range_weights(uint64_t place) { return Weights(of_device(a.weights) + 8 * place); }
RangeSums range_sums(uint64_t place) { return RangeSums(of_device(a.sums) + 4 * place * kDimV); }

// The factor on a range's sums that makes its weights relative to the score `most`.
float weight_to(vec2 of_range, float most) { return of_range.y > 0 ? exp(of_range.x - most) : 0; }

// Whether all n ranges are done. Each workgroup calls this once, when its range is.
shared bool last;
bool is_last(uint n) {
  memoryBarrierBuffer();
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    uint group = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
    Counts n_done = Counts(of_device(a.n_done) + 4 * group);
    last = atomicAdd(n_done.v[0], 1) + 1 == n;
    if (last) n_done.v[0] = 0;
  }
  barrier();
  if (last) memoryBarrierBuffer();
  return last;
}
