// SPDX-License-Identifier: MIT
// The parts of usable_cores() (thread_pool.h), separate so that they can be tested. `root` is the
// folder that contains /proc and /sys; it is empty except in tests.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace confab::kernels {

// The number of whole processors that this process's control group may use, at least 1. INT_MAX if
// the group has no limit or the system has no control groups. Reads ROOT/proc/self/cgroup, then the
// group and all groups above it under ROOT/sys/fs/cgroup: cpu.max in version 2, cpu.cfs_quota_us
// and cpu.cfs_period_us in version 1.
// Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the Linux kernel.
int cgroup_cores(const std::string& root);

// The number of performance cores among these processors, at least 1 (Linux). On Intel's hybrid
// processors only those listed in ROOT/sys/devices/cpu_core/cpus count, and of these only the ones
// with at least half the largest cpu_capacity count. Processors that share a core
// (topology/thread_siblings_list) count once. If the system does not provide a piece of
// information, it excludes nothing.
// Source: Documentation/ABI/testing/sysfs-devices-system-cpu, sysfs-bus-event_source-devices.
int performance_cores(const std::string& root, std::span<const int> processors);

// Parses a list such as "0-3,8". Ignores everything from the first error on.
// Source: bitmap_parselist() of the Linux kernel.
std::vector<int> processor_list(const std::string& list);

}  // namespace confab::kernels
