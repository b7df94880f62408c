// SPDX-License-Identifier: MIT
// The number formats of weights (kernels/block.h), read eight weights at a time.
//
// Octet i of a row is its weights [8 i, 8 i + 8). A weight is scale * code - minimum, where the
// code is a signed byte.
#define F32 0
#define F16 1
#define Q4_0 2
#define Q4_1 3
#define Q5_0 6
#define Q5_1 7
#define Q8_0 8
#define Q2_K 10
#define Q3_K 11
#define Q4_K 12
#define Q5_K 13
#define Q6_K 14
#define IQ2_XXS 16
#define IQ2_XS 17
#define IQ3_XXS 18
#define IQ1_S 19
#define IQ4_NL 20
#define IQ3_S 21
#define IQ2_S 22
#define IQ4_XS 23
#define IQ1_M 29
#define BF16 30
#define TQ1_0 34
#define TQ2_0 35
#define MXFP4 39
#define NVFP4 40
#define Q1_0 41
#define Q2_0 42
// Rows whose blocks are split: all codes come first, then all scales (engine/gpu/gpu_weights.h).
#define Q8_0_PLANES 264
#define Q6_K_PLANES 270

struct Octet {
  uvec2 codes;
  float scale;
  float minimum;
};

#define is_float(format) (format == F32 || format == F16 || format == BF16)
// Whether the two halves of a block of 32 have different scales.
#define has_halves(format)                                                             \
  (format == Q2_K || format == Q3_K || format == Q6_K || format == Q6_K_PLANES ||      \
   format == IQ1_M || format == IQ2_XS || format == IQ2_S || format == NVFP4)
#define has_minimum(format) \
  (format == Q4_1 || format == Q5_1 || format == Q2_K || format == Q4_K || format == Q5_K)

// Reads four bytes from an even address.
uint word16(uint64_t at) { return uint(U16(at).v[0]) | uint(U16(at).v[1]) << 16; }
uvec2 words16(uint64_t at) { return uvec2(word16(at), word16(at + 4)); }
uint byte_of(uint word, uint i) { return word >> (8 * i) & 255; }

// Subtracts n from each byte, which must be at most 127.
uvec2 less(uvec2 bytes, uint n) { return ((bytes | 0x80808080u) - n * 0x01010101u) ^ 0x80808080u; }
uvec4 less(uvec4 bytes, uint n) { return ((bytes | 0x80808080u) - n * 0x01010101u) ^ 0x80808080u; }

// Moves bit i of four bits to byte i.
uint spread4(uint bits) { return (bits & 15) * 0x00204081u & 0x01010101u; }
uvec2 spread8(uint bits) { return uvec2(spread4(bits), spread4(bits >> 4)); }

// Returns the values that four nibbles stand for. Each nibble has a byte. Drivers keep an indexed
// array in memory; an array took four times as long on an H100.
uint iq4_values(uint nibbles) {
  uint codes = 0;
  [[unroll]] for (uint i = 0; i < 32; i += 8) {
    uint n = nibbles >> i;
    uint four = (n & 8) == 0 ? ((n & 4) == 0 ? 0xbfad9881u : 0xf6eaddcfu)
                             : ((n & 4) == 0 ? 0x26190d01u : 0x71594535u);
    codes |= (four >> (8 * (n & 3)) & 255) << i;
  }
  return codes;
}
// Returns twice the numbers that E2M1 stands for, the four bits of OCP Microscaling formats 1.0.
uint e2m1_doubled(uint nibbles) {
  uint magnitudes = 0;
  [[unroll]] for (uint i = 0; i < 32; i += 8)
    magnitudes |= (0xc8643210u >> (4 * (nibbles >> i & 7)) & 15) << i;
  uint negative = (nibbles >> 3 & 0x01010101u) * 255;
  return (magnitudes & ~negative) | ((0x80808080u - magnitudes ^ 0x80808080u) & negative);
}
uvec2 look_up(uvec2 nibbles, bool e2m1) {
  return e2m1 ? uvec2(e2m1_doubled(nibbles.x), e2m1_doubled(nibbles.y))
              : uvec2(iq4_values(nibbles.x), iq4_values(nibbles.y));
}

