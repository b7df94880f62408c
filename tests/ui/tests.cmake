confab_tests(ui)
target_link_libraries(ui_test PRIVATE PkgConfig::UTF8PROC PkgConfig::VTERM)
