confab_tests(ui
  frame_test.cpp
  markdown_test.cpp
  text_test.cpp
  wrap_test.cpp
)
