// SPDX-License-Identifier: MIT
// Reads sixteen weights of FORMAT at a time, for products. Include it after formats.glsl.

// Sixteen weights that share a scale: [16 at, 16 at + 16) of their row.
struct Part {
  uvec4 codes;
  float scale;
  float minimum;
  uint at;
};

// Sixteen codes of sub-block k of eight, from the low or the high nibbles of its bytes. Q5_K also
// takes fifth bits from `high`.
uvec4 codes_k4(uvec4 bytes, uvec4 high, uint k, uint nibble, bool q5) {
  uvec4 codes = bytes >> (4 * nibble) & uvec4(0x0f0f0f0f);
  return q5 ? codes | (high >> k & uvec4(0x01010101)) << 4 : codes;
}

// Sixteen codes from quarter j of half a super-block or, if `nibble` is 1, from quarter j + 2:
// their low bits and their high bits.
uvec4 codes_q6_k(uvec4 low, uvec4 high, uint j, uint nibble) {
  uvec4 codes = (low >> (4 * nibble) & uvec4(0x0f0f0f0f)) |
                (high >> (2 * j) >> (4 * nibble) & uvec4(0x03030303)) << 4;
  return less(codes, 32);
}

// A part as memory holds it. It is not decoded yet, so it can still be on its way.
struct RawPart {
  uvec4 a, b, c;
  uint d;
};

RawPart fetch_k4(uint64_t row, uint i, bool q5) {
  uint64_t block = row + (i / 16) * (q5 ? 176 : 144);
  uint k = i % 16 / 2, h = i % 2;
  return RawPart(U32x4(block + (q5 ? 48 : 16) + 32 * (k / 2) + 16 * h).v[0], U32x4(block).v[0],
                 q5 ? U32x4(block + 16 + 16 * h).v[0] : uvec4(0), 0);
}

RawPart fetch_q6_k_planes(uint64_t row, uint i, uint n_cols) {
  uint sb = i / 16, n = i % 16 / 8, j = i % 8 / 2, h = i % 2, nb = n_cols / 256;
  uint scales = uint(U16(row + 192 * nb + 16 * sb + 8 * n + 2 * j).v[0]);
  return RawPart(U32x4(row + 128 * sb + 64 * n + 32 * (j % 2) + 16 * h).v[0], uvec4(0),
                 U32x4(row + 128 * nb + 64 * sb + 32 * n + 16 * h).v[0],
                 scales | uint(U16(row + 208 * nb + 2 * sb).v[0]) << 16);
}

// Reads part i of a row of FORMAT.
RawPart fetch_part(uint64_t row, uint i, uint n_cols) {
#if FORMAT == Q4_K || FORMAT == Q5_K
  return fetch_k4(row, i, FORMAT == Q5_K);
#elif FORMAT == Q6_K_PLANES
  return fetch_q6_k_planes(row, i, n_cols);
#elif FORMAT == Q8_0_PLANES
  uint scale = uint(U16(row + n_cols + 2 * (i / 2)).v[0]);
  return RawPart(U32x4(row + 16 * i).v[0], uvec4(0), uvec4(0), scale);
#else
  Octet x = octet_of(row, 2 * i, n_cols), y = octet_of(row, 2 * i + 1, n_cols);
  uvec2 scales = floatBitsToUint(vec2(x.scale, x.minimum));
  return RawPart(uvec4(x.codes, y.codes), uvec4(scales, 0, 0), uvec4(0), 0);
#endif
}

