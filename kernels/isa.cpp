// SPDX-License-Identifier: MIT
#include "kernels/isa.h"

#include <array>
#include <stdexcept>
#include <string>

#include "kernels/tables.h"

#if defined(CONFAB_HAVE_AVX2)
#include <cpuid.h>
#elif defined(CONFAB_HAVE_NEON) && defined(__linux__)
#include <asm/hwcap.h>  // the list in older versions of glibc is incomplete
#include <sys/auxv.h>
#elif defined(CONFAB_HAVE_NEON) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace confab::kernels {
namespace {

struct Entry {
  Isa isa;
  std::string_view name;
  const KernelTable* table;  // nullptr if this binary does not contain it
};

constexpr std::array kEntries{
    Entry{Isa::scalar, "scalar", &kScalarTable},
#ifdef CONFAB_HAVE_AVX2
    Entry{Isa::avx2, "avx2", &kAvx2Table},
    Entry{Isa::avx_vnni, "avx_vnni", &kAvxVnniTable},
    Entry{Isa::avx512, "avx512", &kAvx512Table},
    Entry{Isa::avx512_bf16, "avx512_bf16", &kAvx512Bf16Table},
#else
    Entry{Isa::avx2, "avx2", nullptr},           Entry{Isa::avx_vnni, "avx_vnni", nullptr},
    Entry{Isa::avx512, "avx512", nullptr},       Entry{Isa::avx512_bf16, "avx512_bf16", nullptr},
#endif
#ifdef CONFAB_HAVE_NEON
    Entry{Isa::neon, "neon", &kNeonTable},
    Entry{Isa::neon_dotprod, "neon_dotprod", &kNeonDotprodTable},
    Entry{Isa::neon_i8mm, "neon_i8mm", &kNeonI8mmTable},
#else
    Entry{Isa::neon, "neon", nullptr},           Entry{Isa::neon_dotprod, "neon_dotprod", nullptr},
    Entry{Isa::neon_i8mm, "neon_i8mm", nullptr},
#endif
};

const Entry& entry_of(Isa isa) noexcept {
  for (const Entry& entry : kEntries) {
    if (entry.isa == isa) return entry;
  }
  __builtin_trap();  // every enumerator has an entry
}

#if defined(CONFAB_HAVE_AVX2)

bool has_f16c() noexcept {  // clang's __builtin_cpu_supports() does not know it
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

// unknown to clang's built-in as well; its 256-bit registers are those of AVX2
bool has_avx_vnni() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & bit_AVXVNNI) != 0;
}

bool has_avx512_bf16() noexcept {  // unknown to the built-in of clang 14
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & 1U << 5) != 0;
}

// The avx512_bf16 table also uses VBMI. All processors with BF16 have it, except Cooper Lake. The
// built-in also checks that the operating system saves the wide registers (XCR0).
bool runs_here(Isa isa) noexcept {
  if (isa == Isa::scalar) return true;
  __builtin_cpu_init();
  const bool avx2 =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 && has_f16c();
  if (isa == Isa::avx2) return avx2;
  if (isa == Isa::avx_vnni) return avx2 && has_avx_vnni();
  if (isa == Isa::avx512_bf16 &&
      !(has_avx512_bf16() && __builtin_cpu_supports("avx512vbmi") != 0)) {
    return false;
  }
  return avx2 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vnni") != 0;
}

#elif defined(CONFAB_HAVE_NEON)

struct Features {  // not present on every 64-bit Arm processor
  bool dotprod, i8mm, bf16;
};

#if defined(__linux__)
Features features() noexcept {
  const unsigned long hwcap = getauxval(AT_HWCAP), hwcap2 = getauxval(AT_HWCAP2);
  return {(hwcap & HWCAP_ASIMDDP) != 0, (hwcap2 & HWCAP2_I8MM) != 0, (hwcap2 & HWCAP2_BF16) != 0};
}
#elif defined(__APPLE__)
bool has(const char* feature) noexcept {  // `feature` is one of the names in hw.optional.arm
  int value = 0;
  std::size_t size = sizeof value;
  return sysctlbyname(feature, &value, &size, nullptr, 0) == 0 && value != 0;
}
Features features() noexcept {
  return {has("hw.optional.arm.FEAT_DotProd"), has("hw.optional.arm.FEAT_I8MM"),
          has("hw.optional.arm.FEAT_BF16")};
}
#else
Features features() noexcept {
  return {};
}
#endif

bool runs_here(Isa isa) noexcept {
  if (isa == Isa::neon_dotprod) return features().dotprod;
  if (isa == Isa::neon_i8mm) return features().dotprod && features().i8mm && features().bf16;
  return true;
}

#else

bool runs_here(Isa) noexcept {
  return true;
}

#endif

// "scalar, avx2, ... or neon_i8mm".
std::string names() {
  std::string text;
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (i > 0) text += i + 1 < kEntries.size() ? ", " : " or ";
    text += kEntries[i].name;
  }
  return text;
}

}  // namespace

const KernelTable* kernel_table(Isa isa) noexcept {
  const KernelTable* table = entry_of(isa).table;
  return table != nullptr && runs_here(isa) ? table : nullptr;
}

std::vector<const KernelTable*> usable_kernel_tables() {
  std::vector<const KernelTable*> tables;
  for (const Entry& entry : kEntries) {
    if (const KernelTable* table = kernel_table(entry.isa)) tables.push_back(table);
  }
  return tables;
}

std::optional<Isa> parse_isa(std::string_view text) noexcept {
  for (const Entry& entry : kEntries) {
    if (entry.name == text) return entry.isa;
  }
  return std::nullopt;
}

std::string_view name(Isa isa) noexcept {
  return entry_of(isa).name;
}

const KernelTable& choose_kernel_table(std::string_view forced) {
  const auto tables = usable_kernel_tables();
  if (forced.empty()) return *tables.back();
  const auto isa = parse_isa(forced);
  if (!isa) {
    throw std::invalid_argument("CONFAB_ISA: unknown instruction set \"" + std::string(forced) +
                                "\", expected " + names());
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
