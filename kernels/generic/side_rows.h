// SPDX-License-Identifier: MIT
// Converts rows of weights whose scales are in a separate tensor (side_scales.h) to f32, over the
// vocabulary S of an instruction set.
#pragma once

#include <cstring>

#include "kernels/unpack/side.h"

namespace confab::kernels::generic {

// Each struct loads a vector of codes as numbers that must be multiplied by kFactor.
template <class S>
struct Mlx4Codes {
  static constexpr int kPerByte = 2;
  static constexpr float kFactor = 1;
  static typename S::F load(const std::byte* p) noexcept { return S::load_u4(p); }
};
template <class S>
struct Mlx8Codes {
  static constexpr int kPerByte = 1;
  static constexpr float kFactor = 1;
  static typename S::F load(const std::byte* p) noexcept { return S::load_u8(p); }
};
template <class S>
struct E2M1Codes {
  static constexpr int kPerByte = 2;
  static constexpr float kFactor = 0.5F;
  static typename S::F load(const std::byte* p) noexcept { return S::load_e2m1(p); }
};
template <class S>
struct E4M3Codes {
  static constexpr int kPerByte = 1;
  static constexpr float kFactor = 256;
  static typename S::F load(const std::byte* p) noexcept { return S::load_e4m3(p); }
};

// The first n of a vector, followed by zeros.
template <class S, class Codes>
typename S::F load_codes_n(const std::byte* p, std::int64_t n) noexcept {
  std::byte codes[S::kLanes] = {};
  std::memcpy(codes, p, static_cast<std::size_t>((n + Codes::kPerByte - 1) / Codes::kPerByte));
  return Codes::load(codes);
}

template <class S>
class SideRows {
 public:
  // Calls call() with an object of the struct above that matches the type.
  template <typename Call>
  static void with_codes(Dtype dtype, Call call) noexcept {
    if (dtype == Dtype::MLX4) return call(Mlx4Codes<S>());
    if (dtype == Dtype::MLX8) return call(Mlx8Codes<S>());
    if (dtype == Dtype::E2M1) return call(E2M1Codes<S>());
    return call(E4M3Codes<S>());
  }

  // Columns [c, c + n) of a row. c is a multiple of 32.
  static void decode(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                     float* out) noexcept {
    with_codes(w.dtype, [&](auto codes) { decode_codes<decltype(codes)>(w, row, c, n, out); });
  }

 private:
  template <class Codes>
  static void decode_codes(const WeightRows& w, std::int64_t row, std::int64_t c, std::int64_t n,
                           float* out) noexcept {
    const std::byte* codes = w.data + static_cast<std::size_t>(row) * w.row_bytes;
    for_each_group(w, row, c, n, [&](const SideGroup& group) {
      const auto scale = S::set1(Codes::kFactor * group.scale), bias = S::set1(group.bias);
      std::int64_t i = group.first;
      for (; i + S::kLanes <= group.last; i += S::kLanes)
        S::store(out + i - c, S::fma(Codes::load(codes + i / Codes::kPerByte), scale, bias));
      if (i == group.last) return;
      const std::int64_t left = group.last - i;
      const auto rest = load_codes_n<S, Codes>(codes + i / Codes::kPerByte, left);
      S::store_n(out + i - c, left, S::fma(rest, scale, bias));
    });
  }
};

// The rows [row, row + n) of a tile of kRows, starting at column c. The last row is repeated if n <
// kRows.
template <class S, class Codes, int kRows>
class SideTile {
 public:
  SideTile(const WeightRows& w, std::int64_t row, std::int64_t n, std::int64_t c) noexcept
      : side_(w.side),
        ahead_(kRows * w.row_bytes),
        group_(c / w.side.group_cols),
        left_((group_ + 1) * w.side.group_cols - c) {
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t here = row + (r < n ? r : n - 1);
      codes_[r] = w.data + static_cast<std::size_t>(here) * w.row_bytes + c / Codes::kPerByte;
      first_[r] = first_scale(w.side, here);
    }
  }

  // Loads the scales of the group at column c and returns the end of its columns, at most n. Must
  // be called for one group after another.
  std::int64_t begin_group(std::int64_t c, std::int64_t n) noexcept {
    const std::int64_t end = c + left_ < n ? c + left_ : n;
    for (int r = 0; r < kRows; ++r) {
      const auto [scale, bias] = scale_at(side_, first_[r] + group_);
      scales_[r] = S::set1(Codes::kFactor * scale);
      biases_[r] = S::set1(bias);
      for (std::int64_t i = c; i < end; i += 64 * Codes::kPerByte)
        S::prefetch(codes_[r] + ahead_ + i / Codes::kPerByte);
    }
    ++group_;
    left_ = side_.group_cols;
    return end;
  }
  typename S::F load(int r, std::int64_t c) const noexcept {
    return S::fma(Codes::load(codes_[r] + c / Codes::kPerByte), scales_[r], biases_[r]);
  }
  typename S::F load_n(int r, std::int64_t c, std::int64_t n) const noexcept {
    return S::fma(load_codes_n<S, Codes>(codes_[r] + c / Codes::kPerByte, n), scales_[r],
                  biases_[r]);
  }
  void prefetch(std::int64_t) const noexcept {}  // begin_group() does this

 private:
  const SideScales& side_;
  std::size_t ahead_;
  std::int64_t group_, left_;  // the next group, and how many of its columns are left
  std::int64_t first_[kRows];  // the first scale of each row
  const std::byte* codes_[kRows];
  typename S::F scales_[kRows], biases_[kRows];
};

}  // namespace confab::kernels::generic