Part part_of(RawPart raw, uint i) {
#if FORMAT == Q4_K || FORMAT == Q5_K
  vec2 scales = scales_k4(raw.b, i % 16 / 2);
  return Part(codes_k4(raw.a, raw.c, i % 16 / 2, i / 2 % 2, FORMAT == Q5_K), scales.x, scales.y, i);
#elif FORMAT == Q6_K_PLANES
  int scale = bitfieldExtract(int(raw.d), int(8 * (i % 2)), 8);
  return Part(codes_q6_k(raw.a, raw.c, i / 2 % 2, i % 8 / 4), half_of(raw.d >> 16) * float(scale), 0, i);
#elif FORMAT == Q8_0_PLANES
  return Part(raw.a, half_of(raw.d), 0, i);
#else
  return Part(raw.a, uintBitsToFloat(raw.b.x), uintBitsToFloat(raw.b.y), i);
#endif
}

// Thirty-two weights, [32 at, 32 at + 32) of their row. Their two halves can have different scales.
struct Block {
  uvec4 first, second;
  vec2 scale, minimum;
  uint at;
};

// How many blocks of a row an invocation reads at once: as many as lie in the same words.
uint blocks_of_step(uint format) {
  return format == Q6_K_PLANES || format == Q4_K || format == Q5_K ? 2 : 1;
}

// Returns d a and d b exactly, where a and b are the low and the high byte of `bytes`, unsigned.
vec2 scaled_bytes(float d, uint bytes) {
  vec2 large = uintBitsToFloat(uvec2(bytes & 255, bytes >> 8) | 0x4b000000u);
  return fma(vec2(d), large, vec2(-8388608.0 * d));
}

void step_k4(uint64_t row, uint s, bool q5, out Block blocks[2]) {
  uint64_t block = row + (s / 4) * (q5 ? 176 : 144);
  uint j = s % 4;  // one of four pairs of sub-blocks
  uvec4 head = U32x4(block).v[0];
  U32x4 bytes = U32x4(block + (q5 ? 48 : 16) + 32 * j);
  uvec4 first = bytes.v[0], second = bytes.v[1];
  uvec4 high0 = q5 ? U32x4(block).v[1] : uvec4(0), high1 = q5 ? U32x4(block).v[2] : uvec4(0);
  uvec3 six = head.yzw >> 16 * (j % 2) & 0xffff;  // laid out as in scales_k4()
  bool low = j < 2;
  uint scales = low ? six.x & 0x3f3f : (six.z & 0x0f0f) | (six.x >> 2 & 0x3030);
  uint minimums = low ? six.y & 0x3f3f : (six.z >> 4 & 0x0f0f) | (six.y >> 2 & 0x3030);
  vec2 d = unpackHalf2x16(head.x);
  vec2 scale = scaled_bytes(d.x, scales), minimum = scaled_bytes(d.y, minimums);
  [[unroll]] for (uint k = 0; k < 2; ++k)
    blocks[k] = Block(codes_k4(first, high0, 2 * j + k, k, q5), codes_k4(second, high1, 2 * j + k, k, q5),
                      vec2(scale[k]), vec2(minimum[k]), s / 4 * 8 + 2 * j + k);
}

// Converts two signed bytes to floats.
vec2 signed_bytes(uint bytes) {
  uint both = bytes ^ 0x8080;
  return uintBitsToFloat(uvec2(both & 255, both >> 8 & 255) | 0x4b000000u) - 8388736.0;
}

void step_q6_k_planes(uint64_t row, uint s, uint n_cols, out Block blocks[2]) {
  uint sb = s / 4, n = s % 4 / 2, j = s % 2, nb = n_cols / 256;
  U32x4 low = U32x4(row + 128 * sb + 64 * n + 32 * j);
  U32x4 high = U32x4(row + 128 * nb + 64 * sb + 32 * n);
  uvec4 low0 = low.v[0], low1 = low.v[1], high0 = high.v[0], high1 = high.v[1];
  uvec2 scales = U32x2(row + 192 * nb + 16 * sb + 8 * n).v[0] >> 16 * j;
  float d = half_of(U16(row + 208 * nb + 2 * sb).v[0]);
  [[unroll]] for (uint k = 0; k < 2; ++k)
    blocks[k] = Block(codes_q6_k(low0, high0, j, k), codes_q6_k(low1, high1, j, k),
                      d * signed_bytes(scales[k]), vec2(0), sb * 8 + 4 * n + j + 2 * k);
}

