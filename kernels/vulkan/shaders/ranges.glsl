// SPDX-License-Identifier: MIT
// What attention's workgroups that have a range of positions each give to the one that is done last,
// which joins it; after attended.glsl. x: ranges.

// What other workgroups write.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Counts { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer Weights { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16)
    coherent buffer RangeSums { vec4 v[]; };

// Of head row_head of all rows, where range r has its own: the highest score and the sum of weights
// relative to it, and the sums of values by these.
uint64_t place_of(uint64_t row_head, uint r) { return row_head * gl_NumWorkGroups.x + r; }
Weights range_weights(uint64_t place) { return Weights(of_device(a.weights) + 8 * place); }
RangeSums range_sums(uint64_t place) { return RangeSums(of_device(a.sums) + 4 * place * kDimV); }

// What a range's sums are multiplied by, of weights relative to another score.
float weight_to(vec2 of_range, float most) { return of_range.y > 0 ? exp(of_range.x - most) : 0; }

// Whether all other ranges, of n, are there.
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
