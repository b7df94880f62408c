// SPDX-License-Identifier: MIT
// What programs take and give that multiply a matrix, or one of many for each tile, by several rows
// of activations. The workgroups' y is their tile of these.

// FORMAT: of W; each is a program of its own (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;
const bool kFloat = is_float(FORMAT);
layout(constant_id = 1) const bool kAdds = false;  // y += added * product, else y = product
layout(constant_id = 2) const bool kExperts = false;  // W of many, one a tile of activations

layout(push_constant, scalar) uniform Arguments {
  uint64_t w;      // [n_rows] rows of row_bytes
  uint64_t bias;   // [n_rows] or 0
  Packed x;        // [n_tokens, n_cols]; codes: or floats, or f16 for matrix cores
  uint64_t y;      // [n_tokens, n_rows]
  uint64_t tiles;  // of experts, as group.comp has them
  uint64_t expert_bytes;
  uint64_t grid;
  uint n_rows;
  uint n_cols;     // a multiple of 32; of floats, of 4
  uint row_bytes;
  uint n_tokens;
  float scale;
  float added;
} a;

// What the workgroup has: of W, of its bias, and the end of its rows of activations.
uint64_t w, bias;
uint t_end;

// The first row of activations of the workgroup's tile; t_end where it has none.
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

// The place of a row of W, and the first value of one of activations: the last ones past the end.
uint64_t w_row(uint row) { return w + uint64_t(min(row, a.n_rows - 1)) * a.row_bytes; }
uint64_t x_row(uint t) { return uint64_t(min(t, t_end - 1)) * a.n_cols; }

// The product of a row of W and one of activations, where there are such rows.
void put_product(uint row, uint t, float product) {
  if (row >= a.n_rows || t >= t_end) return;
  float y = product * a.scale;
  if (bias != 0) y += F32s(bias).v[row];
  F32s at = F32s(a.y + 4 * (uint64_t(t) * a.n_rows + row));
  at.v[0] = kAdds ? at.v[0] + a.added * y : y;
}
