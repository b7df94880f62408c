// SPDX-License-Identifier: MIT
// Makes heads of queries, keys and values in the form in which attention reads them and the cache
// stores them. Include it after cache.glsl. A subgroup makes a head in memory that its workgroup
// shares. The program that includes this first defines kHeadValues, the size of that memory.
layout(constant_id = 7) const uint kTurnK = 0;  // rows of the Hadamard matrix; 0: none
layout(constant_id = 8) const uint kTurnV = 0;
layout(constant_id = 9) const uint kRot = 128;  // entries that are rotated; 0: none
layout(constant_id = 10) const uint kRotOffset = 0;
layout(constant_id = 11) const bool kInterleaved = true;
layout(constant_id = 12) const uint kHeadNorm = 0;  // for queries and keys
const uint kNoNorm = 0, kRmsNorm = 1, kLayerNorm = 2;
layout(constant_id = 13) const bool kValueNorm = false;
layout(constant_id = 14) const uint kQNormStride = 0;  // from one head's weights to the next one's
layout(constant_id = 15) const uint kKNormStride = 0;
layout(constant_id = 16) const float kEps = 0;
layout(constant_id = 17) const float kTemperatureScale = 0;  // Hparams::attn_temperature_scale
layout(constant_id = 18) const float kTemperatureLength = 1;

shared float head_values[kHeadValues];

// Makes what the subgroup's invocations wrote there visible to all of them.
void meet() {
  subgroupMemoryBarrierShared();
  subgroupBarrier();
}

// A head that has to be made: its address, and the address of its norm's weights or 0.
struct Head {
  uint64_t from;
  uint64_t weight;
  uint n;  // values
  uint t;  // the row of the pass
};
Head query_head(uint t, uint h) {
  return Head(of_device(a.q) + 4 * uint64_t(t * kHeads + h) * kDimK, a.q_norm + 4 * h * kQNormStride,
              kDimK, t);
}
Head key_head(uint t, uint h) {
  return Head(of_device(a.k) + 4 * uint64_t(t * kHeadsKv + h) * kDimK, a.k_norm + 4 * h * kKNormStride,
              kDimK, t);
}
Head value_head(uint t, uint h) {
  return Head(of_device(a.v) + 4 * uint64_t(t * kHeadsKv + h) * kDimV, 0, kDimV, t);
}

// Cosine and sine for a pair of values of row t. Past the end, for the last pair.
vec2 angle_of(uint t, uint pair) {
  return F32x2(of_both(a.angles) + 4 * uint64_t(t) * kRot).v[min(pair, kRot / 2 - 1)];
}

// The first values that an invocation needs for a head. They are requested together, because memory
// takes longer than all the work on them. Past the end, the last value is read.
const uint kEarly = 4;
struct Early {
  float values[kEarly], weights[kEarly];
  vec2 angles[kEarly];
};
Early ask_for(Head head) {
  Early early;
  [[unroll]] for (uint i = 0; i < kEarly; ++i) {
    uint at = gl_SubgroupInvocationID + i * gl_SubgroupSize;
    early.values[i] = F32s(head.from).v[min(at, head.n - 1)];
    if (kHeadNorm != kNoNorm && head.weight != 0) early.weights[i] = F32s(head.weight).v[min(at, head.n - 1)];
    if (kRot > 0) early.angles[i] = angle_of(head.t, at);
  }
  return early;
}

void load_head(uint at, Head head, Early early) {
  uint i = gl_SubgroupInvocationID;
  [[unroll]] for (uint k = 0; k < kEarly; ++k, i += gl_SubgroupSize)
    if (i < head.n) head_values[at + i] = early.values[k];
  [[dont_unroll]] for (; i < head.n; i += gl_SubgroupSize) head_values[at + i] = F32s(head.from).v[i];
}

float sum_of(uint at, uint n, float mean, bool squares) {
  float sum = 0;
  for (uint i = gl_SubgroupInvocationID; i < n; i += gl_SubgroupSize) {
    float x = head_values[at + i] - mean;
    sum += squares ? x * x : x;
  }
  return subgroupAdd(sum);
}

void norm_head(uint at, Head head, Early early, bool layer_norm) {
  uint n = head.n;
  float mean = layer_norm ? sum_of(at, n, 0, false) / float(n) : 0;
  float inverse = 1 / sqrt(sum_of(at, n, mean, true) / float(n) + kEps);
  uint i = gl_SubgroupInvocationID;
  [[unroll]] for (uint k = 0; k < kEarly; ++k, i += gl_SubgroupSize) {
    float weight = head.weight != 0 ? early.weights[k] : 1;
    if (i < n) head_values[at + i] = (head_values[at + i] - mean) * inverse * weight;
  }
  [[dont_unroll]] for (; i < n; i += gl_SubgroupSize) {
    float weight = head.weight != 0 ? F32s(head.weight).v[i] : 1;
    head_values[at + i] = (head_values[at + i] - mean) * inverse * weight;
  }
}

void rotate_pair(uint at, uint i, vec2 angle) {
  uint first = at + kRotOffset + (kInterleaved ? 2 * i : i);
  uint second = first + (kInterleaved ? 1 : kRot / 2);
  float x = head_values[first], y = head_values[second];
  head_values[first] = x * angle.x - y * angle.y;
  head_values[second] = x * angle.y + y * angle.x;
}