// For blocks of 32 with 16 bytes of nibbles: the low nibbles belong to weights 0 to 15.
uvec2 nibbles_of(uvec2 bytes, uint quarter) {
  return (quarter < 2 ? bytes : bytes >> 4) & uvec2(0x0f0f0f0f);
}

Octet octet_q4(uint64_t row, uint i, bool q4_1) {
  uint64_t block = row + (i / 4) * (q4_1 ? 20 : 18);
  uint quarter = i % 4;
  uvec2 codes = nibbles_of(words16(block + (q4_1 ? 4 : 2) + 8 * (quarter % 2)), quarter);
  float scale = half_of(U16(block).v[0]);
  if (q4_1) return Octet(codes, scale, -half_of(U16(block).v[1]));
  return Octet(less(codes, 8), scale, 0);
}

Octet octet_q5(uint64_t row, uint i, bool q5_1) {
  uint64_t block = row + (i / 4) * (q5_1 ? 24 : 22);
  uint quarter = i % 4;
  uint64_t high = block + (q5_1 ? 4 : 2);
  uvec2 codes = nibbles_of(words16(high + 4 + 8 * (quarter % 2)), quarter) |
                spread8(word16(high) >> (8 * quarter)) << 4;
  float scale = half_of(U16(block).v[0]);
  if (q5_1) return Octet(codes, scale, -half_of(U16(block).v[1]));
  return Octet(less(codes, 16), scale, 0);
}

Octet octet_q8_0(uint64_t row, uint i) {
  uint64_t block = row + (i / 4) * 34;
  return Octet(words16(block + 2 + 8 * (i % 4)), half_of(U16(block).v[0]), 0);
}

Octet octet_q2_k(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 84;
  uint n = i % 32 / 16, j = i % 16 / 4, l8 = i % 4;
  uvec2 bytes = uvec2(U32(block + 16 + 32 * n + 8 * l8).v[0], U32(block + 16 + 32 * n + 8 * l8).v[1]);
  uint scales = uint(U8(block).v[8 * n + 2 * j + l8 / 2]);
  vec2 d = unpackHalf2x16(U32(block + 80).v[0]);
  return Octet(bytes >> (2 * j) & uvec2(0x03030303), d.x * float(scales & 15),
               d.y * float(scales >> 4));
}

Octet octet_q3_k(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 110;
  uint n = i % 32 / 16, j = i % 16 / 4, l8 = i % 4;
  uvec2 low = words16(block + 32 + 32 * n + 8 * l8) >> (2 * j) & uvec2(0x03030303);
  uvec2 high = words16(block + 8 * l8) >> (4 * n + j) & uvec2(0x01010101);
  uint k = 8 * n + 2 * j + l8 / 2;
  uint low4 = uint(U8(block + 96).v[k % 8]) >> (k < 8 ? 0 : 4) & 15;
  uint high2 = uint(U8(block + 104).v[k % 4]) >> (2 * (k / 4)) & 3;
  float d = half_of(U16(block + 108).v[0]);
  return Octet(less(low | high << 2, 4), d * float(int(low4 | high2 << 4) - 32), 0);
}

// Scale and minimum of sub-block k of eight, with six bits each. h is the block's first 16 bytes.
vec2 scales_k4(uvec4 h, uint k) {
  uint j = k % 4;
  uint scale = k < 4 ? byte_of(h.y, j) & 63
                     : (byte_of(h.w, j) & 15) | byte_of(h.y, j) >> 6 << 4;
  uint minimum = k < 4 ? byte_of(h.z, j) & 63
                       : byte_of(h.w, j) >> 4 | byte_of(h.z, j) >> 6 << 4;
  return unpackHalf2x16(h.x) * vec2(scale, minimum);
}

