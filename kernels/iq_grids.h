// SPDX-License-Identifier: MIT
// The grids that the IQ types' indices point into: byte i of an entry belongs to weight i of 8 (or
// of 4). Part of the file format; source: the grids of ggml-common.h of llama.cpp.
#pragma once

#include <array>
#include <cstdint>

namespace confab::kernels {

extern const std::array<std::uint64_t, 256> kIq2XxsGrid;  // magnitudes 8, 25, 43
extern const std::array<std::uint64_t, 512> kIq2XsGrid;   // the same
extern const std::array<std::uint64_t, 1024> kIq2SGrid;   // the same
extern const std::array<std::uint32_t, 256> kIq3XxsGrid;  // magnitudes 4, 12, .. 52, 62
extern const std::array<std::uint32_t, 512> kIq3SGrid;    // magnitudes 1, 3, .. 15
extern const std::array<std::uint64_t, 2048> kIq1Grid;    // eighths, 8 higher: 0, 8, 16

// The same, packed: of weight i, the index of its level is 2 bits (of 8 weights) or 3 bits (of 4)
// from bit 2 i or 3 i on.
extern const std::array<std::uint16_t, 256> kIq2XxsPacked;
extern const std::array<std::uint16_t, 512> kIq2XsPacked;
extern const std::array<std::uint16_t, 1024> kIq2SPacked;
extern const std::array<std::uint16_t, 256> kIq3XxsPacked;
extern const std::array<std::uint16_t, 512> kIq3SPacked;
extern const std::array<std::uint16_t, 2048> kIq1Packed;

// The low and the high bytes of packed grids.
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
