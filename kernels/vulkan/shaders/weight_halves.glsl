// SPDX-License-Identifier: MIT
// Converts weights of FORMAT to f16 for matrix cores. Include it after formats.glsl and parts.glsl.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

// Weights in f16 are multiplied by this, so that their scales do not fall below its range.
const float kLarger = 64;

// Reads columns [16 i, 16 i + 16) of a row of W as they are stored; F32 becomes f16 at once. F16 read
// in fours made a prompt 2.2 times slower.
RawPart fetch_weights(uint64_t row, uint i) {
#if FORMAT == F16 || FORMAT == BF16
  U32x4 x = U32x4(row + 32 * i);
  return RawPart(x.v[0], x.v[1], uvec4(0), 0);
#elif FORMAT == F32
  Floats8 x = floats_of(FORMAT, row, 2 * i, a.n_cols), y = floats_of(FORMAT, row, 2 * i + 1, a.n_cols);
  return RawPart(uvec4(halves_of(kLarger * x.a), halves_of(kLarger * x.b)),
                 uvec4(halves_of(kLarger * y.a), halves_of(kLarger * y.b)), uvec4(0), 0);
#else
  return fetch_part(row, i, a.n_cols);
#endif
}

// Converts sixteen weights to f16: the first eight, and the last eight.
void halves_of_part(Part part, out uvec4 first, out uvec4 second) {
  f16vec2 scale = f16vec2(kLarger * part.scale), minimum = f16vec2(kLarger * part.minimum);
  first = uvec4(halves_of_codes(part.codes.x, scale, minimum),
                halves_of_codes(part.codes.y, scale, minimum));
  second = uvec4(halves_of_codes(part.codes.z, scale, minimum),
                 halves_of_codes(part.codes.w, scale, minimum));
}

// Eight values in pairs of 16 bits, in the order of halves_of(): of each four the first and the
// third, then the others.
uvec4 in_order(uvec4 pairs) {
  return uvec4(pairs.x & 0xffffu | pairs.y << 16, pairs.x >> 16 | pairs.y & 0xffff0000u,
               pairs.z & 0xffffu | pairs.w << 16, pairs.z >> 16 | pairs.w & 0xffff0000u);
}

uvec4 halves_of_f16(uvec4 pairs) {
  pairs = in_order(pairs);
  for (uint i = 0; i < 4; ++i)
    pairs[i] = packFloat2x16(unpackFloat2x16(pairs[i]) * f16vec2(kLarger));
  return pairs;
}

uvec4 halves_of_bf16(uvec4 pairs) {
  pairs = in_order(pairs);
  for (uint i = 0; i < 4; ++i)
    pairs[i] = packHalf2x16(kLarger * uintBitsToFloat(uvec2(pairs[i] << 16, pairs[i] & 0xffff0000u)));
  return pairs;
}

// Converts what fetch_weights() returned to f16: the first eight columns, and the last eight.
void unpack_weights(RawPart raw, uint i, out uvec4 first, out uvec4 second) {
#if FORMAT == F16
  first = halves_of_f16(raw.a);
  second = halves_of_f16(raw.b);
#elif FORMAT == BF16
  first = halves_of_bf16(raw.a);
  second = halves_of_bf16(raw.b);
#elif FORMAT == F32
  first = raw.a;
  second = raw.b;
#else
  halves_of_part(part_of(raw, i), first, second);
#endif
}

// Products of such weights and activations have to be multiplied by this.
const float kProductScale = 1 / (kLarger * kSmaller);
