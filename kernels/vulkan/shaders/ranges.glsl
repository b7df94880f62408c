// SPDX-License-Identifier: MIT
// What attention's workgroups that have a range of positions each give, and how the one that is done
// last joins these; after heads.glsl.

// Where what invocations have found meets.
const uint kMeeting = 4096;
shared vec4 meeting[kMeeting / 4];

// What other workgroups write.
layout(buffer_reference, scalar, buffer_reference_align = 4) coherent buffer Counts { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) coherent buffer Weights { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16)
    coherent buffer RangeSums { vec4 v[]; };

// Of the heads of the group: the highest score, and the sum of weights relative to it.
shared float highest[8], total[8];
shared bool last;

// The ranges that have positions of those that the row sees.
uint first_range, n_ranges;

float sink_of(uint head) { return a.sinks != 0 ? F32s(a.sinks).v[head] : -1.0 / 0.0; }

// What the sums of a head are multiplied by where there is one range.
float share_of(uint head, uint g) {
  float sink = sink_of(head + g), most = max(sink, highest[g]);
  float weight = exp(highest[g] - most);
  return weight / (total[g] * weight + (a.sinks != 0 ? exp(sink - most) : 0));
}

// Of head row_head of all rows, where range r has its own.
uint64_t place_of(uint64_t row_head, uint r) { return row_head * gl_NumWorkGroups.x + r; }
Weights range_weights(uint64_t place) { return Weights(of_device(a.weights) + 8 * place); }
RangeSums range_sums(uint64_t place) { return RangeSums(of_device(a.sums) + 4 * place * kDimV); }

// Whether all other ranges are there.
bool is_last() {
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

// What the sums of ranges are multiplied by, of a head of the group: there is room for 512.
float factor_of(uint g, uint r) { return meeting[(512 * g + r) / 4][r % 4]; }

float weight_to(vec2 of_range, float most) { return of_range.y > 0 ? exp(of_range.x - most) : 0; }

void find_factors(uint64_t row_head, uint head, uint n_heads) {
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
