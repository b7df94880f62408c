// SPDX-License-Identifier: MIT
// What comes back to itself in a graph: its strongly connected components (Tarjan 1972).
#pragma once

#include <cstdint>
#include <vector>

namespace confab::engine {

struct Components {
  // [nodes]: an edge leads to the same component, or to one with a smaller number.
  std::vector<std::int32_t> of = {};
  std::vector<bool> is_cycle = {};  // [components]: its nodes are reached from themselves

  bool in_cycle(std::int32_t node) const {
    return is_cycle[static_cast<std::size_t>(of[static_cast<std::size_t>(node)])];
  }
};

// edges[node] are the nodes that it leads to. In time of their number, without recursion.
Components find_components(const std::vector<std::vector<std::int32_t>>& edges);

}  // namespace confab::engine
