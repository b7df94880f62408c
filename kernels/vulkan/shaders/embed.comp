// SPDX-License-Identifier: MIT
// x = rows of the embedding table, scaled. Invocations along x handle octets of a row, workgroups
// along y rows.
#include "common.glsl"
#include "formats.glsl"

// The format of the table. Each format is compiled as a separate program (kernels/CMakeLists.txt).
const uint kFormat = FORMAT;

layout(push_constant, scalar) uniform Arguments {
  uint64_t table;
  uint64_t rows;
  uint64_t x;  // [n, n_embd]
  uint64_t grid;
  uint n_embd;
  uint row_bytes;
  float scale;
} a;

void main() {
  grid = a.grid;
  uint i = gl_GlobalInvocationID.x, t = gl_WorkGroupID.y;
  if (i >= a.n_embd / 8) return;
  uint64_t row = a.table + uint64_t(Rows(a.rows).v[t].token) * a.row_bytes;
  Floats8 f = floats_of(kFormat, row, i, a.n_embd);
  F32x4 to = F32x4(a.x + 4 * (uint64_t(t) * a.n_embd + 8 * i));
  to.v[0] = a.scale * f.a;
  to.v[1] = a.scale * f.b;
}
