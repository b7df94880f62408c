#version 460
// SPDX-License-Identifier: MIT
// Sorts the choices of a pass by expert, so that an expert's matrix is read once for all of its
// tokens. Also writes the tiles of matmul, each of which belongs to one expert, and the grids of
// the products that use these tiles. One workgroup runs it.
#include "common.glsl"

layout(constant_id = 1) const uint kExperts = 1;
layout(constant_id = 2) const uint kTile = 64;  // most rows of a tile

layout(push_constant, scalar) uniform Arguments {
  uint64_t ids;      // [n]
  uint64_t places;   // [n]: the place of a choice in that order; arbitrary within an expert
  uint64_t sources;  // [n]: the choice at a place
  uint64_t tiles;    // each an expert, the tile's first place and the end of the expert's places
  uint64_t grids;    // [2] grids of products: each width by the number of tiles
  uint n;
  uint width[2];     // in workgroups
} a;

shared uint counts[kExperts];
shared uint next_places[kExperts];

// Writes the tiles of expert e, whose places begin at `place`, from tile `at` on. Returns the index
// after the last one.
uint write_tiles(uint e, uint place, uint at) {
  for (uint first = place, end = place + counts[e]; first < end; first += kTile, ++at) {
    U32 tile = U32(a.tiles + 12 * at);
    tile.v[0] = e;
    tile.v[1] = first;
    tile.v[2] = end;
  }
  return at;
}

void main() {
  for (uint e = gl_LocalInvocationIndex; e < kExperts; e += gl_WorkGroupSize.x) counts[e] = 0;
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < a.n; i += gl_WorkGroupSize.x)
    atomicAdd(counts[U32(a.ids).v[i]], 1);
  barrier();
  for (uint e = gl_LocalInvocationIndex; e < kExperts; e += gl_WorkGroupSize.x) {
    uint place = 0, tile = 0;
    for (uint before = 0; before < e; ++before) {
      place += counts[before];
      tile += (counts[before] + kTile - 1) / kTile;
    }
    next_places[e] = place;
    tile = write_tiles(e, place, tile);
    if (e + 1 < kExperts) continue;
    for (uint i = 0; i < 2; ++i) {
      U32 grid = U32(a.grids + 12 * i);
      grid.v[0] = a.width[i];
      grid.v[1] = tile;
      grid.v[2] = 1;
    }
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < a.n; i += gl_WorkGroupSize.x) {
    uint place = atomicAdd(next_places[U32(a.ids).v[i]], 1);
    U32(a.places).v[i] = place;
    U32(a.sources).v[place] = i;
  }
}