Octet octet_q4_k(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 144;
  uint k = i % 32 / 4;
  uvec2 bytes = U32x2(block + 16 + 32 * (k / 2) + 8 * (i % 4)).v[0];
  vec2 scales = scales_k4(U32x4(block).v[0], k);
  return Octet(bytes >> (4 * (k % 2)) & uvec2(0x0f0f0f0f), scales.x, scales.y);
}

Octet octet_q5_k(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 176;
  uint k = i % 32 / 4;
  uvec2 low = U32x2(block + 48 + 32 * (k / 2) + 8 * (i % 4)).v[0] >> (4 * (k % 2));
  uvec2 high = U32x2(block + 16 + 8 * (i % 4)).v[0] >> k;
  vec2 scales = scales_k4(U32x4(block).v[0], k);
  return Octet((low & uvec2(0x0f0f0f0f)) | (high & uvec2(0x01010101)) << 4, scales.x, scales.y);
}

Octet octet_q6_k(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 210;
  uint n = i % 32 / 16, j = i % 16 / 4, l8 = i % 4;
  uvec2 low = words16(block + 64 * n + 32 * (j % 2) + 8 * l8) >> (4 * (j / 2));
  uvec2 high = words16(block + 128 + 32 * n + 8 * l8) >> (2 * j);
  uint scales = uint(U16(block + 192 + 8 * n + 2 * j).v[0]);
  int scale = bitfieldExtract(int(scales), int(8 * (l8 / 2)), 8);
  uvec2 codes = (low & uvec2(0x0f0f0f0f)) | (high & uvec2(0x03030303)) << 4;
  return Octet(less(codes, 32), half_of(U16(block + 208).v[0]) * float(scale), 0);
}

Octet octet_iq4_nl(uint64_t row, uint i) {
  uint64_t block = row + (i / 4) * 18;
  uvec2 nibbles = nibbles_of(words16(block + 2 + 8 * (i % 2)), i % 4);
  return Octet(look_up(nibbles, false), half_of(U16(block).v[0]), 0);
}

Octet octet_iq4_xs(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 136;
  uint k = i % 32 / 4;
  uvec2 head = U32x2(block).v[0];
  uint low4 = byte_of(head.y, k / 2) >> (4 * (k % 2)) & 15;
  uint high2 = head.x >> (16 + 2 * k) & 3;
  uvec2 nibbles = nibbles_of(U32x2(block + 8 + 16 * k + 8 * (i % 2)).v[0], i % 4);
  return Octet(look_up(nibbles, false), half_of(head.x) * float(int(low4 | high2 << 4) - 32), 0);
}

// The scale is a power of two, stored as a byte with its exponent. Codes are twice the numbers.
Octet octet_mxfp4(uint64_t row, uint i) {
  U8 block = U8(row + (i / 4) * 17);
  uint exponent = uint(block.v[0]);
  float scale = exponent < 2 ? uintBitsToFloat(0x00200000u << exponent)
                             : uintBitsToFloat((exponent - 1) << 23);
  uvec2 bytes = uvec2(0);
  [[unroll]] for (uint j = 0; j < 8; ++j)
    bytes[j / 4] |= uint(block.v[1 + 8 * (i % 2) + j]) << (8 * (j % 4));
  return Octet(look_up(nibbles_of(bytes, i % 4), true), scale, 0);
}

// Converts E4M3. The sign is ignored, and NaN becomes 0.
float ue4m3(uint x) {
  uint exponent = x >> 3 & 15, fraction = x & 7;
  if (x == 0x7f) return 0;
  return exponent == 0 ? float(fraction) / 512
                       : uintBitsToFloat((exponent + 120) << 23 | fraction << 20);
}

