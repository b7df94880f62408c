confab_tests(base)
target_link_libraries(base_test PRIVATE nlohmann_json::nlohmann_json)
