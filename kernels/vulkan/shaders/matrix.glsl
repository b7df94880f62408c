// SPDX-License-Identifier: MIT
// Matrix cores (SPV_KHR_cooperative_matrix): 16 by 16 matrices of a subgroup, of f16, summed in f32.
//
// The types of matrices have numbers where SPIR-V has identifiers, and their component's bits where
// its type belongs: glslc cannot name them. kernels/vulkan/matrix_cores.h puts them right.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

// Of shared memory alone: subgroupBarrier() waits for all other memory as well.
void subgroup_barrier() {
  controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

const uint kSide = 16;
#define MATRIX(bits, use) spirv_type( \
    extensions = ["SPV_KHR_cooperative_matrix"], capabilities = [6022, 9], id = 4456, \
    bits, 3, 16, 16, use)  // 3: of a subgroup
#define MatrixA MATRIX(16, 0)
#define MatrixB MATRIX(16, 1)
#define Accumulator MATRIX(32, 2)
const uint kRowMajor = 0, kColumnMajor = 1;

spirv_instruction(id = 4457)
MatrixA load_a(spirv_by_reference uvec4 first, uint layout_, uint stride);
spirv_instruction(id = 4457)
MatrixB load_b(spirv_by_reference uvec4 first, uint layout_, uint stride);
spirv_instruction(id = 4458)
void store_sums(spirv_by_reference float first, Accumulator sums, uint layout_, uint stride);
spirv_instruction(id = 4459) Accumulator multiply_add(MatrixA x, MatrixB y, Accumulator sums);
spirv_instruction(id = 80) Accumulator filled(float x);
