// SPDX-License-Identifier: MIT
// Chooses a token's experts as engine/cpu/router.h does, except that they come in descending order
// of score, and that a score that is not a number counts as the lowest. A workgroup handles one
// token. The program that includes this first defines kGating (an ExpertGating), kRouted (how many
// experts there are), kUsed (how many are chosen), kGroups, kGroupsUsed and kNormalises.

const uint kSoftmax = 0, kSigmoid = 1, kSoftmaxOfChosen = 2;
const float kLeast = -3.402823466e38;
const float kMinWeightSum = 6.103515625e-5;  // the value in the processor's router

struct Router {
  uint64_t logits;          // [kRouted]
  uint64_t selection_bias;  // [kRouted] or 0
  uint64_t output_scales;   // [kRouted] or 0: factors on the experts' outputs
  float weights_scale;
};

shared float logits[kRouted], weights[kRouted], scores[kRouted];
shared float group_scores[kGroups];
shared uint chosen[kUsed];

// Each subgroup reads all logits itself, because that is faster than waiting for the others.
vec2 largest_and_sum() {
  float largest = kLeast, sum = 0;
  for (uint e = gl_SubgroupInvocationID; e < kRouted; e += gl_SubgroupSize)
    largest = max(largest, logits[e]);
  largest = subgroupMax(largest);
  for (uint e = gl_SubgroupInvocationID; e < kRouted; e += gl_SubgroupSize)
    sum += exp(logits[e] - largest);
  return vec2(largest, subgroupAdd(sum));
}

void apply_gating(Router from) {
  vec2 all = kGating == kSoftmax ? largest_and_sum() : vec2(0);
  for (uint e = gl_LocalInvocationIndex; e < kRouted; e += gl_WorkGroupSize.x) {
    float weight = logits[e];
    if (kGating == kSoftmax) weight = exp(weight - all.x) / all.y;
    if (kGating == kSigmoid) weight = 1 / (1 + exp(-weight));
    float score = weight + (from.selection_bias != 0 ? F32s(from.selection_bias).v[e] : 0);
    weights[e] = weight;
    scores[e] = score > kLeast ? score : kLeast;
  }
  barrier();
}

// Whether value x at index i comes before value y at index j. Equal values come in order of index.
bool is_before(float x, uint i, float y, uint j) { return x > y || (x == y && i < j); }

// Sets the scores in all groups except the best to the lowest value. The score of a group is the
// sum of its two best scores.
void keep_best_groups() {
  const uint size = kRouted / kGroups;
  for (uint g = gl_LocalInvocationIndex; g < kGroups; g += gl_WorkGroupSize.x) {
    float first = kLeast, second = kLeast;
    for (uint e = g * size; e < (g + 1) * size; ++e) {
      second = max(second, min(first, scores[e]));
      first = max(first, scores[e]);
    }
    group_scores[g] = first + second;
  }
  barrier();
  for (uint e = gl_LocalInvocationIndex; e < kRouted; e += gl_WorkGroupSize.x) {
    uint g = e / size, rank = 0;
    for (uint other = 0; other < kGroups; ++other)
      if (is_before(group_scores[other], other, group_scores[g], g)) ++rank;
    if (rank >= kGroupsUsed) scores[e] = kLeast;
  }
  barrier();
}

// Four neighbouring invocations count, for one expert, how many others come before it. Unrolled,
// the loop took 20 kB of program, which an H200 took longer to fetch than to run.
void rank_experts() {
  for (uint i = gl_LocalInvocationIndex; i < 4 * kRouted; i += gl_WorkGroupSize.x) {
    uint e = i / 4, rank = 0;
    float score = scores[e];
    [[dont_unroll]] for (uint other = 4 * (i % 4); other < kRouted; other += 16)
      [[unroll]] for (uint j = 0; j < 4; ++j)
        if (other + j < kRouted && is_before(scores[other + j], other + j, score, e)) ++rank;
    rank += subgroupShuffleXor(rank, 1);
    rank += subgroupShuffleXor(rank, 2);
    if (i % 4 == 0 && rank < kUsed) chosen[rank] = e;
  }
  barrier();
}

// Returns the factor on the weights, and what is subtracted from them before exp() is applied.
vec2 weight_factor(float scale) {
  float largest = kLeast, sum = 0;
  for (uint i = gl_SubgroupInvocationID; i < kUsed; i += gl_SubgroupSize)
    largest = max(largest, weights[chosen[i]]);
  largest = subgroupMax(largest);
  for (uint i = gl_SubgroupInvocationID; i < kUsed; i += gl_SubgroupSize) {
    float weight = weights[chosen[i]];
    sum += kGating == kSoftmaxOfChosen ? exp(weight - largest) : weight;
  }
  sum = subgroupAdd(sum);
  if (kGating == kSoftmaxOfChosen) return vec2(scale / sum, largest);
  return vec2(scale / (kNormalises ? max(sum, kMinWeightSum) : 1), 0);
}

// Leaves the token's experts in `chosen`.
void choose_experts(Router from) {
  for (uint e = gl_LocalInvocationIndex; e < kRouted; e += gl_WorkGroupSize.x)
    logits[e] = F32s(from.logits).v[e];
  barrier();
  apply_gating(from);
  if (kGroups > 1) keep_best_groups();
  rank_experts();
}

// Writes the chosen ids and their weights, [kUsed] each. The workgroup's first subgroup does it.
void put_choice(Router from, uint64_t ids, uint64_t to_weights) {
  if (gl_SubgroupID > 0) return;
  vec2 factor = weight_factor(from.weights_scale);
  for (uint i = gl_SubgroupInvocationID; i < kUsed; i += gl_SubgroupSize) {
    uint e = chosen[i];
    float weight = kGating == kSoftmaxOfChosen ? exp(weights[e] - factor.y) : weights[e];
    if (from.output_scales != 0) weight *= F32s(from.output_scales).v[e];
    U32(ids).v[i] = e;
    F32s(to_weights).v[i] = weight * factor.x;
  }
}