// Codes are twice the numbers.
Octet octet_nvfp4(uint64_t row, uint i) {
  uint64_t block = row + (i / 8) * 36;
  uint sub = i % 8 / 2;
  uvec2 bytes = uvec2(U32(block + 4 + 8 * sub).v[0], U32(block + 4 + 8 * sub).v[1]);
  uvec2 nibbles = bytes >> (4 * (i % 2)) & uvec2(0x0f0f0f0f);
  return Octet(look_up(nibbles, true), 0.5 * ue4m3(uint(U8(block).v[sub])), 0);
}

Octet octet_q1_0(uint64_t row, uint i) {
  uint64_t block = row + (i / 16) * 18;
  uvec2 bits = spread8(uint(U8(block + 2).v[i % 16]));
  return Octet(less(2 * bits, 1), half_of(U16(block).v[0]), 0);
}

// Moves each of four pairs of bits to a byte.
uint spread_pairs(uint bits) {
  uint nibbles = (bits | bits << 12) & 0x000f000fu;
  return (nibbles | nibbles << 6) & 0x03030303u;
}

Octet octet_q2_0(uint64_t row, uint i) {
  uint64_t block = row + (i / 8) * 18;
  uint bits = uint(U16(block + 2).v[i % 8]);
  return Octet(less(uvec2(spread_pairs(bits & 255), spread_pairs(bits >> 8)), 1),
               half_of(U16(block).v[0]), 0);
}

Octet octet_tq2_0(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 66;
  uint n = i % 32 / 16, j = i % 16 / 4, l8 = i % 4;
  uvec2 bytes = words16(block + 32 * n + 8 * l8) >> (2 * j);
  return Octet(less(bytes & uvec2(0x03030303), 1), half_of(U16(block + 64).v[0]), 0);
}

// Digit c of each of four bytes, in base 3.
uint ternary_digits(uint bytes, uint c) {
  const uint kPowers[5] = uint[5](1, 3, 9, 27, 81);
  const uint kEven = 0x00ff00ffu;  // leaves room for a product above each byte
  uint even = ((bytes & kEven) * kPowers[c] & kEven) * 3 >> 8 & kEven;
  uint odd = ((bytes >> 8 & kEven) * kPowers[c] & kEven) * 3 >> 8 & kEven;
  return even | odd << 8;
}

// Octets 0 to 19 use 32 bytes, and octets 20 to 29 use 16. Each of the last two octets holds two
// digits of the last four bytes.
Octet octet_tq1_0(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 54;
  uint o = i % 32, last = o - 20;
  uint c = o < 20 ? o / 4 : o < 30 ? last / 2 : 2 * (o - 30);
  uint64_t at = block + (o < 20 ? 8 * (o % 4) : o < 30 ? 32 + 8 * (last % 2) : 48);
  uint first = word16(at), second = o < 30 ? word16(at + 4) : first;
  uvec2 digits = uvec2(ternary_digits(first, c), ternary_digits(second, o < 30 ? c : c + 1));
  return Octet(less(digits, 1), half_of(U16(block + 52).v[0]), 0);
}

Octet octet_q8_0_planes(uint64_t row, uint i, uint n_cols) {
  return Octet(U32x2(row + 8 * i).v[0], half_of(U16(row + n_cols + 2 * (i / 4)).v[0]), 0);
}

Octet octet_q6_k_planes(uint64_t row, uint i, uint n_cols) {
  uint sb = i / 32, n = i % 32 / 16, j = i % 16 / 4, l8 = i % 4, nb = n_cols / 256;
  uvec2 low = U32x2(row + 128 * sb + 64 * n + 32 * (j % 2) + 8 * l8).v[0] >> (4 * (j / 2));
  uvec2 high = U32x2(row + 128 * nb + 64 * sb + 32 * n + 8 * l8).v[0] >> (2 * j);
  uint scales = uint(U16(row + 192 * nb + 16 * sb + 8 * n + 2 * j).v[0]);
  int scale = bitfieldExtract(int(scales), int(8 * (l8 / 2)), 8);
  uvec2 codes = (low & uvec2(0x0f0f0f0f)) | (high & uvec2(0x03030303)) << 4;
  return Octet(less(codes, 32), half_of(U16(row + 208 * nb + 2 * sb).v[0]) * float(scale), 0);
}

