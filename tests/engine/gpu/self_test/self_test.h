// SPDX-License-Identifier: MIT
// Each program that the passes of a model use, by itself, against the processor's arithmetic. The
// program itself compares a model's first layers as a whole (engine/run/device/device_check.h);
// this says which of the programs is wrong.
//
// Weights are some rows of the model's own matrices, of each number format and kind of product;
// what else programs read is random. Programs are recorded as a pass records them, with the model's
// own sizes; of those that differ in their number of rows alone, for some: matvec for 1 and 8,
// matvec_cores for 3, 9 and 16.
#pragma once

#include <functional>
#include <string>

#include "engine/model/model_part.h"
#include "kernels/dtype.h"

namespace confab::kernels {
struct KernelTable;
}
namespace confab::kernels::vulkan {
struct GpuInfo;
}

namespace confab::engine {

// Names of programs, with the format of the weights of those that there is one for each of:
// "matvec of Q4_K, norm"; empty: none.
struct WrongPrograms {
  std::string of_matrix_cores;  // which can be done without
  std::string others;
  bool operator==(const WrongPrograms&) const = default;
};

// What runs on the device, and what on the processor.
struct TestedModel {
  ModelView model;  // gpu_refusal() has nothing against it
  kernels::Dtype type_k, type_v;
  const kernels::KernelTable& table;
};

// on_program: called before each; what it throws ends the test. The driver's compiler takes seconds
// where it has not met the programs before. Throws GpuError.
WrongPrograms test_programs(const kernels::vulkan::GpuInfo& gpu, const TestedModel& tested,
                            const std::function<void()>& on_program = {});

}  // namespace confab::engine
