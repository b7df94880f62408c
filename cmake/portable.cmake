# Links what differs from one distribution to the next into the program: a package that is built on
# Debian 12 then runs on other distributions of its time too. fmt and toml++ come as headers, cmark
# and utf8proc from their archives.
foreach(headers fmt::fmt=FMT_HEADER_ONLY=1 tomlplusplus::tomlplusplus=TOML_HEADER_ONLY=1)
  string(REGEX MATCH "^([^=]+)=(.*)$" ignored ${headers})
  add_library(${CMAKE_MATCH_1} INTERFACE IMPORTED)
  target_compile_definitions(${CMAKE_MATCH_1} INTERFACE ${CMAKE_MATCH_2})
endforeach()

foreach(archive CMARK=cmark UTF8PROC=utf8proc)
  string(REGEX MATCH "^([^=]+)=(.*)$" ignored ${archive})
  find_library(CONFAB_${CMAKE_MATCH_1}_ARCHIVE lib${CMAKE_MATCH_2}.a REQUIRED)
  set_target_properties(PkgConfig::${CMAKE_MATCH_1} PROPERTIES
    INTERFACE_LINK_LIBRARIES ${CONFAB_${CMAKE_MATCH_1}_ARCHIVE}
    INTERFACE_COMPILE_DEFINITIONS ${CMAKE_MATCH_1}_STATIC$<$<STREQUAL:${CMAKE_MATCH_1},CMARK>:_DEFINE>)
endforeach()
