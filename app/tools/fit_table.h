// SPDX-License-Identifier: MIT
// `confab fit --table`: which sizes of models, in how many bits, fit into so much memory.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace confab::app {

struct FitRow {
  std::string_view size;  // "8B"
  std::string_view name;
  std::string_view type;  // "Q4_K_M"
  std::uint64_t weights_bytes = 0;
  std::uint64_t bytes_8k = 0;  // of everything, with a context of 8192 tokens
  std::uint64_t bytes_32k = 0;
  int n_ctx = 0;                 // the longest that fits, up to the model's own limit; 0: none does
  bool from_disk = false;        // a mixture, of which all but the experts fits: n_ctx is 0 then
  double tokens_per_second = 0;  // at most, by the memory's bandwidth; 0: not known, or not so
};

// read_gbs: bytes a second that memory gives, in units of 1e9; 0: not measured.
std::vector<FitRow> fit_rows(std::uint64_t memory_bytes, double read_gbs);

// `about`: what the memory is, in a line.
void print_fit_table(const std::vector<FitRow>& rows, std::string_view about, std::ostream& out);
void print_fit_table_json(const std::vector<FitRow>& rows, std::uint64_t memory_bytes,
                          double read_gbs, std::ostream& out);

}  // namespace confab::app
