confab_tests(app)
target_sources(app_test PRIVATE ui/escape_corpus.cpp ui/escape_scanner.cpp ui/vt_screen.cpp)
target_link_libraries(app_test PRIVATE fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 PkgConfig::UTF8PROC
  PkgConfig::VTERM util)
# Some of them run the program itself.
add_dependencies(app_test confab)
