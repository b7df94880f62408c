// SPDX-License-Identifier: MIT
#include "sessions/conversations/message.h"

#include <array>
#include <utility>

namespace confab::sessions {
namespace {

constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles{{
    {Role::system, "system"},
    {Role::user, "user"},
    {Role::assistant, "assistant"},
    {Role::tool, "tool"},
}};
constexpr std::array<std::pair<MessageState, std::string_view>, 4> kStates{{
    {MessageState::draft, "draft"},
    {MessageState::done, "done"},
    {MessageState::stopped, "stopped"},
    {MessageState::error, "error"},
}};

constexpr std::array<std::pair<Reading, std::string_view>, 3> kReadings{{
    {Reading::usual, "usual"},
    {Reading::pinned, "pinned"},
    {Reading::dropped, "dropped"},
}};

template <class Table, class Enum>
std::string_view name_in(const Table& table, Enum value) noexcept {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return {};
}

template <class Enum, std::size_t n>
std::optional<Enum> value_in(const std::array<std::pair<Enum, std::string_view>, n>& table,
                             std::string_view wanted) noexcept {
  for (const auto& [value, name] : table) {
    if (name == wanted) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Role role) noexcept {
  return name_in(kRoles, role);
}
std::string_view name_of(MessageState state) noexcept {
  return name_in(kStates, state);
}
std::string_view name_of(Reading reading) noexcept {
  return name_in(kReadings, reading);
}
std::optional<Role> role_of(std::string_view name) noexcept {
  return value_in(kRoles, name);
}
std::optional<MessageState> state_of(std::string_view name) noexcept {
  return value_in(kStates, name);
}
std::optional<Reading> reading_of(std::string_view name) noexcept {
  return value_in(kReadings, name);
}

}  // namespace confab::sessions
