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
  // Starts the file for a [n_rows, n_cols] matrix in C order. It appears, or replaces an existing
  // file, on close(). All functions throw UserError or ModelError if the file cannot be written.
  NpyWriter(const std::string& path, std::int64_t n_rows, std::int64_t n_cols);
  void write(std::span<const float> values);  // appends values, in order
  void close();

 private:
  engine::AtomicFile out_;
};

}  // namespace confab::app
