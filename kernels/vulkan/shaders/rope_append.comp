#version 460
// SPDX-License-Identifier: MIT
// Queries, keys and values of a layer, a head of a row each: normed, rotated, turned by the
// Hadamard matrix that the cache asks for; keys and values go to the cache. x: the heads of
// queries, then of keys, then of values; y: rows.
#include "common.glsl"
#include "formats.glsl"
const uint kHeadValues = 512;
#include "head.glsl"

layout(constant_id = 1) const uint kTypeK = Q8_0;
layout(constant_id = 2) const uint kTypeV = Q8_0;
layout(constant_id = 3) const uint kDimK = 128;
layout(constant_id = 4) const uint kDimV = 128;
layout(constant_id = 5) const uint kTurnK = 0;  // rows of the matrix; 0: none
layout(constant_id = 6) const uint kTurnV = 0;
layout(constant_id = 7) const uint kRot = 128;  // entries that are rotated; 0: none
layout(constant_id = 8) const uint kRotOffset = 0;
layout(constant_id = 9) const bool kInterleaved = true;
layout(constant_id = 10) const uint kHeadNorm = 0;  // of queries and keys
const uint kNoNorm = 0, kRmsNorm = 1, kLayerNorm = 2;
layout(constant_id = 11) const bool kValueNorm = false;

layout(push_constant, scalar) uniform Arguments {
  uint64_t rows;
  uint64_t tables;    // numbers of pages
  uint64_t pages;     // the first one
  uint64_t q;         // [n, n_head, kDimK], in place
  uint64_t k;         // [n, n_head_kv, kDimK]
  uint64_t v;         // [n, n_head_kv, kDimV]
  uint64_t angles;    // [n, kRot / 2] cosines and sines
  uint64_t q_norm;    // weights
  uint64_t k_norm;
  uint64_t page_bytes;
  uint k_offset;      // of a page
  uint v_offset;
  uint n_head;
  uint n_head_kv;
  uint q_norm_stride;  // from one head's weights to the next one's
  uint k_norm_stride;
  float eps;
  float temperature_scale;   // Hparams::attn_temperature_scale; 0: none
  float temperature_length;
} a;

#include "cache.glsl"

float sum_of(uint n, float mean, bool squares) {
  float sum = 0;
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) {
    float x = head_values[i] - mean;
    sum += squares ? x * x : x;
  }
  return workgroup_add(sum);
}

void norm_head(uint n, uint64_t weight, bool layer_norm) {
  barrier();
  float mean = layer_norm ? sum_of(n, 0, false) / float(n) : 0;
  float inverse = 1 / sqrt(sum_of(n, mean, true) / float(n) + a.eps);
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x)
    head_values[i] = (head_values[i] - mean) * inverse * (weight != 0 ? F32s(weight).v[i] : 1);
}

void rotate(uint t) {
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < kRot / 2; i += gl_WorkGroupSize.x) {
    uint first = kRotOffset + (kInterleaved ? 2 * i : i);
    uint second = kRotOffset + (kInterleaved ? 2 * i + 1 : i + kRot / 2);
    F32s angle = F32s(a.angles + 8 * (uint64_t(t) * (kRot / 2) + i));
    float x = head_values[first], y = head_values[second], c = angle.v[0], s = angle.v[1];
    head_values[first] = x * c - y * s;
    head_values[second] = x * s + y * c;
  }
}

// As kernels/scalar/encode.cpp has it. The invocations go through the row in quarters of blocks.
void encode(uint type, uint64_t to, uint n) {
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < n / 4; i += gl_WorkGroupSize.x) {
    vec4 x = vec4(head_values[4 * i], head_values[4 * i + 1], head_values[4 * i + 2], head_values[4 * i + 3]);
    if (type == F32) {
      [[unroll]] for (uint j = 0; j < 4; ++j) F32s(to).v[4 * i + j] = x[j];
    } else if (type == F16) {
      U32(to).v[2 * i] = packHalf2x16(x.xy);
      U32(to).v[2 * i + 1] = packHalf2x16(x.zw);
    } else {
      float far = largest_of_eight(max(max(abs(x.x), abs(x.y)), max(abs(x.z), abs(x.w))));
      uint d = packHalf2x16(vec2(min(far / 127.0, 65504.0), 0));
      float scale = half_of(d), inverse = scale != 0 ? 1 / scale : 0;
      uint codes = pack_bytes(ivec4(clamp(round(x * inverse), -127, 127)));
      U16 block = U16(to + (i / 8) * 34);
      if (i % 8 == 0) block.v[0] = uint16_t(d);
      block.v[1 + 2 * (i % 8)] = uint16_t(codes & 0xffff);
      block.v[2 + 2 * (i % 8)] = uint16_t(codes >> 16);
    }
  }
}

void main() {
  uint t = gl_WorkGroupID.y, h = gl_WorkGroupID.x;
  Row row = Rows(a.rows).v[t];
  bool is_query = h < a.n_head, is_key = !is_query && h < a.n_head + a.n_head_kv;
  uint head_kv = is_query ? 0 : (h - a.n_head) % a.n_head_kv;
  uint n = is_query || is_key ? kDimK : kDimV;
  uint64_t from = is_query ? a.q + 4 * uint64_t(t * a.n_head + h) * kDimK
                           : (is_key ? a.k : a.v) + 4 * uint64_t(t * a.n_head_kv + head_kv) * n;
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x) head_values[i] = F32s(from).v[i];
  if (is_query || is_key) {
    uint64_t weight = is_query ? a.q_norm + 4 * h * a.q_norm_stride
                               : a.k_norm + 4 * head_kv * a.k_norm_stride;
    if (kHeadNorm != kNoNorm) norm_head(n, weight, kHeadNorm == kLayerNorm);
    if (kRot > 0) rotate(t);
    if (kTurnK > 0) turn(n, kTurnK);
  } else {
    if (kValueNorm) norm_head(n, 0, false);
    if (kTurnV > 0) turn(n, kTurnV);
  }
  if (!is_query) {
    uint type = is_key ? kTypeK : kTypeV;
    uint offset = is_key ? a.k_offset : a.v_offset;
    encode(type, cache_row(row, row.pos, offset, row_bytes(type, n), head_kv), n);
    return;
  }
  barrier();
  float temperature = 1;
  if (a.temperature_scale != 0)
    temperature += a.temperature_scale * log(1 + floor(float(row.pos) / a.temperature_length));
  for (uint i = gl_LocalInvocationIndex; i < n; i += gl_WorkGroupSize.x)
    F32s(from).v[i] = temperature * head_values[i];
}
