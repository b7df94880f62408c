// SPDX-License-Identifier: MIT
// Rows of numbers to f32 and back, over the vocabulary S and the codes C (codes.h) of an
// instruction set; the contracts are those of KernelTable.
#pragma once

#include <cstring>

#include "kernels/block.h"
#include "kernels/kernel_table.h"

namespace confab::kernels::generic {

// The decoders of types that a cache can have; attention.h uses them too.
template <class S>
struct PlainRows {
  static constexpr int kLanes = S::kLanes;

  static void decode_f16(const std::byte* in, std::int64_t n, float* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store(out + i, S::load_f16(in + 2 * i));
    if (i < n) S::store_n(out + i, n - i, S::load_f16_n(in + 2 * i, n - i));
  }
  static void decode_bf16(const std::byte* in, std::int64_t n, float* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store(out + i, S::load_bf16(in + 2 * i));
    if (i < n) S::store_n(out + i, n - i, S::load_bf16_n(in + 2 * i, n - i));
  }
  static void decode_q8_0(const std::byte* in, std::int64_t n, float* out) noexcept {
    for (std::int64_t b = 0; b < n; b += 32, in += sizeof(BlockQ8_0)) {
      const auto d = S::set1(S::f16_to_f32(load_as<std::uint16_t>(in)));
      for (int i = 0; i < 32; i += kLanes) {
        S::store(out + b + i, S::mul(d, S::load_i8(in + offsetof(BlockQ8_0, qs) + i)));
      }
    }
  }
};

template <class S, class C>
class Rows {
 public:
  static void decode(Dtype dtype, const std::byte* in, std::int64_t n, float* out) noexcept {
    switch (dtype) {
      case Dtype::F32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
      case Dtype::F16:
        PlainRows<S>::decode_f16(in, n, out);
        return;
      case Dtype::BF16:
        PlainRows<S>::decode_bf16(in, n, out);
        return;
      case Dtype::Q8_0:
        PlainRows<S>::decode_q8_0(in, n, out);
        return;
      case Dtype::Q4_0:
        decode_q4_0(in, n, out);
        return;
      case Dtype::Q4_K:
        decode_k4<BlockQ4_K, typename C::Q4_K>(in, n, out);
        return;
      case Dtype::Q5_K:
        decode_k4<BlockQ5_K, typename C::Q5_K>(in, n, out);
        return;
      case Dtype::Q6_K:
        decode_q6_k(in, n, out);
        return;
    }
  }

  static void encode(Dtype dtype, const float* in, std::int64_t n, std::byte* out) noexcept {
    switch (dtype) {
      case Dtype::F32:
        std::memcpy(out, in, static_cast<std::size_t>(n) * sizeof(float));
        return;
      case Dtype::F16:
        encode_f16(in, n, out);
        return;
      case Dtype::BF16:
        encode_bf16(in, n, out);
        return;
      case Dtype::Q8_0:
        for (std::int64_t i = 0; i < n; i += 32, out += sizeof(BlockQ8_0)) encode_q8_0(in + i, out);
        return;
      default:
        __builtin_trap();  // not a type that encode_row() takes
    }
  }

  static void pack(ActFormat format, const float* x, std::int64_t n, std::byte* out) noexcept {
    if (format == ActFormat::f32) {
      std::memcpy(out, x, static_cast<std::size_t>(n) * sizeof(float));
      return;
    }
    std::byte* meta = out + n;
    for (std::int64_t i = 0; i < n; i += 32, meta += sizeof(Q8Meta))
      pack_block(x + i, out + i, meta);
  }

 private:
  using F = typename S::F;
  static constexpr int kLanes = S::kLanes;
  static constexpr int kVectorBytes = static_cast<int>(sizeof(typename S::B));

  // out[i] = scale * (code - offset) - min for 16 or 32 codes. No product here takes more than 24
  // bits, so that only the subtraction of `min` rounds, as in every other order of computing it.
  static void scale_codes(const std::byte* codes, int n, F scale, F offset, F min,
                          float* out) noexcept {
    for (int i = 0; i < n; i += kLanes) {
      const F code = S::sub(S::load_u8(codes + i), offset);
      S::store(out + i, S::sub(S::mul(scale, code), min));
    }
  }
  template <class Codes>
  static void unpack_256(const std::byte* block, std::byte* codes) noexcept {
    for (int piece = 0; piece * kVectorBytes < 256; ++piece) {
      S::store_bytes(codes + piece * kVectorBytes, Codes::codes(block, piece));
    }
  }

