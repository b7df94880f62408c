// SPDX-License-Identifier: MIT
#include "kernels/isa.h"

#include <array>
#include <stdexcept>
#include <string>

#include "kernels/tables.h"

#if defined(CONFAB_HAVE_AVX2) || defined(CONFAB_HAVE_AVX512)
#include <cpuid.h>
#endif

namespace confab::kernels {
namespace {

constexpr std::array<Isa, 3> kIsas{Isa::scalar, Isa::avx2, Isa::avx512};

#if defined(CONFAB_HAVE_AVX2) || defined(CONFAB_HAVE_AVX512)
bool has_f16c() noexcept {  // clang's built-in below does not know it
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

// The built-in also asks the operating system whether it saves the wide registers (XCR0).
bool runs_here(Isa isa) noexcept {
  __builtin_cpu_init();
  const bool avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c();
  if (isa == Isa::avx2) return avx2;
  return avx2 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}
#endif

}  // namespace

const KernelTable* kernel_table(Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar:
      return &kScalarTable;
    case Isa::avx2:
#ifdef CONFAB_HAVE_AVX2
      return runs_here(isa) ? &kAvx2Table : nullptr;
#else
      return nullptr;
#endif
    case Isa::avx512:
#ifdef CONFAB_HAVE_AVX512
      return runs_here(isa) ? &kAvx512Table : nullptr;
#else
      return nullptr;
#endif
  }
  return nullptr;
}

std::vector<const KernelTable*> usable_kernel_tables() {
  std::vector<const KernelTable*> tables;
  for (const Isa isa : kIsas) {
    if (const KernelTable* table = kernel_table(isa)) tables.push_back(table);
  }
  return tables;
}

std::optional<Isa> parse_isa(std::string_view text) noexcept {
  for (const Isa isa : kIsas) {
    if (name(isa) == text) return isa;
  }
  return std::nullopt;
}

std::string_view name(Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return {};
}

const KernelTable& choose_kernel_table(std::string_view forced) {
  const auto tables = usable_kernel_tables();
  if (forced.empty()) return *tables.back();
  const auto isa = parse_isa(forced);
  if (!isa) {
    throw std::invalid_argument("CONFAB_ISA: unknown instruction set \"" + std::string(forced) +
                                "\", expected scalar, avx2 or avx512");
  }
  const KernelTable* table = kernel_table(*isa);
  if (table == nullptr) {
    throw std::invalid_argument("CONFAB_ISA: this processor or build cannot run " +
                                std::string(forced) + ", the best here is " +
                                std::string(name(tables.back()->isa)));
  }
  return *table;
}

}  // namespace confab::kernels
