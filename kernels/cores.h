// SPDX-License-Identifier: MIT
// What usable_cores() (thread_pool.h) is made of, apart so that it can be tested.
#pragma once

#include <string>

namespace confab::kernels {

// Whole processors that the control group of this process may use, at least 1; INT_MAX when it has
// no limit or the system has no control groups. Reads ROOT/proc/self/cgroup and, for version 2,
// cpu.max, for version 1, cpu.cfs_quota_us and cpu.cfs_period_us of the group and all above it
// under ROOT/sys/fs/cgroup. `root` is empty but in tests.
// Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the Linux kernel.
int cgroup_cores(const std::string& root);

}  // namespace confab::kernels