void load_step(uint64_t row, uint s, uint n_cols, out Block blocks[2]) {
#if FORMAT == Q4_K || FORMAT == Q5_K
  step_k4(row, s, FORMAT == Q5_K, blocks);
#elif FORMAT == Q6_K_PLANES
  step_q6_k_planes(row, s, n_cols, blocks);
#elif FORMAT == Q8_0_PLANES
  U32x4 codes = U32x4(row + 32 * s);
  blocks[0] = Block(codes.v[0], codes.v[1], vec2(half_of(U16(row + n_cols + 2 * s).v[0])), vec2(0), s);
#else
  Octet a = octet_of(row, 4 * s, n_cols), b = octet_of(row, 4 * s + 1, n_cols);
  Octet c = octet_of(row, 4 * s + 2, n_cols), d = octet_of(row, 4 * s + 3, n_cols);
  blocks[0] = Block(uvec4(a.codes, b.codes), uvec4(c.codes, d.codes), vec2(a.scale, c.scale),
                    vec2(a.minimum, c.minimum), s);
#endif
}

// The same formats in smaller steps, with as many parts as lie in the same words. Neighbouring
// invocations then read activations that are closer together, and activations are most of what is
// read if they have several rows. On an H200, 8 rows took 6.8 ms for a model of 8 billion weights
// in Q4_K, and 8.5 ms in blocks.
#define has_small_steps(format) \
  ((format) == Q6_K_PLANES || (format) == Q4_K || (format) == Q5_K)
#define parts_of_step(format) ((format) == Q6_K_PLANES ? 4u : 2u)

void parts_k4(uint64_t row, uint s, bool q5, out Part parts[4]) {
  uint64_t block = row + (s / 8) * (q5 ? 176 : 144);
  uint j = s % 8 / 2, h = s % 2;
  uvec4 head = U32x4(block).v[0], bytes = U32x4(block + (q5 ? 48 : 16) + 32 * j + 16 * h).v[0];
  uvec4 high = q5 ? U32x4(block + 16 + 16 * h).v[0] : uvec4(0);
  [[unroll]] for (uint k = 2 * j; k < 2 * j + 2; ++k) {
    vec2 scales = scales_k4(head, k);
    parts[k % 2] = Part(codes_k4(bytes, high, k, k % 2, q5), scales.x, scales.y, s / 8 * 16 + 2 * k + h);
  }
}

void parts_q6_k_planes(uint64_t row, uint s, uint n_cols, out Part parts[4]) {
  uint sb = s / 4, n = s % 4 / 2, h = s % 2, nb = n_cols / 256;
  uint64_t low = row + 128 * sb + 64 * n + 16 * h;
  uvec4 first = U32x4(low).v[0], second = U32x4(low + 32).v[0];
  uvec4 high = U32x4(row + 128 * nb + 64 * sb + 32 * n + 16 * h).v[0];
  uvec2 scales = U32x2(row + 192 * nb + 16 * sb + 8 * n).v[0];
  float d = half_of(U16(row + 208 * nb + 2 * sb).v[0]);
  [[unroll]] for (uint j = 0; j < 4; ++j) {
    int scale = bitfieldExtract(int(scales[j / 2]), int(16 * (j % 2) + 8 * h), 8);
    parts[j] = Part(codes_q6_k(j % 2 == 0 ? first : second, high, j % 2, j / 2), d * float(scale), 0,
                    sb * 16 + 8 * n + 2 * j + h);
  }
}

void load_small_step(uint64_t row, uint s, uint n_cols, out Part parts[4]) {
#if FORMAT == Q4_K || FORMAT == Q5_K
  parts_k4(row, s, FORMAT == Q5_K, parts);
#elif FORMAT == Q6_K_PLANES
  parts_q6_k_planes(row, s, n_cols, parts);
#endif
}
