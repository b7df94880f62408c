// SPDX-License-Identifier: MIT
#include "app/engine_config.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "app/error.h"
#include "app/paths.h"
#include "app/process.h"
#include "app/toml_entries.h"
#include "app/whole_file.h"
#include "engine/remote/url.h"
#include "ui/words.h"

namespace confab::app {
namespace {

constexpr std::size_t kMostKey = 4096;  // bytes
constexpr int kMostTimeout = 86'400;

bool is_name(const std::string& name) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  return !name.empty() && name.find_first_not_of(kLetters) == std::string::npos;
}

// Stores the text. Returns what is wrong with it, or an empty string.
std::string put_text(const TomlEntry& entry, std::string& into) {
  const auto* text = std::get_if<std::string>(&entry.value);
  if (text == nullptr || text->empty()) return fmt::format("{} must be a text", entry.key);
  into = *text;
  return {};
}

std::string put_url(const TomlEntry& entry, std::string& into) {
  if (std::string fault = put_text(entry, into); !fault.empty()) return fault;
  if (!engine::is_url(into)) return "url must begin with http:// or https://";
  if (engine::host_of(into).empty())
    return "url must have a host, and no name or password before it";
  into = engine::base_url(into);
  return {};
}

std::string put_models(const TomlEntry& entry, std::vector<std::string>& into) {
  if (const auto* one = std::get_if<std::string>(&entry.value)) {
    into = {*one};
  } else if (const auto* all = std::get_if<std::vector<std::string>>(&entry.value)) {
    into = *all;
  } else {
    return "models must be a list of names";
  }
  return {};
}

std::string put_timeout(const TomlEntry& entry, int& into) {
  const auto* number = std::get_if<TomlNumber>(&entry.value);
  const std::string text = number != nullptr ? number->text : "";
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = fault == std::errc{} && end == text.data() + text.size();
  if (!is_whole || value < 1 || value > kMostTimeout)
    return fmt::format("timeout must be a number of seconds from 1 to {}", kMostTimeout);
  into = value;
  return {};
}

std::string put(const TomlEntry& entry, EngineConfig& engine) {
  if (entry.key == "url") return put_url(entry, engine.url);
  if (entry.key == "key_env") return put_text(entry, engine.key_env);
  if (entry.key == "key_command") return put_text(entry, engine.key_command);
  if (entry.key == "key_file") return put_text(entry, engine.key_file);
  if (entry.key == "models") return put_models(entry, engine.models);
  if (entry.key == "timeout") return put_timeout(entry, engine.timeout);
  if (entry.key == "key")
    return "a key does not belong into this file; use key_env, key_command or key_file";
  return fmt::format(
      "no key '{}'; an engine has url, key_env, key_command, key_file, models, "
      "timeout",
      entry.key);
}

void read_engine(const TomlEntry& table, std::vector<EngineConfig>& engines,
                 std::vector<EngineFault>& faults) {
  const auto tell = [&](int line, const std::string& text) {
    faults.push_back({line, fmt::format("[engines.{}] {}", table.key, text)});
  };
  const auto* entries = std::get_if<std::vector<TomlEntry>>(&table.value);
  if (!is_name(table.key) || entries == nullptr)
    return tell(table.line, "must be a table, with a name of letters, digits, '-', '_' and '.'");
  EngineConfig engine{.name = table.key, .url = {}};
  const std::size_t n_before = faults.size();
  for (const TomlEntry& entry : *entries)
    if (const std::string fault = put(entry, engine); !fault.empty()) tell(entry.line, fault);
  const auto n_keys = static_cast<int>(!engine.key_env.empty()) +
                      static_cast<int>(!engine.key_command.empty()) +
                      static_cast<int>(!engine.key_file.empty());
  if (n_keys > 1) tell(table.line, "has more than one of key_env, key_command and key_file");
  if (faults.size() == n_before && engine.url.empty()) tell(table.line, "has no url");
  if (faults.size() == n_before) engines.push_back(std::move(engine));
}

[[noreturn]] void fail(const EngineConfig& engine, const std::string& what) {
  throw UserError(fmt::format("engine {}: {}", engine.name, what));
}

std::string key_in_variable(const EngineConfig& engine) {
  const char* value = std::getenv(engine.key_env.c_str());
  if (value == nullptr || *value == '\0')
    fail(engine, fmt::format("the variable {}, which key_env names, is not set", engine.key_env));
  return value;
}

std::string key_of_command(const EngineConfig& engine, const std::stop_token& stop) {
  constexpr std::chrono::seconds kMostTime{30};
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Captured said =
      capture({"/bin/sh", "-c", engine.key_command}, nothing, {kMostKey, kMostTime, stop});
  if (nothing >= 0) ::close(nothing);
  if (said.end != Captured::End::ended || said.status != 0)
    fail(engine, "key_command failed; run it by hand to see why");
  return said.output;
}

std::string key_in_file(const EngineConfig& engine) {
  const std::string file = expand_home(engine.key_file);
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(engine, fmt::format("key_file {} cannot be read", file));
  if ((status.st_mode & 077) != 0 || status.st_uid != ::geteuid())
    fail(engine, fmt::format("key_file {} must be yours alone: chmod 600 {}", file, file));
  const auto text = whole_file(file);
  if (!text || text->size() > kMostKey)
    fail(engine, fmt::format("key_file {} cannot be read", file));
  return *text;
}

}  // namespace

std::vector<EngineFault> read_engines(const TomlEntry& entry, std::vector<EngineConfig>& engines) {
  std::vector<EngineFault> faults;
  const auto* tables = std::get_if<std::vector<TomlEntry>>(&entry.value);
  if (tables == nullptr) return {{entry.line, "engines must be tables, [engines.NAME]"}};
  for (const TomlEntry& table : *tables) read_engine(table, engines, faults);
  return faults;
}

std::string key_of(const EngineConfig& engine, const std::stop_token& stop) {
  std::string key;
  if (!engine.key_env.empty())
    key = key_in_variable(engine);
  else if (!engine.key_command.empty())
    key = key_of_command(engine, stop);
  else if (!engine.key_file.empty())
    key = key_in_file(engine);
  else
    return {};
  key = std::string(ui::trimmed(key, " \t\r\n"));
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c >= 0x7F; };
  if (key.empty() || std::ranges::any_of(key, is_odd))
    fail(engine, "its key is not one line of visible characters");
  return key;
}

}  // namespace confab::app