#include "grids.glsl"

// The octets of FORMAT or, if that is a float format, of Q8_0, which caches can have. The
// preprocessor chooses, so that drivers have little left to inline.
#if FORMAT == Q4_0
#define OCTET octet_q4(row, i, false)
#elif FORMAT == Q4_1
#define OCTET octet_q4(row, i, true)
#elif FORMAT == Q5_0
#define OCTET octet_q5(row, i, false)
#elif FORMAT == Q5_1
#define OCTET octet_q5(row, i, true)
#elif FORMAT == Q2_K
#define OCTET octet_q2_k(row, i)
#elif FORMAT == Q3_K
#define OCTET octet_q3_k(row, i)
#elif FORMAT == Q4_K
#define OCTET octet_q4_k(row, i)
#elif FORMAT == Q5_K
#define OCTET octet_q5_k(row, i)
#elif FORMAT == Q6_K
#define OCTET octet_q6_k(row, i)
#elif FORMAT == IQ4_NL
#define OCTET octet_iq4_nl(row, i)
#elif FORMAT == IQ4_XS
#define OCTET octet_iq4_xs(row, i)
#elif FORMAT == NVFP4
#define OCTET octet_nvfp4(row, i)
#elif FORMAT == Q1_0
#define OCTET octet_q1_0(row, i)
#elif FORMAT == Q2_0
#define OCTET octet_q2_0(row, i)
#elif FORMAT == TQ1_0
#define OCTET octet_tq1_0(row, i)
#elif FORMAT == TQ2_0
#define OCTET octet_tq2_0(row, i)
#elif FORMAT == MXFP4
#define OCTET octet_mxfp4(row, i)
#elif FORMAT == Q8_0_PLANES
#define OCTET octet_q8_0_planes(row, i, n_cols)
#elif FORMAT == Q6_K_PLANES
#define OCTET octet_q6_k_planes(row, i, n_cols)
#elif has_grid(FORMAT)
#define OCTET octet_of_grid(row, i)
#else
#define OCTET octet_q8_0(row, i)
#endif
Octet octet_of(uint64_t row, uint i, uint n_cols) { return OCTET; }

struct Floats8 {
  vec4 a, b;
};

// Converts four signed bytes to floats as float_of() does.
vec4 codes_of(uint word) {
  uint bytes = word ^ 0x80808080u;
  return uintBitsToFloat(uvec4(bytes & 255, bytes >> 8 & 255, bytes >> 16 & 255, bytes >> 24) | 0x4b000000u) -
         8388736.0;
}

vec2 bf16_pair(uint word) { return vec2(uintBitsToFloat(word << 16), uintBitsToFloat(word & 0xffff0000u)); }

// Weights [4 i, 4 i + 4) of a row of floats.
vec4 quarter_of(uint format, uint64_t row, uint i) {
  if (format == F32) {
    F32s f = F32s(row + 16 * i);
    return vec4(f.v[0], f.v[1], f.v[2], f.v[3]);
  }
  uvec2 words = words16(row + 8 * i);
  if (format == F16) return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y));
  return vec4(bf16_pair(words.x), bf16_pair(words.y));
}

// Octet i as numbers, for any format. A row of floats can end after four values of an octet; the
// other four are then 0.
Floats8 floats_of(uint format, uint64_t row, uint i, uint n_cols) {
  if (is_float(format))
    return Floats8(quarter_of(format, row, 2 * i),
                   8 * i + 4 < n_cols ? quarter_of(format, row, 2 * i + 1) : vec4(0));
  Octet o = octet_of(row, i, n_cols);
  return Floats8(o.scale * codes_of(o.codes.x) - o.minimum, o.scale * codes_of(o.codes.y) - o.minimum);
}
