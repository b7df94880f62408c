// SPDX-License-Identifier: MIT
// Writes a float32 matrix as a NumPy file, row by row.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0.
#pragma once

#include <cstdint>
#include <fstream>
#include <span>
#include <string>

namespace confab::app {

class NpyWriter {
 public:
  // Starts PATH for a [n_rows, n_cols] matrix in C order. Throws UserError when it cannot be
  // written.
  NpyWriter(const std::string& path, std::int64_t n_rows, std::int64_t n_cols);
  void write(std::span<const float> values);  // further values, in order
  void close();                               // throws UserError when the disk refused something

 private:
  std::string path_;
  std::ofstream out_;
};

}  // namespace confab::app
