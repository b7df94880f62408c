// SPDX-License-Identifier: MIT
// libcurl, opened when it is first used, so that it need not be installed if no other program is
// contacted.
#pragma once

#define CURL_DISABLE_TYPECHECK  // its macros clash with the names of our members
#include <curl/curl.h>

namespace confab::engine {

struct Curl {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_pause) easy_pause;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_perform) multi_perform;
  decltype(&curl_multi_poll) multi_poll;
  decltype(&curl_multi_wakeup) multi_wakeup;
  decltype(&curl_multi_info_read) multi_info_read;
};

// Thread-safe; returns the same object each time. Throws ModelError if libcurl is not installed or
// too old.
const Curl& curl();

}  // namespace confab::engine
