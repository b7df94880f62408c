// SPDX-License-Identifier: MIT
// The strongly connected components of a graph (Tarjan 1972).
#pragma once

#include <cstdint>
#include <vector>

namespace confab::engine {

struct Components {
  // [nodes] The component of each node. An edge leads to the same component, or to one with a
  // smaller number.
  std::vector<std::int32_t> of = {};
  std::vector<bool> is_cycle = {};  // [components] its nodes can reach themselves

  bool in_cycle(std::int32_t node) const {
    return is_cycle[static_cast<std::size_t>(of[static_cast<std::size_t>(node)])];
  }
};

// edges[node] lists the nodes that it leads to. Takes linear time and does not recurse.
Components find_components(const std::vector<std::vector<std::int32_t>>& edges);

}  // namespace confab::engine
