// SPDX-License-Identifier: MIT
// Turns scores into weights, and stores what heads attend to as the output projection reads it.
// Include it after heads.glsl.
layout(constant_id = 20) const bool kPacks = true;
layout(constant_id = 21) const float kScale = 1;
layout(constant_id = 22) const float kSoftcap = 0;  // 0: no cap
layout(constant_id = 23) const uint kWindow = 0;    // 0: no window

const uint kShared = kHeads / kHeadsKv;  // heads that share a head of keys and values

// share_of() returns the factor on a head's sums. `total` is the sum of its weights, relative to
// its highest score.
float sink_of(uint head) { return a.sinks != 0 ? F32s(a.sinks).v[head] : -1.0 / 0.0; }
float share_of(uint head, float highest, float total) {
  float sink = sink_of(head), most = max(sink, highest);
  float weight = exp(highest - most);
  return weight / (total * weight + (a.sinks != 0 ? exp(sink - most) : 0));
}

// Stores quarter i of what a head attends to, once the Hadamard transform of the values is undone.
void pack(uint64_t row_head, uint i, vec4 x) {
  uint64_t at = row_head * kDimV;
  Packed to = packed_from(Packed(of_device(a.codes), of_device(a.scales), of_device(a.code_sums)), at);
  if (kPacks) pack_quarter(x, to, i);
  else F32x4(of_device(a.codes) + 4 * at).v[i] = x;
  if (a.halves != 0) put_halves(x, of_device(a.halves) + 2 * at, i);
}

// Neighbouring invocations hold the quarters that a Hadamard transform combines. Where a subgroup
// holds all of them, it undoes the transform without going through memory.
bool turns_near() { return kTurnV <= 4 * gl_SubgroupSize; }
void pack_turned(uint64_t row_head, uint i, vec4 x) {
  if (turns_near() && kTurnV > 0) x = turned_near(x, kTurnV) / sqrt(float(kTurnV));
  pack(row_head, i, x);
}
