// SPDX-License-Identifier: MIT
#include "app/engine_config.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "app/error.h"
#include "app/toml_entries.h"
#include "tests/temp_dir.h"

namespace confab::app {
namespace {

struct Read {
  std::vector<EngineConfig> engines = {};
  std::vector<EngineFault> faults = {};
};

Read read(const std::string& toml) {
  Read read;
  const TomlDocument document = read_toml(toml);
  for (const TomlEntry& entry : document.entries)
    if (entry.key == "engines") read.faults = read_engines(entry, read.engines);
  return read;
}

std::string fault_of(const std::string& toml) {
  const Read one = read(toml);
  EXPECT_TRUE(one.engines.empty());
  return one.faults.empty() ? "" : one.faults.front().text;
}

std::string key_fault(const EngineConfig& engine) {
  try {
    key_of(engine);
  } catch (const UserError& fault) {
    return fault.what();
  }
  return {};
}

TEST(EngineConfigTest, TablesAreRead) {
  const Read got = read(
      "[engines.work]\nurl = \"https://h.test/v1/\"\nkey_env = \"K\"\nmodels = [\"a\", \"b\"]\n"
      "timeout = 30\n[engines.home]\nurl = \"http://127.0.0.1:8080\"\nmodels = \"a\"\n");
  EXPECT_TRUE(got.faults.empty());
  ASSERT_EQ(got.engines.size(), 2U);
  EXPECT_EQ(got.engines[0], (EngineConfig{.name = "work",
                                          .url = "https://h.test",
                                          .key_env = "K",
                                          .models = {"a", "b"},
                                          .timeout = 30}));
  EXPECT_EQ(got.engines[1].models, std::vector<std::string>{"a"});
}

TEST(EngineConfigTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(read("\n[engines.work]\nurl = 7\n").faults.at(0).line, 3);
  EXPECT_EQ(fault_of("[engines.w]\nurl = 7\n"), "[engines.w] url must be a text");
  EXPECT_EQ(fault_of("[engines.w]\nurl = \"h.test\"\n"),
            "[engines.w] url must begin with http:// or https://");
  EXPECT_EQ(fault_of("[engines.w]\nurl = \"http://me:pw@h.test\"\n"),
            "[engines.w] url must have a host, and no name or password before it");
  EXPECT_EQ(fault_of("[engines.w]\n"), "[engines.w] has no url");
  EXPECT_EQ(
      fault_of("[engines.w]\nurl = \"http://h\"\nkey = \"s\"\n"),
      "[engines.w] a key does not belong into this file; use key_env, key_command or key_file");
  EXPECT_NE(fault_of("[engines.w]\nurl = \"http://h\"\nkye_env = \"s\"\n").find("no key 'kye_env'"),
            std::string::npos);
  EXPECT_NE(fault_of("[engines.w]\nurl = \"http://h\"\nkey_env = \"a\"\nkey_file = \"b\"\n")
                .find("more than one"),
            std::string::npos);
  EXPECT_NE(fault_of("[engines.w]\nurl = \"http://h\"\ntimeout = 0\n").find("from 1 to"),
            std::string::npos);
  EXPECT_NE(fault_of("[engines]\n\"a/b\" = {url = \"http://h\"}\n").find("a name of letters"),
            std::string::npos);
  EXPECT_EQ(fault_of("engines = 7\n"), "engines must be tables, [engines.NAME]");
}

TEST(EngineConfigTest, AKeyComesFromAVariableACommandOrAFile) {
  EngineConfig engine{.name = "w", .url = "http://h"};
  EXPECT_EQ(key_of(engine), "");
  setenv("CONFAB_TEST_KEY", "from-variable", 1);
  engine.key_env = "CONFAB_TEST_KEY";
  EXPECT_EQ(key_of(engine), "from-variable");
  unsetenv("CONFAB_TEST_KEY");
  EXPECT_EQ(key_fault(engine),
            "engine w: the variable CONFAB_TEST_KEY, which key_env names, is not set");
  engine.key_env.clear();
  engine.key_command = "echo from-command";
  EXPECT_EQ(key_of(engine), "from-command");
  engine.key_command = "echo s3cret; exit 3";
  EXPECT_EQ(key_fault(engine), "engine w: key_command failed; run it by hand to see why");
  engine.key_command = "echo 'two lines'";
  EXPECT_EQ(key_fault(engine), "engine w: its key is not one line of visible characters");
}

TEST(EngineConfigTest, AKeyFileMustBeThePersonsAlone) {
  const TempDir dir;
  const std::string file = dir.path() / "key";
  write_file(file, "from-file\n");
  EngineConfig engine{.name = "w", .url = "http://h", .key_file = file};
  ::chmod(file.c_str(), 0600);
  EXPECT_EQ(key_of(engine), "from-file");
  ::chmod(file.c_str(), 0640);
  EXPECT_EQ(key_fault(engine),
            "engine w: key_file " + file + " must be yours alone: chmod 600 " + file);
  engine.key_file += ".gone";
  EXPECT_NE(key_fault(engine).find("cannot be read"), std::string::npos);
}

}  // namespace
}  // namespace confab::app