  static void decode_q4_0(const std::byte* in, std::int64_t n, float* out) noexcept {
    alignas(64) std::byte codes[kVectorBytes];
    for (std::int64_t b = 0; b < n; b += 32, in += sizeof(BlockQ4_0)) {
      S::store_bytes(codes, C::Q4_0::low_codes(in, 0));
      const F d = S::set1(S::f16_to_f32(load_as<std::uint16_t>(in)));
      scale_codes(codes, 32, d, S::set1(8), S::zero(), out + b);
    }
  }
  template <class Block, class Codes>
  static void decode_k4(const std::byte* in, std::int64_t n, float* out) noexcept {
    alignas(64) std::byte codes[256];
    for (std::int64_t b = 0; b < n; b += 256, in += sizeof(Block)) {
      unpack_256<Codes>(in, codes);
      const float d = S::f16_to_f32(load_as<std::uint16_t>(in));
      const float dmin = S::f16_to_f32(load_as<std::uint16_t>(in + 2));
      std::uint8_t packed[12], sc[8], m[8];
      std::memcpy(packed, in + offsetof(Block, scales), sizeof packed);
      unpack_scales_k4(packed, sc, m);
      for (int j = 0; j < 8; ++j) {
        scale_codes(codes + 32 * j, 32, S::set1(d * static_cast<float>(sc[j])), S::zero(),
                    S::set1(dmin * static_cast<float>(m[j])), out + b + 32 * j);
      }
    }
  }
  static void decode_q6_k(const std::byte* in, std::int64_t n, float* out) noexcept {
    alignas(64) std::byte codes[256];
    for (std::int64_t b = 0; b < n; b += 256, in += sizeof(BlockQ6_K)) {
      unpack_256<typename C::Q6_K>(in, codes);
      const float d = S::f16_to_f32(load_as<std::uint16_t>(in + offsetof(BlockQ6_K, d)));
      for (int j = 0; j < 16; ++j) {
        const auto sc = load_as<std::int8_t>(in + offsetof(BlockQ6_K, scales) + j);
        scale_codes(codes + 16 * j, 16, S::set1(d * static_cast<float>(sc)), S::set1(32), S::zero(),
                    out + b + 16 * j);
      }
    }
  }

  static void encode_f16(const float* in, std::int64_t n, std::byte* out) noexcept {
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) S::store_f16(out + 2 * i, S::load(in + i));
    for (; i < n; ++i) {
      const std::uint16_t h = f32_to_f16(in[i]);
      std::memcpy(out + 2 * i, &h, sizeof h);
    }
  }
  static void encode_bf16(const float* in, std::int64_t n, std::byte* out) noexcept {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint16_t h = f32_to_bf16(in[i]);
      std::memcpy(out + 2 * i, &h, sizeof h);
    }
  }

  static float max_abs(const float* x) noexcept {  // of 32
    F m = S::abs(S::load(x));
    for (int i = kLanes; i < 32; i += kLanes) m = S::max(m, S::abs(S::load(x + i)));
    return S::max(m);
  }
  static void encode_q8_0(const float* x, std::byte* out) noexcept {
    const float d = max_abs(x) / 127.0F;
    const std::uint16_t h = f32_to_f16(d < 65504.0F ? d : 65504.0F);
    const float rounded = S::f16_to_f32(h);
    const F inverse = S::set1(rounded > 0 ? 1.0F / rounded : 0.0F);
    std::memcpy(out, &h, sizeof h);
    for (int i = 0; i < 32; i += kLanes) {
      const F v = S::mul(S::load(x + i), inverse);
      const F clamped = S::min(S::set1(127), S::max(S::set1(-127), v));
      S::store_i8(out + offsetof(BlockQ8_0, qs) + i, S::to_i32(clamped));
    }
  }
  static void pack_block(const float* x, std::byte* q, std::byte* meta) noexcept {
    const float amax = max_abs(x);
    const F inverse = S::set1(amax > 0 ? 127.0F / amax : 0.0F);
    int half_sums[2] = {0, 0};
    for (int i = 0; i < 32; i += kLanes) {
      const auto v = S::to_i32(S::mul(S::load(x + i), inverse));
      S::store_i8(q + i, v);
      half_sums[i / 16] += S::sum(v);
    }
    const auto lo = static_cast<float>(half_sums[0]), hi = static_cast<float>(half_sums[1]);
    const Q8Meta m{amax / 127.0F, lo + hi, lo, hi};
    std::memcpy(meta, &m, sizeof m);
  }
};

}  // namespace confab::kernels::generic
