// SPDX-License-Identifier: MIT
// Arguments of the programs that multiply a matrix, or a different matrix for each tile, by many
// rows of activations. A workgroup's y is its tile of activations.

// The format of W. Each format is compiled as a separate program (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
const bool kFloat = is_float(FORMAT);
layout(constant_id = 1) const bool kAdds = false;  // y += added * product, else y = product
layout(constant_id = 2) const bool kExperts = false;  // each tile of activations has its own W

layout(push_constant, scalar) uniform Arguments {
  uint64_t w;      // [n_rows] rows of row_bytes
  uint64_t bias;   // [n_rows] or 0
  Packed x;        // [n_tokens, n_cols]; `codes` can be floats, or f16 for matrix cores
  uint64_t y;      // [n_tokens, n_rows]
  uint64_t tiles;  // for experts, as group.comp writes them
  uint64_t expert_bytes;
  uint64_t grid;
  uint n_rows;
  uint n_cols;     // a multiple of 32, or of 4 for floats
  uint row_bytes;
  uint n_tokens;
  float scale;
  float added;
} a;

// The workgroup's W and its bias, and the end of the workgroup's rows of activations.
uint64_t w, bias;
uint t_end;

// Returns the first row of activations of the workgroup's tile, which has no rows if that is not
// below t_end.
uint take_tile(uint n_tile) {
  grid = a.grid;
  w = a.w;
  bias = a.bias;
  t_end = a.n_tokens;
  if (!kExperts) return gl_WorkGroupID.y * n_tile;
  U32 tile = U32(a.tiles + 12 * gl_WorkGroupID.y);
  w += uint64_t(tile.v[0]) * a.expert_bytes;
  if (bias != 0) bias += 4 * uint64_t(tile.v[0]) * a.n_rows;
  t_end = tile.v[2];
  return tile.v[1];
}

// The address of a row of W, and the index of the first value of a row of activations. Past the
// end, both return the last row.
uint64_t w_row(uint row) { return w + uint64_t(min(row, a.n_rows - 1)) * a.row_bytes; }
uint64_t x_row(uint t) { return uint64_t(min(t, t_end - 1)) * a.n_cols; }

// Stores the product of a row of W and a row of activations, if both exist.
void put_product(uint row, uint t, float product) {
  if (row >= a.n_rows || t >= t_end) return;
  float y = product * a.scale;
  if (bias != 0) y += F32s(bias).v[row];
  F32s at = F32s(a.y + 4 * (uint64_t(t) * a.n_rows + row));
  at.v[0] = kAdds ? at.v[0] + a.added * y : y;
}
