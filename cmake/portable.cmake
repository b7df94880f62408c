# Links everything but the C library (and libgcc_s, which comes with it) into the program, so that it
# runs on distributions that have other versions of the rest, or nothing of it. fmt and toml++ come as
# headers, the others from their archives: CMAKE_FIND_LIBRARY_SUFFIXES found those.
foreach(headers fmt::fmt=FMT_HEADER_ONLY=1 tomlplusplus::tomlplusplus=TOML_HEADER_ONLY=1)
  string(REGEX MATCH "^([^=]+)=(.*)$" ignored ${headers})
  add_library(${CMAKE_MATCH_1} INTERFACE IMPORTED)
  target_compile_definitions(${CMAKE_MATCH_1} INTERFACE ${CMAKE_MATCH_2})
endforeach()

add_link_options(-static-libstdc++)
target_compile_definitions(PkgConfig::CMARK INTERFACE CMARK_STATIC_DEFINE)
target_compile_definitions(PkgConfig::UTF8PROC INTERFACE UTF8PROC_STATIC)
# What shared libraries would say themselves.
target_link_libraries(PkgConfig::NCURSESW INTERFACE ${CMAKE_DL_LIBS})
target_link_libraries(SQLite::SQLite3 INTERFACE m ${CMAKE_DL_LIBS} Threads::Threads)

# Their licences go along.
foreach(package libcli11-dev libcmark-dev libfmt-dev libncurses-dev libpcre2-dev libreadline-dev libsqlite3-dev
    libstdc++-12-dev libtomlplusplus-dev libutf8proc-dev libxxhash-dev nlohmann-json3-dev)
  file(REAL_PATH ${CMAKE_SYSROOT}/usr/share/doc/${package}/copyright licence)
  install(FILES ${licence} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/confab/licences RENAME ${package})
endforeach()
install(FILES /usr/share/common-licenses/GPL-3 DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/confab/licences)
