// SPDX-License-Identifier: MIT
// What programs take that work on heads of queries, keys and values, and where rows of the cache
// lie; after common.glsl and formats.glsl.
layout(constant_id = 1) const uint kTypeK = Q8_0;
layout(constant_id = 2) const uint kTypeV = Q8_0;
layout(constant_id = 3) const uint kDimK = 128;
layout(constant_id = 4) const uint kDimV = 128;
layout(constant_id = 5) const uint kHeads = 32;
layout(constant_id = 6) const uint kHeadsKv = 8;

// What a pass hands on lies in two ranges of memory, in units of 16 bytes from their begin.
layout(push_constant, scalar) uniform Arguments {
  uint64_t device;
  uint64_t both;
  uint64_t q_norm;  // weights
  uint64_t k_norm;
  uint64_t sinks;   // [kHeads] or 0
  // Of what both sides see.
  uint rows;
  uint tables;      // addresses of pages
  uint angles;      // [n, kRot / 2] cosines and sines
  // Of the device's own.
  uint q;           // [n, kHeads, kDimK]
  uint k;           // [n, kHeadsKv, kDimK]
  uint v;           // [n, kHeadsKv, kDimV]
  uint sums;        // [n, kHeads, n_ranges, kDimV]
  uint weights;     // [n, kHeads, n_ranges]: the largest score, and the sum of all weights
  uint n_done;      // [n, groups]: ranges of these that were; 0 before and after
  uint codes;       // of the attended, [n, kHeads * kDimV] packed; where not packed, floats
  uint scales;
  uint code_sums;
  uint halves;      // [n, kHeads * kDimV] f16, or 0
  // Of a page.
  uint k_offset;
  uint v_offset;
  uint n_range;     // positions of a range, a multiple of 64
} a;

uint64_t of_device(uint units) { return a.device + 16 * uint64_t(units); }
uint64_t of_both(uint units) { return a.both + 16 * uint64_t(units); }
Row row_of(uint t) { return Rows(of_both(a.rows)).v[t]; }

const uint kPageTokens = 256;

// Of a row of n values.
uint row_bytes(uint type, uint n) { return type == F32 ? 4 * n : type == F16 ? 2 * n : n / 32 * 34; }

// The row of a position of a sequence; offset: of its layer's keys or values in a page, whose rows
// have so many bytes.
uint64_t cache_row(Row row, uint pos, uint offset, uint bytes, uint head_kv) {
  uint64_t page = U64(of_both(a.tables)).v[row.table + pos / kPageTokens];
  return page + offset + uint64_t(bytes) * (head_kv * kPageTokens + pos % kPageTokens);
}
uint64_t key_row(Row row, uint pos, uint head_kv) {
  return cache_row(row, pos, a.k_offset, row_bytes(kTypeK, kDimK), head_kv);
}
uint64_t value_row(Row row, uint pos, uint head_kv) {
  return cache_row(row, pos, a.v_offset, row_bytes(kTypeV, kDimV), head_kv);
}
