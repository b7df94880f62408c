// SPDX-License-Identifier: MIT
// Converts weights of FORMAT to f16 for matrix cores. Include it after formats.glsl and parts.glsl.
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

// Weights in f16 are multiplied by this, so that their scales do not fall below its range.
const float kLarger = 64;

// Reads columns [16 i, 16 i + 16) of a row of W as they are stored; floats become f16 at once.
RawPart fetch_weights(uint64_t row, uint i) {
#if is_float(FORMAT)
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

// Converts what fetch_weights() returned to f16: the first eight columns, and the last eight.
void unpack_weights(RawPart raw, uint i, out uvec4 first, out uvec4 second) {
#if is_float(FORMAT)
  first = raw.a;
  second = raw.b;
#else
  halves_of_part(part_of(raw, i), first, second);
#endif
}

// Products of such weights and activations have to be multiplied by this.
const float kProductScale = 1 / (kLarger * kSmaller);
