// SPDX-License-Identifier: MIT
#include "app/tools/npy.h"

#include <fmt/format.h>

#include <bit>

#include "app/save_file.h"

namespace confab::app {

static_assert(std::endian::native == std::endian::little, "'<f4' is written as it lies in memory");

NpyWriter::NpyWriter(const std::string& path, std::int64_t n_rows, std::int64_t n_cols)
    : out_(output_file(path, Existing::replace)) {
  std::string header = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", n_rows, n_cols);
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  std::string front = "\x93NUMPY";
  for (const int byte : {1, 0, length & 0xFF, length >> 8}) front += static_cast<char>(byte);
  out_.write(std::as_bytes(std::span(front += header)));
}

void NpyWriter::write(std::span<const float> values) {
  out_.write(std::as_bytes(values));
}

void NpyWriter::close() {
  out_.commit();
}

}  // namespace confab::app
