// SPDX-License-Identifier: MIT
// The way of a request: certificates, against a server of the program openssl with one that is made
// here, and proxies.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "engine/remote/http_client.h"
#include "tests/loopback_server.h"
#include "tests/temp_dir.h"

namespace confab::engine {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using Connection = LoopbackServer::Connection;

class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

HttpAnswer fetched(const std::string& url, const std::string& key = {}) {
  HttpClient client;
  return fetch(client, {.url = url, .key = key, .most = seconds(30)});
}

// Serves "{}" at /page over TLS, with a certificate of its own for 127.0.0.1.
class TlsServer {
 public:
  TlsServer() {
    const std::string make =
        "cd '" + dir_.path().string() +
        "' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        "-keyout key.pem -out cert.pem -subj /CN=confab-test "
        "-addext subjectAltName=IP:127.0.0.1 2>/dev/null";
    if (std::system(make.c_str()) != 0) return;
    dir_.file("page", "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}");
    begin();
  }
  ~TlsServer() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  bool is_there() const noexcept { return !port_.empty(); }
  std::string port() const { return port_; }
  std::string certificate() const { return dir_ / "cert.pem"; }

 private:
  void begin() {
    std::array<int, 2> said{};
    if (pipe(said.data()) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      const int nothing = open("/dev/null", O_RDWR);
      dup2(nothing, STDIN_FILENO);
      dup2(nothing, STDERR_FILENO);  // what it thinks of who does not trust it
      dup2(said[1], STDOUT_FILENO);
      alarm(120);
      if (chdir(dir_.path().c_str()) == 0)
        execlp("openssl", "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "cert.pem",
               "-key", "key.pem", "-HTTP", nullptr);
      _exit(1);
    }
    close(said[1]);
    std::string text;
    for (char byte = 0; text.find("ACCEPT 127.0.0.1:") == std::string::npos || byte != '\n';) {
      if (read(said[0], &byte, 1) != 1) break;
      text += byte;
    }
    close(said[0]);
    const std::size_t at = text.find("127.0.0.1:");
    if (at != std::string::npos) port_ = text.substr(at + 10, text.find('\n', at) - at - 10);
  }

  TempDir dir_;
  pid_t pid_ = -1;
  std::string port_;
};

TEST(HttpFetchTest, ACertificateIsTrustedOnlyByWhoeverSaysSo) {
  const TlsServer server;
  if (!server.is_there()) GTEST_SKIP() << "needs the program openssl";
  const std::string at = "127.0.0.1:" + server.port();
  EXPECT_THAT(fetched("https://" + at + "/page").fault,
              HasSubstr("the certificate of " + at + " is not trusted: "));
  EXPECT_EQ(fetched("https://" + at + "/page").fault.find('\n'), std::string::npos);
  for (const char* name : {"CURL_CA_BUNDLE", "SSL_CERT_FILE"}) {
    const Variable trusted(name, server.certificate());
    const HttpAnswer answer = fetched("https://" + at + "/page");
    EXPECT_EQ(answer.fault, "") << name;
    EXPECT_EQ(answer.body, "{}");
    EXPECT_THAT(fetched("https://localhost:" + server.port() + "/page").fault,
                HasSubstr("the certificate of localhost:" + server.port() + " is not trusted: "))
        << "it is not of that name";
  }
  const Variable nowhere("CURL_CA_BUNDLE", "/nowhere.pem");
  EXPECT_THAT(fetched("https://" + at + "/page").fault, HasSubstr("is not trusted: "));
}

TEST(HttpFetchTest, GoesThroughTheProxyThatTheVariablesName) {
  const LoopbackServer proxy([](const LoopbackRequest& request, Connection& to) {
    to.reply(200, "through: " + request.path);
  });
  const LoopbackServer near([](const LoopbackRequest&, Connection& to) { to.reply(200, "near"); });
  const Variable http("http_proxy", proxy.url());
  EXPECT_EQ(fetched("http://engine.example/v1").body, "through: http://engine.example/v1");
  EXPECT_EQ(fetched(near.url()).body, "near") << "what is on this machine is never asked of others";
  // Another name of this machine, which is_loopback() does not know.
  const std::string other = "http://0.0.0.0:" + std::to_string(near.port());
  EXPECT_THAT(fetched(other).body, HasSubstr("through: "));
  const Variable none("no_proxy", "0.0.0.0");
  EXPECT_EQ(fetched(other).body, "near");
}

TEST(HttpFetchTest, OfTwoWhoMayBeGoneTheRightOneIsNamed) {
  const Variable proxy("https_proxy", "http://127.0.0.1:1");
  EXPECT_THAT(fetched("https://engine.example/v1").fault,
              HasSubstr("the proxy does not answer: Failed to connect to 127.0.0.1 port 1"));
  const Variable none("no_proxy", "0.0.0.0");
  EXPECT_EQ(fetched("https://0.0.0.0:1/v1").fault, "nothing answers at 0.0.0.0:1");
}

// It is the engine's, and the proxy between sees none of it.
TEST(HttpFetchTest, AKeyIsNotForTheProxy) {
  const LoopbackServer proxy(
      [](const LoopbackRequest&, Connection& to) { to.reply(403, "not that way"); });
  const Variable https("https_proxy", proxy.url());
  EXPECT_THAT(fetched("https://engine.example/v1", "s3cret").fault, HasSubstr("engine.example"));
  const auto requests = proxy.requests();
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "CONNECT");
  for (const auto& [name, value] : requests[0].headers)
    EXPECT_EQ(value.find("s3cret"), std::string::npos) << name;
}

}  // namespace
}  // namespace confab::engine
