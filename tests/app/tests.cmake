confab_tests(app
  attach_test.cpp
  backend_test.cpp
  bandwidth_test.cpp
  bench_test.cpp
  cache_list_test.cpp
  cache_stat_test.cpp
  cache_test.cpp
  chat_test.cpp
  cli_test.cpp
  commands_test.cpp
  config_test.cpp
  convert_test.cpp
  debug_info_test.cpp
  debug_test.cpp
  debug_text_test.cpp
  history_test.cpp
  inference_test.cpp
  kv_block_store_test.cpp
  npy_test.cpp
  once_test.cpp
  paths_test.cpp
  plain_chat_test.cpp
  program.cpp
  progress_line_test.cpp
  pump_test.cpp
  quantize_test.cpp
  read_ahead_test.cpp
  report_test.cpp
  resume_test.cpp
  screen_chat_test.cpp
  themes_test.cpp
  welcome_test.cpp
)
target_link_libraries(app_test PRIVATE fmt::fmt nlohmann_json::nlohmann_json util)
# Some of them run the program itself.
add_dependencies(app_test confab)
