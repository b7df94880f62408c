confab_tests(sessions directory_test.cpp kv_block_test.cpp schema_test.cpp sql_test
                 .cpp store_faults_test.cpp store_test.cpp title_test.cpp token_ids_test.cpp)
