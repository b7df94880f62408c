// SPDX-License-Identifier: MIT
// Writes a float32 matrix as a NumPy file, row by row.
//
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "engine/gguf/atomic_file.h"

namespace confab::app {

class NpyWriter {
 public:
  // Starts PATH for a [n_rows, n_cols] matrix in C order; it appears, or is replaced, with close().
  // All throw UserError or ModelError when that is not a file that can be written.
  NpyWriter(const std::string& path, std::int64_t n_rows, std::int64_t n_cols);
  void write(std::span<const float> values);  // further values, in order
  void close();

 private:
  engine::AtomicFile out_;
};

}  // namespace confab::app
