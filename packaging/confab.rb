# A Homebrew formula. Untried: it has not been run through brew. Set url and sha256 to a release.
class Confab < Formula
  desc "Chat in the terminal with language models on your own machine"
  homepage "https://example.org/confab"
  url "https://example.org/confab/confab-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["MIT", "CC-BY-SA-4.0"]

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkg-config" => :build
  depends_on "tomlplusplus"
  depends_on "cmark"
  depends_on "fmt"
  depends_on "ncurses"
  depends_on "pcre2"
  depends_on "readline"
  depends_on "sqlite"
  depends_on "utf8proc"
  depends_on "xxhash"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja",
           "-DCONFAB_TESTS=OFF", "-DCONFAB_BENCH=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/confab --version")
    assert_match "confab-demo.gguf", shell_output("#{bin}/confab models")
  end
end
