// SPDX-License-Identifier: MIT
// All programs begin with this: memory by address, and functions that work across invocations.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require

layout(local_size_x_id = 0) in;

layout(buffer_reference, scalar, buffer_reference_align = 1) buffer U8 { uint8_t v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer U16 { uint16_t v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer U32 { uint v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer U32x2 { uvec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer U32x4 { uvec4 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer U64 { uint64_t v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer F32s { float v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer F32x2 { vec2 v[]; };
layout(buffer_reference, scalar, buffer_reference_align = 16) buffer F32x4 { vec4 v[]; };

// A row of a pass: one token of a sequence.
struct Row {
  uint token;
  uint pos;    // in its sequence
  uint table;  // offset of its sequence's page addresses in the tables
};
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Rows { Row v[]; };

// Sums four products of signed bytes (SPV_KHR_integer_dot_product).
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int dot_packed(uint a, uint b, spirv_literal int format);
int dot4(uint a, uint b) { return dot_packed(a, b, 0); }
int add_dot16(int sum, uvec4 x, uvec4 y) {
  sum += dot4(x.x, y.x);
  sum += dot4(x.y, y.y);
  sum += dot4(x.z, y.z);
  return sum + dot4(x.w, y.w);
}
int dot16(uvec4 x, uvec4 y) { return add_dot16(0, x, y); }

// Converts a whole number of either sign, below 2^22 in magnitude, to a float by adding it to the
// lowest bits of a large float. Devices convert integers at a quarter of the rate at which they
// add, or more slowly.
const int kLargeFloat = 0x4b400000;
float above_large(int i) { return intBitsToFloat(i) - 12582912.0; }
float float_of(int i) { return above_large(kLargeFloat + i); }

float half_of(uint bits) { return unpackHalf2x16(bits).x; }

const uint kMostSubgroups = 256;
shared float partial_sums[kMostSubgroups];

// Returns the sum of all invocations' values. All invocations must call this.
float workgroup_add(float x) {
  x = subgroupAdd(x);
  if (gl_NumSubgroups == 1) return x;
  barrier();
  if (subgroupElect()) partial_sums[gl_SubgroupID] = x;
  barrier();
  float sum = 0;
  for (uint i = gl_SubgroupInvocationID; i < gl_NumSubgroups; i += gl_SubgroupSize)
    sum += partial_sums[i];
  return subgroupAdd(sum);
}

// The largest value, and the sum, of the 8 neighbouring invocations that share a block of 32
// values. Each has four values, called a quarter.
float largest_of_eight(float x) {
  x = max(x, subgroupShuffleXor(x, 1));
  x = max(x, subgroupShuffleXor(x, 2));
  return max(x, subgroupShuffleXor(x, 4));
}

float sum_of_eight(float x) {
  x += subgroupShuffleXor(x, 1);
  x += subgroupShuffleXor(x, 2);
  return x + subgroupShuffleXor(x, 4);
}

uint pack_bytes(ivec4 q) {
  return uint(q.x & 255) | uint(q.y & 255) << 8 | uint(q.z & 255) << 16 | uint(q.w & 255) << 24;
}

// Activations as integer products read them: n_cols signed bytes a row, a scale for each block of
// 32, and for each 16 the sum of their codes times the scale. Neighbouring invocations hold the
// eight quarters of a block.
struct Packed {
  uint64_t codes;
  uint64_t scales;
  uint64_t sums;
};
Packed packed_from(Packed p, uint64_t value) {
  return Packed(p.codes + value, p.scales + value / 8, p.sums + value / 4);
}
// Activations as matrix cores read them. The range of f16 ends at 65504, so they are multiplied by
// kSmaller. The first and third of each four values come first, then the second and fourth:
// matrix.glsl unpacks bytes to f16 in that order.
const float kSmaller = 1.0 / 16;
uvec2 halves_of(vec4 x) { return uvec2(packHalf2x16(x.xz), packHalf2x16(x.yw)); }
void put_halves(vec4 x, uint64_t to, uint i) { U32x2(to).v[i] = halves_of(kSmaller * x); }

// The arguments with which a program that adds to the stream does its part of the next norm.
struct ForNorm {
  uint64_t weight;   // [n_cols]
  uint64_t floats;   // [n, n_cols] or 0
  uint64_t squares;  // [n, n_cols / 32]
};

// Returns quarter i of the stream times the norm's weights, and stores it if `floats` is not 0.
// Also stores the sum of the squares of each block of 32 values, whose invocations are neighbours.
vec4 weighted_for_norm(vec4 x, vec4 weight, uint i, ForNorm to) {
  float squares = sum_of_eight(dot(x, x));
  if (i % 8 == 0) F32s(to.squares).v[i / 8] = squares;
  x *= weight;
  if (to.floats != 0) F32x4(to.floats).v[i] = x;
  return x;
}

void pack_quarter(vec4 x, Packed to, uint i) {
  float largest = largest_of_eight(max(max(abs(x.x), abs(x.y)), max(abs(x.z), abs(x.w))));
  float inverse = largest > 0 ? 127.0 / largest : 0, scale = largest / 127.0;
  ivec4 q = ivec4(round(x * inverse));
  U32(to.codes).v[i] = pack_bytes(q);
  int sum = q.x + q.y + q.z + q.w;
  sum += subgroupShuffleXor(sum, 1);
  sum += subgroupShuffleXor(sum, 2);
  if (i % 8 == 0) F32s(to.scales).v[i / 8] = scale;
  if (i % 4 == 0) F32s(to.sums).v[i / 4] = scale * float(sum);
}
