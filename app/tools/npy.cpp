// SPDX-License-Identifier: MIT
#include "app/tools/npy.h"

#include <fmt/format.h>

#include <bit>

#include "app/error.h"
#include "app/paths.h"

namespace confab::app {

static_assert(std::endian::native == std::endian::little, "'<f4' is written as it lies in memory");

NpyWriter::NpyWriter(const std::string& path, std::int64_t n_rows, std::int64_t n_cols)
    : path_(path), out_(expand_home(path), std::ios::binary | std::ios::trunc) {
  if (!out_) throw UserError(fmt::format("{}: cannot be written", path));
  std::string header = fmt::format(
      "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", n_rows, n_cols);
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  while ((kPreamble + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  out_ << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(length & 0xFF)
       << static_cast<char>(length >> 8) << header;
}

void NpyWriter::write(std::span<const float> values) {
  const std::span<const std::byte> bytes = std::as_bytes(values);
  // A stream writes chars; bytes may be looked at as chars.
  out_.write(static_cast<const char*>(static_cast<const void*>(bytes.data())),
             static_cast<std::streamsize>(bytes.size()));
}

void NpyWriter::close() {
  out_.close();
  if (!out_) throw UserError(fmt::format("{}: not fully written: is the disk full?", path_));
}

}  // namespace confab::app
