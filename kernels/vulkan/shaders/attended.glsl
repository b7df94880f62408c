// SPDX-License-Identifier: MIT
// What attention's scores become, and what heads attend to as the output's projection reads it;
// after heads.glsl.
layout(constant_id = 20) const bool kPacks = true;
layout(constant_id = 21) const float kScale = 1;
layout(constant_id = 22) const float kSoftcap = 0;  // 0: none
layout(constant_id = 23) const uint kWindow = 0;    // 0: none

const uint kShared = kHeads / kHeadsKv;  // heads that share a head of keys and values

// What the sums of a head are multiplied by, of which the weights' sum is relative to its highest
// score.
float sink_of(uint head) { return a.sinks != 0 ? F32s(a.sinks).v[head] : -1.0 / 0.0; }
float share_of(uint head, float highest, float total) {
  float sink = sink_of(head), most = max(sink, highest);
  float weight = exp(highest - most);
  return weight / (total * weight + (a.sinks != 0 ? exp(sink - most) : 0));
}

// Quarter i of what a head of a row attends to, once the turn of the values is undone.
void pack(uint64_t row_head, uint i, vec4 x) {
  uint64_t at = row_head * kDimV;
  Packed to = packed_from(Packed(of_device(a.codes), of_device(a.scales), of_device(a.code_sums)), at);
  if (kPacks) pack_quarter(x, to, i);
  else F32x4(of_device(a.codes) + 4 * at).v[i] = x;
  if (a.halves != 0) put_halves(x, of_device(a.halves) + 2 * at, i);
}

// Where a subgroup has all quarters that are turned together, which are neighbours, it undoes the
// turn at once.
bool turns_near() { return kTurnV <= 4 * gl_SubgroupSize; }
void pack_turned(uint64_t row_head, uint i, vec4 x) {
  if (turns_near() && kTurnV > 0) x = turned_near(x, kTurnV) / sqrt(float(kTurnV));
  pack(row_head, i, x);
}
