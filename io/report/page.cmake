# The page of the report: JavaScript from npm (package-lock.json), bundled into one C++ file of
# keydrape_io. Without Node, or without the packages, everything else builds, and `keydrape report` says
# what is missing (bundle.cmake).

set(report_source ${CMAKE_CURRENT_LIST_DIR})
set(report_build ${PROJECT_BINARY_DIR}/report)
set(report_page ${report_build}/report_page.cpp)
file(GLOB_RECURSE report_scripts CONFIGURE_DEPENDS ${report_source}/page/*)

# A failed bundle is tried again whenever CMake runs, and not with every build: offline each try
# takes its time.
if(EXISTS ${report_page}.absent)
  file(REMOVE ${report_page}.absent ${report_page})
endif()

find_program(KEYDRAPE_NODE NAMES node nodejs)
find_program(KEYDRAPE_NPM npm)
add_custom_command(
  OUTPUT ${report_page}
  COMMAND ${CMAKE_COMMAND} -DNODE=${KEYDRAPE_NODE} -DNPM=${KEYDRAPE_NPM} -DOUTPUT=${report_page}
          -DPACKAGES=${report_build}/packages -P ${report_source}/bundle.cmake
  DEPENDS ${report_scripts} ${report_source}/bundle.cmake ${report_source}/build.mjs
          ${report_source}/package.json ${report_source}/package-lock.json
  COMMENT "Bundling the page of the report"
  VERBATIM)
# Apart from the sources of keydrape_io, which would all wait for what it links: what a command makes may need
# anything that is built before.
add_library(keydrape_report_page OBJECT ${report_page})
target_include_directories(keydrape_report_page PRIVATE ${PROJECT_SOURCE_DIR})
target_sources(keydrape_io PRIVATE $<TARGET_OBJECTS:keydrape_report_page>)
