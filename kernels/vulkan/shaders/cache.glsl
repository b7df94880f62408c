// SPDX-License-Identifier: MIT
// Where rows of the cache lie, for programs whose arguments name its tables and pages.
const uint kPageTokens = 256;

// Of a row of n values.
uint row_bytes(uint type, uint n) { return type == F32 ? 4 * n : type == F16 ? 2 * n : n / 32 * 34; }

// The row of a position of a sequence; offset: of its layer's keys or values in a page, whose rows
// have so many bytes.
uint64_t cache_row(Row row, uint pos, uint offset, uint bytes, uint head_kv) {
  uint page = U32(a.tables).v[row.table + pos / kPageTokens];
  return a.pages + uint64_t(page) * a.page_bytes + offset +
         uint64_t(bytes) * (head_kv * kPageTokens + pos % kPageTokens);
}
