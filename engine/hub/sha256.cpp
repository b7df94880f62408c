// SPDX-License-Identifier: MIT
#include "engine/hub/sha256.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace confab::engine {
namespace {

constexpr std::size_t kBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) noexcept {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
  return value;
}

// Computes words 16 to 63 of a block's schedule from its first 16.
void extend(std::array<std::uint32_t, 64>& w) noexcept {
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    const std::uint32_t s0 = std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3;
    const std::uint32_t s1 = std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
}

// d becomes the next round's e, and h its a. `k` is the round's constant plus its word.
inline void round(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t& d,
                  std::uint32_t e, std::uint32_t f, std::uint32_t g, std::uint32_t& h,
                  std::uint32_t k) noexcept {
  const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
  const std::uint32_t t1 = h + s1 + (g ^ (e & (f ^ g))) + k;
  const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
  d += t1;
  h = t1 + s0 + ((a & b) | (c & (a | b)));
}

void add_block_portably(std::array<std::uint32_t, 8>& state, const std::byte* block) noexcept {
  std::array<std::uint32_t, 64> w;
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  extend(w);
  auto [a, b, c, d, e, f, g, h] = state;
  // After eight rounds each letter is back in its place, so no values need to be moved.
  for (std::size_t t = 0; t < 64; t += 8) {
    round(a, b, c, d, e, f, g, h, w[t] + kRound[t]);
    round(h, a, b, c, d, e, f, g, w[t + 1] + kRound[t + 1]);
    round(g, h, a, b, c, d, e, f, w[t + 2] + kRound[t + 2]);
    round(f, g, h, a, b, c, d, e, w[t + 3] + kRound[t + 3]);
    round(e, f, g, h, a, b, c, d, w[t + 4] + kRound[t + 4]);
    round(d, e, f, g, h, a, b, c, w[t + 5] + kRound[t + 5]);
    round(c, d, e, f, g, h, a, b, w[t + 6] + kRound[t + 6]);
    round(b, c, d, e, f, g, h, a, w[t + 7] + kRound[t + 7]);
  }
  const std::array<std::uint32_t, 8> more{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += more[i];
}

#ifdef __x86_64__
bool has_instructions() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSha = 1U << 29;  // leaf 7, EBX: Intel's manual, CPUID
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & kSha) != 0;
}

__m128i* as_vector(std::uint32_t* words) noexcept {
  return reinterpret_cast<__m128i*>(words);
}

// SHA256RNDS2 does two rounds on (A, B, E, F) and (C, D, G, H), highest lane first.
__attribute__((target("sha,sse4.1"))) void add_block_by_instructions(
    std::array<std::uint32_t, 8>& state, const std::byte* block) noexcept {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(as_vector(state.data())), 0xB1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(as_vector(state.data() + 4)), 0x1B);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xF0);
  const __m128i abef_before = abef, cdgh_before = cdgh;
  __m128i w[16];
  for (std::size_t t = 0; t < 16; ++t) {
    if (t < 4) {
      w[t] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * t));
      w[t] = _mm_shuffle_epi8(w[t], swap);
    } else {
      const __m128i near = _mm_alignr_epi8(w[t - 1], w[t - 2], 4);
      const __m128i far = _mm_sha256msg1_epu32(w[t - 4], w[t - 3]);
      w[t] = _mm_sha256msg2_epu32(_mm_add_epi32(far, near), w[t - 1]);
    }
    const auto* constants = reinterpret_cast<const __m128i*>(kRound.data() + 4 * t);
    const __m128i k = _mm_add_epi32(w[t], _mm_loadu_si128(constants));
    cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);
    abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0E));
  }
  const __m128i feba = _mm_shuffle_epi32(_mm_add_epi32(abef, abef_before), 0x1B);
  const __m128i dchg = _mm_shuffle_epi32(_mm_add_epi32(cdgh, cdgh_before), 0xB1);
  _mm_storeu_si128(as_vector(state.data()), _mm_blend_epi16(feba, dchg, 0xF0));
  _mm_storeu_si128(as_vector(state.data() + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif

}  // namespace

Sha256::Sha256(Sha256With with) noexcept : add_block_(&add_block_portably) {
#ifdef __x86_64__
  static const bool has = has_instructions();
  if (with == Sha256With::best && has) add_block_ = &add_block_by_instructions;
#else
  static_cast<void>(with);
#endif
}

void Sha256::add(std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t at = n_bytes_ % kBlock;
    const std::size_t n =
        at == 0 && bytes.size() >= kBlock ? kBlock : std::min(kBlock - at, bytes.size());
    if (n == kBlock) {
      add_block_(state_, bytes.data());
    } else {
      std::memcpy(held_.data() + at, bytes.data(), n);
      if (at + n == kBlock) add_block_(state_, held_.data());
    }
    n_bytes_ += n;
    bytes = bytes.subspan(n);
  }
}

std::string Sha256::finish() {
  const std::uint64_t n_bits = n_bytes_ * 8;
  constexpr std::array<std::byte, kBlock> kPadding{std::byte{0x80}};
  const std::size_t at = n_bytes_ % kBlock;
  add(std::span(kPadding).first(at < 56 ? 56 - at : 56 + kBlock - at));
  std::array<std::byte, 8> size;
  for (std::size_t i = 0; i < size.size(); ++i) size[i] = std::byte(n_bits >> (56 - 8 * i));
  add(size);
  std::string hex;
  for (const std::uint32_t word : state_) hex += fmt::format("{:08x}", word);
  return hex;
}

bool is_sha256(std::string_view text) noexcept {
  constexpr std::size_t kDigits = 64;
  return text.size() == kDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace confab::engine
