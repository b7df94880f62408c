// SPDX-License-Identifier: MIT
// Octets of the formats whose weights are entries of a grid (kernels/block_iq.h). Include it after
// the rest of formats.glsl. Only the function for FORMAT is compiled.
#define has_grid(format) ((format) >= IQ2_XXS && (format) <= IQ1_S || (format) == IQ3_S || \
                          (format) == IQ2_S || (format) == IQ1_M)

uint64_t grid;  // laid out as in kernels/iq_grids.h; main() sets it

#if has_grid(FORMAT)
// Negates the bytes whose bits are set. No byte may be 0.
uvec2 negate(uvec2 magnitudes, uint bits) {
  uvec2 ones = spread8(bits);
  return (magnitudes ^ 255 * ones) + ones;
}
// Adds an eighth bit to seven, so that an even number of bits is set.
uint even_signs(uint bits) { return bits | (bitCount(bits) & 1) << 7; }

uvec2 eight_of(uint index) { return U32x2(grid).v[index]; }
uvec2 twice_four_of(uint first, uint second) {
  return uvec2(U32(grid).v[first], U32(grid).v[second]);
}
#endif

#if FORMAT == IQ2_XXS
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 66;
  uint64_t sub = block + 2 + 8 * (i % 32 / 4);
  uint rest = word16(sub + 4);
  uvec2 codes = negate(eight_of(uint(U8(sub).v[i % 4])), even_signs(rest >> (7 * (i % 4)) & 127));
  return Octet(codes, half_of(U16(block).v[0]) * (0.5 + float(rest >> 28)) * 0.25, 0);
}
#elif FORMAT == IQ2_XS || FORMAT == IQ2_S
// Two octets share a scale of four bits.
float scale_of_half(uint64_t block, uint64_t scales, uint o) {
  uint s = uint(U8(scales).v[o / 4]) >> (4 * (o / 2 % 2)) & 15;
  return half_of(U16(block).v[0]) * (0.5 + float(s)) * 0.25;
}
#if FORMAT == IQ2_XS
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 74;
  uint o = i % 32, q = uint(U16(block + 2).v[o]);
  return Octet(negate(eight_of(q & 511), even_signs(q >> 9)), scale_of_half(block, block + 66, o), 0);
}
#else
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 82;
  uint o = i % 32, high = uint(U8(block + 66).v[o / 4]) >> (2 * (o % 4)) & 3;
  uvec2 codes = negate(eight_of(uint(U8(block + 2).v[o]) | high << 8), uint(U8(block + 34).v[o]));
  return Octet(codes, scale_of_half(block, block + 74, o), 0);
}
#endif
#elif FORMAT == IQ3_XXS
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 98;
  uint o = i % 32, q = uint(U16(block + 2).v[o]), rest = word16(block + 66 + 4 * (o / 4));
  uvec2 codes = negate(twice_four_of(q & 255, q >> 8), even_signs(rest >> (7 * (o % 4)) & 127));
  return Octet(codes, half_of(U16(block).v[0]) * (0.5 + float(rest >> 28)) * 0.5, 0);
}
#elif FORMAT == IQ3_S
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 110;
  uint o = i % 32, j = o / 4, q = uint(U16(block + 2).v[o]);
  uint high = uint(U8(block + 66).v[j]) >> (2 * (o % 4));
  uvec2 codes = negate(twice_four_of(q & 255 | (high & 1) << 8, q >> 8 | (high & 2) << 7),
                       uint(U8(block + 74).v[o]));
  uint s = uint(U8(block + 106).v[j / 2]) >> (4 * (j % 2)) & 15;
  return Octet(codes, half_of(U16(block).v[0]) * float(2 * s + 1), 0);
}
#elif FORMAT == IQ1_S
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 50;
  uint o = i % 32, qh = uint(U16(block + 34).v[o / 4]), high = qh >> (3 * (o % 4)) & 7;
  uvec2 eighths = eight_of(uint(U8(block + 2).v[o]) | high << 8);
  float scale = half_of(U16(block).v[0]) * 0.125 * float(2 * (qh >> 12 & 7) + 1);
  return Octet(less(eighths, (qh & 0x8000u) != 0 ? 9 : 7), scale, 0);
}
#elif FORMAT == IQ1_M
Octet octet_of_grid(uint64_t row, uint i) {
  uint64_t block = row + (i / 32) * 56;
  uint o = i % 32, half_ = uint(U8(block + 32).v[o / 2]) >> (4 * (o % 2)) & 15;
  uvec2 eighths = eight_of(uint(U8(block).v[o]) | (half_ & 7) << 8);
  uvec2 scales = words16(block + 48);  // four words: 12 bits of scales, then 4 bits of d
  uint d = (scales.x >> 12 & 15) | scales.x >> 28 << 4 | (scales.y >> 12 & 15) << 8 |
           scales.y >> 28 << 12;
  uint s = scales[o / 16] >> (16 * (o / 8 % 2) + 3 * (o / 2 % 4)) & 7;
  return Octet(less(eighths, (half_ & 8) != 0 ? 9 : 7), half_of(d) * 0.125 * float(2 * s + 1), 0);
}
#endif
