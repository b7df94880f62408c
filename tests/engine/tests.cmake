confab_tests(engine
  error_test.cpp
  gguf_reader_test.cpp
  gguf_test.cpp
  mapped_file_test.cpp
)
