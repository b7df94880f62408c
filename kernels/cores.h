// SPDX-License-Identifier: MIT
// What usable_cores() (thread_pool.h) is made of, apart so that it can be tested. `root` is the
// folder that holds /proc and /sys: empty but in tests.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace confab::kernels {

// Whole processors that the control group of this process may use, at least 1; INT_MAX when it has
// no limit or the system has no control groups. Reads ROOT/proc/self/cgroup and, for version 2,
// cpu.max, for version 1, cpu.cfs_quota_us and cpu.cfs_period_us of the group and all above it
// under ROOT/sys/fs/cgroup.
// Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the Linux kernel.
int cgroup_cores(const std::string& root);

// Performance cores among the processors with these numbers, at least 1 (Linux): those that
// ROOT/sys/devices/cpu_core/cpus lists where the cores are of Intel's two kinds, and that have at
// least half the cpu_capacity of the largest; of processors that share a core, by
// topology/thread_siblings_list, one. What a system does not say makes no difference between its
// processors.
// Source: Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-bus-event_source-devices.
int performance_cores(const std::string& root, std::span<const int> processors);

// The numbers of a list like "0-3,8"; what cannot be read is left out.
// Source: bitmap_parselist() of the Linux kernel.
std::vector<int> processor_list(const std::string& list);

}  // namespace confab::kernels
