// SPDX-License-Identifier: MIT
// Constants and arguments of the programs that work on heads of queries, keys and values, and the
// addresses of rows in the cache. Include it after common.glsl and formats.glsl.
layout(constant_id = 1) const uint kTypeK = Q8_0;
layout(constant_id = 2) const uint kTypeV = Q8_0;
layout(constant_id = 3) const uint kDimK = 128;
layout(constant_id = 4) const uint kDimV = 128;
layout(constant_id = 5) const uint kHeads = 32;
layout(constant_id = 6) const uint kHeadsKv = 8;

// A pass keeps its data in two ranges of memory. The offsets below are in units of 16 bytes from
// the beginning of one of them.
layout(push_constant, scalar) uniform Arguments {
  uint64_t device;
  uint64_t both;
  uint64_t q_norm;  // weights
  uint64_t k_norm;
  uint64_t sinks;   // [kHeads] or 0
  // Offsets in `both`, which the processor sees too.
  uint rows;
  uint tables;      // addresses of pages
  uint angles;      // [n, kRot / 2] cosines and sines
  // Offsets in `device`, the device's own memory.
  uint q;           // [n, kHeads, kDimK]
  uint k;           // [n, kHeadsKv, kDimK]
  uint v;           // [n, kHeadsKv, kDimV]
  uint sums;        // [n, kHeads, n_ranges, kDimV]
  uint weights;     // [n, kHeads, n_ranges]: the largest score, and the sum of all weights
  uint n_done;      // [n, groups]: how many ranges are done; 0 before and after a pass
  uint codes;       // what heads attend to, [n, kHeads * kDimV]: packed, or floats
  uint scales;
  uint code_sums;
  uint halves;      // [n, kHeads * kDimV] f16, or 0
  // Offsets in a page, in bytes.
  uint k_offset;
  uint v_offset;
  uint n_range;     // positions of a range, a multiple of 64
  uint n_rows;
} a;

uint64_t of_device(uint units) { return a.device + 16 * uint64_t(units); }
uint64_t of_both(uint units) { return a.both + 16 * uint64_t(units); }
Row row_of(uint t) { return Rows(of_both(a.rows)).v[t]; }

const uint kPageTokens = 256;

// The bytes of a row of n values.
uint row_bytes(uint type, uint n) { return type == F32 ? 4 * n : type == F16 ? 2 * n : n / 32 * 34; }

// The page that holds a position of a sequence.
uint64_t page_of(Row row, uint pos) { return U64(of_both(a.tables)).v[row.table + pos / kPageTokens]; }

// The address of a position's row in its page, for a head of keys or of values.
uint64_t key_in(uint64_t page, uint pos, uint head_kv) {
  return page + a.k_offset + uint64_t(row_bytes(kTypeK, kDimK)) * (head_kv * kPageTokens + pos % kPageTokens);
}
uint64_t value_in(uint64_t page, uint pos, uint head_kv) {
  return page + a.v_offset + uint64_t(row_bytes(kTypeV, kDimV)) * (head_kv * kPageTokens + pos % kPageTokens);
}

// Eight values of such a row as the cache stores them: floats, or codes with a scale.
struct Kept {
  Floats8 floats;
  Octet octet;
};
Kept kept_of(uint type, uint64_t row, uint i, uint n) {
  Kept kept;
  if (type == Q8_0) kept.octet = octet_of(row, i, n);
  else kept.floats = floats_of(type, row, i, n);
  return kept;
}
Floats8 floats_of(uint type, Kept kept) {
  if (type != Q8_0) return kept.floats;
  return Floats8(kept.octet.scale * codes_of(kept.octet.codes.x), kept.octet.scale * codes_of(kept.octet.codes.y));
}

// Reads block b of 32 values. A Q8_0 block has 34 bytes: a scale of two bytes, then the codes.
// Either the scale or the codes begin at a multiple of four. Words are read from there, and the
// last two bytes on their own.
void block_of(uint type, uint64_t row, uint b, uint n, out Kept kept[4]) {
  if (type != Q8_0) {
    [[unroll]] for (uint o = 0; o < 4; ++o) kept[o] = kept_of(type, row, min(4 * b + o, (n - 1) / 8), n);
    return;
  }
  uint64_t block = row + 34 * b;
  bool scale_first = (uint(block) & 2) == 0;
  U32 words = U32(scale_first ? block : block + 2);
  uint word[9];
  [[unroll]] for (uint i = 0; i < 8; ++i) word[i] = words.v[i];
  word[8] = uint(U16(scale_first ? block + 32 : block).v[0]);
  float scale = half_of(scale_first ? word[0] & 0xffffu : word[8]);
  [[unroll]] for (uint i = 0; i < 8; ++i)
    if (scale_first) word[i] = word[i] >> 16 | word[i + 1] << 16;
  [[unroll]] for (uint o = 0; o < 4; ++o) kept[o].octet = Octet(uvec2(word[2 * o], word[2 * o + 1]), scale, 0);
}
