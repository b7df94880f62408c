// SPDX-License-Identifier: MIT
// Matrix cores (SPV_KHR_cooperative_matrix): a subgroup multiplies matrices of 16 by 16 in f16 and
// sums them in f32.
//
// The matrix types need SPIR-V identifiers that glslc cannot name. They contain plain numbers
// instead, and the width of the component in bits in place of its type.
// kernels/vulkan/matrix_cores.h corrects them.
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

// A barrier for shared memory only: subgroupBarrier() waits for all other memory as well.
void subgroup_barrier() {
  controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsShared,
                 gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);
}

const uint kSide = 16;
#define MATRIX(bits, use) spirv_type( \
    extensions = ["SPV_KHR_cooperative_matrix"], capabilities = [6022, 9], id = 4456, \
    bits, 3, 16, 16, use)  // 3: the scope is a subgroup
#define MatrixA MATRIX(16, 0)
#define MatrixB MATRIX(16, 1)
#define Accumulator MATRIX(32, 2)
const uint kRowMajor = 0, kColumnMajor = 1;

spirv_instruction(id = 4457)
MatrixA load_a(spirv_by_reference uvec4 first, uint layout_, uint stride);
spirv_instruction(id = 4457)
MatrixB load_b(spirv_by_reference uvec4 first, uint layout_, uint stride);
spirv_instruction(id = 4457)
Accumulator load_sums(spirv_by_reference uvec4 first, uint layout_, uint stride);
spirv_instruction(id = 4458)
void store_sums(spirv_by_reference float first, Accumulator sums, uint layout_, uint stride);
spirv_instruction(id = 4458)
void store_vectors(spirv_by_reference uvec4 first, Accumulator sums, uint layout_, uint stride);
spirv_instruction(id = 4459) Accumulator multiply_add(MatrixA x, MatrixB y, Accumulator sums);
spirv_instruction(id = 80) Accumulator filled(float x);
spirv_instruction(id = 133) Accumulator multiplied(Accumulator x, Accumulator y);  // elementwise

// Converts four signed bytes to f16: the first and third to `a`, the second and fourth to `b`. The
// f16 of 1024 plus a byte has that byte in its lowest bits.
void unpack_codes(uint codes, out f16vec2 a, out f16vec2 b) {
  uint bytes = codes ^ 0x80808080u;
  a = unpackFloat2x16(bytes & 0x00ff00ffu | 0x64006400u) - f16vec2(1152);
  b = unpackFloat2x16(bytes >> 8 & 0x00ff00ffu | 0x64006400u) - f16vec2(1152);
}

uvec2 halves_of_codes(uint codes, f16vec2 scale, f16vec2 minimum) {
  f16vec2 a, b;
  unpack_codes(codes, a, b);
  return uvec2(packFloat2x16(fma(a, scale, -minimum)), packFloat2x16(fma(b, scale, -minimum)));
}
