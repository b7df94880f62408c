// SPDX-License-Identifier: MIT
#include "engine/remote/curl.h"

#include <dlfcn.h>

#include <array>

#include "engine/error.h"

namespace confab::engine {
namespace {

void* open_library() {
  constexpr std::array kNames{"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"};
  for (const char* name : kNames)
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  throw ModelError("libcurl is not installed, which talks to other engines: install libcurl4");
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));  // NOLINT: as dlsym(3) has it
  if (function == nullptr) throw ModelError("libcurl is too old: version 7.68 or later is needed");
}

Curl load() {
  void* library = open_library();
  Curl curl{};
  find(library, "curl_global_init", curl.global_init);
  find(library, "curl_easy_init", curl.easy_init);
  find(library, "curl_easy_cleanup", curl.easy_cleanup);
  find(library, "curl_easy_setopt", curl.easy_setopt);
  find(library, "curl_easy_getinfo", curl.easy_getinfo);
  find(library, "curl_easy_pause", curl.easy_pause);
  find(library, "curl_easy_strerror", curl.easy_strerror);
  find(library, "curl_slist_append", curl.slist_append);
  find(library, "curl_slist_free_all", curl.slist_free_all);
  find(library, "curl_multi_init", curl.multi_init);
  find(library, "curl_multi_cleanup", curl.multi_cleanup);
  find(library, "curl_multi_add_handle", curl.multi_add_handle);
  find(library, "curl_multi_remove_handle", curl.multi_remove_handle);
  find(library, "curl_multi_perform", curl.multi_perform);
  find(library, "curl_multi_poll", curl.multi_poll);
  find(library, "curl_multi_wakeup", curl.multi_wakeup);
  find(library, "curl_multi_info_read", curl.multi_info_read);
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw ModelError("libcurl cannot be started");
  return curl;
}

}  // namespace

const Curl& curl() {
  static const Curl loaded = load();
  return loaded;
}

}  // namespace confab::engine