void rotate(uint at, uint t, Early early) {
  meet();
  uint pair = gl_SubgroupInvocationID;
  [[unroll]] for (uint i = 0; i < kEarly; ++i, pair += gl_SubgroupSize)
    if (pair < kRot / 2) rotate_pair(at, pair, early.angles[i]);
  [[dont_unroll]] for (; pair < kRot / 2; pair += gl_SubgroupSize) rotate_pair(at, pair, angle_of(t, pair));
}

vec4 head_quarter(uint i) {
  uint at = 4 * i;
  return vec4(head_values[at], head_values[at + 1], head_values[at + 2], head_values[at + 3]);
}
void put_head_quarter(uint i, vec4 x) {
  [[unroll]] for (uint j = 0; j < 4; ++j) head_values[4 * i + j] = x[j];
}

// Applies the strides of a Hadamard transform that a subgroup spans to four neighbouring values.
vec4 turned_near(vec4 x, uint block) {
  x = vec4(x.x + x.y, x.x - x.y, x.z + x.w, x.z - x.w);
  if (block > 2) x = vec4(x.xy + x.zw, x.xy - x.zw);
  for (uint m = 1; 4 * m < block && m < gl_SubgroupSize; m *= 2) {
    vec4 y = subgroupShuffleXor(x, m);
    x = (gl_SubgroupInvocationID & m) == 0 ? x + y : y - x;
  }
  return x;
}

// Multiplies n values by the Hadamard matrix with `block` rows. `block` is a power of two that
// divides n, at least 2; n and `at` are multiples of 4.
void turn(uint at, uint n, uint block) {
  float scale = 1 / sqrt(float(block));
  meet();
  for (uint i = gl_SubgroupInvocationID; i < n / 4; i += gl_SubgroupSize)
    put_head_quarter(at / 4 + i, scale * turned_near(head_quarter(at / 4 + i), block));
  for (uint stride = 4 * gl_SubgroupSize; stride < block; stride *= 2) {
    meet();
    for (uint i = gl_SubgroupInvocationID; i < n / 2; i += gl_SubgroupSize) {
      uint first = at + i / stride * 2 * stride + i % stride;
      float x = head_values[first], y = head_values[first + stride];
      head_values[first] = x + y;
      head_values[first + stride] = x - y;
    }
  }
}

// Encodes a quarter of a block as the cache does (kernels/scalar/encode.cpp). Writes it unless `to`
// is 0, and returns what will be read back.
vec4 keep_quarter(uint type, vec4 x, uint64_t to, uint i) {
  if (type == F32) {
    if (to != 0) F32x4(to).v[i] = x;
    return x;
  }
  if (type == F16) {
    uvec2 halves = uvec2(packHalf2x16(x.xy), packHalf2x16(x.zw));
    if (to != 0) U32x2(to).v[i] = halves;
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
  }
  float far = largest_of_eight(max(max(abs(x.x), abs(x.y)), max(abs(x.z), abs(x.w))));
  uint d = packHalf2x16(vec2(min(far / 127.0, 65504.0), 0));
  float scale = half_of(d), inverse = scale != 0 ? 1 / scale : 0;
  ivec4 codes = ivec4(clamp(round(x * inverse), -127, 127));
  if (to != 0) {
    uint bytes = pack_bytes(codes);
    U16 block = U16(to + (i / 8) * 34);
    if (i % 8 == 0) block.v[0] = uint16_t(d);
    block.v[1 + 2 * (i % 8)] = uint16_t(bytes & 0xffff);
    block.v[2 + 2 * (i % 8)] = uint16_t(bytes >> 16);
  }
  return scale * vec4(codes);
}

void keep(uint at, uint n, uint type, uint64_t to) {
  meet();
  for (uint i = gl_SubgroupInvocationID; i < n / 4; i += gl_SubgroupSize)
    put_head_quarter(at / 4 + i, keep_quarter(type, head_quarter(at / 4 + i), to, i));
}

// Makes a query, or a key or a value as the cache stores it. `to` is its row in the cache, or 0 if
// it is not written. One function makes all three, so that a device has less to fetch.
const uint kQueryHead = 0, kKeyHead = 1, kValueHead = 2;
void make_head(uint at, Head head, Early early, uint what, uint pos, uint64_t to) {
  bool is_value = what == kValueHead;
  load_head(at, head, early);
  if (is_value ? kValueNorm : kHeadNorm != kNoNorm)
    norm_head(at, head, early, !is_value && kHeadNorm == kLayerNorm);
  if (kRot > 0 && !is_value) rotate(at, head.t, early);
  if (kTurnK == kTurnV && kTurnK > 0) turn(at, head.n, kTurnK);
  else if (kTurnK > 0 && !is_value) turn(at, head.n, kTurnK);
  else if (kTurnV > 0 && is_value) turn(at, head.n, kTurnV);
  meet();
  if (what != kQueryHead) {
    if (kTypeK == kTypeV) keep(at, head.n, kTypeK, to);
    else if (is_value) keep(at, head.n, kTypeV, to);
    else keep(at, head.n, kTypeK, to);
  } else if (kTemperatureScale != 0) {
    float temperature = 1 + kTemperatureScale * log(1 + floor(float(pos) / kTemperatureLength));
    for (uint i = gl_SubgroupInvocationID; i < kDimK; i += gl_SubgroupSize)
      head_values[at + i] *= temperature;
    meet();
  }
}
