// SPDX-License-Identifier: MIT
#include "app/progress_line.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "tests/app/program.h"
#include "tests/engine/tiny_model.h"

namespace confab::app {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Stands for a terminal.
File temporary() {
  return File(std::tmpfile(), std::fclose);
}

std::string written(const File& file) {
  std::string out(static_cast<std::size_t>(std::ftell(file.get())), '\0');
  std::rewind(file.get());
  EXPECT_EQ(std::fread(out.data(), 1, out.size(), file.get()), out.size());
  return out;
}

TEST(ProgressLineTest, IsWrittenOverAndGoesAway) {
  const File terminal = temporary();
  {
    ProgressLine line(terminal.get(), true);
    line.show(7, "1/2");
    line.show(7, "1/2");
    line.show(100, "2/2");
  }
  EXPECT_EQ(written(terminal), "\r  7 %  1/2\x1b[K\r100 %  2/2\x1b[K\r\x1b[K");
}

TEST(ProgressLineTest, ThatWasNotShownLeavesNoTrace) {
  const File terminal = temporary();
  { const ProgressLine line(terminal.get(), true); }
  EXPECT_EQ(written(terminal), "");
}

TEST(ProgressLineTest, IsOneSafeLine) {
  const File terminal = temporary();
  ProgressLine line(terminal.get(), true);
  line.show(1, "\x1b[2J" + std::string(500, 'x'));
  const std::string shown = written(terminal);
  EXPECT_EQ(shown.find("\x1b[2J"), std::string::npos);
  EXPECT_LT(shown.size(), 90U);
}

TEST(ProgressLineTest, OnlyATerminalGetsOne) {
  const File file = temporary();
  {
    ProgressLine line(file.get());
    line.show(1, "x");
  }
  EXPECT_EQ(written(file), "");
}

TEST(ProgressLineTest, SignalsAskForAnExitStatus) {
  ui::Signals signals;
  EXPECT_EQ(status_asked_for(signals), 0);
  raise(SIGWINCH);
  EXPECT_EQ(status_asked_for(signals), 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    raise(signal);
    EXPECT_EQ(status_asked_for(signals), 128 + signal);
  }
  EXPECT_EQ(status_asked_for(signals), 0);
}

// The tensors of a model large enough to be interrupted.
std::string large_model(const TempDir& dir) {
  engine::GgufWriter writer;
  writer.add("general.architecture", "llama").add("llama.block_count", std::uint32_t{64});
  const std::string zeros(std::size_t{256} * 1024 * 4, '\1');
  for (int il = 0; il < 64; ++il)
    writer.add_tensor("blk." + std::to_string(il) + ".ffn_up.weight", 0, {256, 1024}, zeros);
  const std::string path = (dir / "in.gguf").string();
  writer.write(path);
  return path;
}

TEST(ProgressLineTerminalTest, LongCommandsShowHowFarTheyAreAndCtrlCEndsThem) {
  const TempDir home;
  {
    SCOPED_TRACE("cache verify");
    const engine::TinyModelFile model;
    const std::vector<std::string> words = {"-m", model.path(),  "-p", std::string(200, 'a'), "-n",
                                            "3",  "--ignore-eos"};
    ASSERT_EQ(run_program(home, words).status, 6);
    PtyProgram program(home, {"cache", "verify"});
    EXPECT_TRUE(program.wait_for("100 %  ")) << program.output();
    EXPECT_TRUE(program.wait_for(" blocks\x1b[K\r\x1b[K")) << program.output();
    EXPECT_TRUE(program.wait_for(" good")) << program.output();
    EXPECT_EQ(program.wait_for_exit(), 0);
  }
  SCOPED_TRACE("quantize, interrupted: nothing is left behind");
  const TempDir dir;
  PtyProgram program(
      home, {"quantize", large_model(dir), (dir / "out.gguf").string(), "Q4_K_M", "-t", "1"});
  ASSERT_TRUE(program.wait_for("1/64")) << program.output();
  program.type("\x03");
  EXPECT_EQ(program.wait_for_exit(), 130) << program.output();
  const std::filesystem::directory_iterator files(dir.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace confab::app
