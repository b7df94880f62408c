// SPDX-License-Identifier: MIT
// The grids that the indices of the IQ types point into. Byte i of an entry belongs to weight i of
// 8, or of 4. They are part of the file format. Source: the grids of ggml-common.h of llama.cpp.
#pragma once

#include <array>
#include <cstdint>

namespace confab::kernels {

extern const std::array<std::uint64_t, 256> kIq2XxsGrid;  // magnitudes 8, 25, 43
extern const std::array<std::uint64_t, 512> kIq2XsGrid;   // the same magnitudes
extern const std::array<std::uint64_t, 1024> kIq2SGrid;   // the same magnitudes
extern const std::array<std::uint32_t, 256> kIq3XxsGrid;  // magnitudes 4, 12, .. 52, 62
extern const std::array<std::uint32_t, 512> kIq3SGrid;    // magnitudes 1, 3, .. 15
extern const std::array<std::uint64_t, 2048> kIq1Grid;    // eighths, plus 8: 0, 8, 16

// The same grids, packed: the level of weight i is a 2-bit index at bit 2 i (grids of 8 weights) or
// a 3-bit index at bit 3 i (grids of 4).
extern const std::array<std::uint16_t, 256> kIq2XxsPacked;
extern const std::array<std::uint16_t, 512> kIq2XsPacked;
extern const std::array<std::uint16_t, 1024> kIq2SPacked;
extern const std::array<std::uint16_t, 256> kIq3XxsPacked;
extern const std::array<std::uint16_t, 512> kIq3SPacked;
extern const std::array<std::uint16_t, 2048> kIq1Packed;

// The low and the high bytes of the packed grids.
template <std::size_t kEntries>
struct GridBytes {
  alignas(64) std::array<std::uint8_t, kEntries> low, high;
};
extern const GridBytes<256> kIq2XxsBytes;
extern const GridBytes<512> kIq2XsBytes;
extern const GridBytes<1024> kIq2SBytes;
extern const GridBytes<256> kIq3XxsBytes;
extern const GridBytes<512> kIq3SBytes;

}  // namespace confab::kernels
