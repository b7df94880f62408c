// SPDX-License-Identifier: MIT
#include "engine/api/sampler_params.h"

#include <algorithm>
#include <span>

namespace confab::engine {
namespace {

struct Name {
  std::string_view name;
  SamplerKind kind;
};

// The first name of a kind is the one shown to people.
constexpr auto kNames = std::to_array<Name>({
    {"penalties", SamplerKind::penalties},
    {"dry", SamplerKind::dry},
    {"top_n_sigma", SamplerKind::top_n_sigma},
    {"top_k", SamplerKind::top_k},
    {"typ_p", SamplerKind::typical},
    {"top_p", SamplerKind::top_p},
    {"min_p", SamplerKind::min_p},
    {"xtc", SamplerKind::xtc},
    {"temperature", SamplerKind::temperature},
    {"typ", SamplerKind::typical},
    {"typical", SamplerKind::typical},
    {"typical_p", SamplerKind::typical},
    {"nucleus", SamplerKind::top_p},
    {"temp", SamplerKind::temperature},
});

// Compares ignoring case and the characters that join words.
bool is_spelling_of(std::string_view text, std::string_view name) noexcept {
  const auto is_joint = [](char c) { return c == '_' || c == '-'; };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  while (!name.empty()) {
    if (is_joint(name[0])) {
      name.remove_prefix(1);
      if (!text.empty() && is_joint(text[0])) text.remove_prefix(1);
      continue;
    }
    if (text.empty() || lower(text[0]) != name[0]) return false;
    text.remove_prefix(1);
    name.remove_prefix(1);
  }
  return text.empty();
}

}  // namespace

std::string_view sampler_name(SamplerKind kind) noexcept {
  return std::ranges::find(kNames, kind, &Name::kind)->name;
}

std::optional<SamplerKind> find_sampler(std::string_view name) noexcept {
  const auto* found =
      std::ranges::find_if(kNames, [&](const Name& row) { return is_spelling_of(name, row.name); });
  if (found == kNames.end()) return std::nullopt;
  return found->kind;
}

}  // namespace confab::engine
