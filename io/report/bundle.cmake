# Makes OUTPUT, the C++ file that holds the report's page, with NODE and NPM; packages are installed into
# PACKAGES. On any failure OUTPUT holds the reason instead, OUTPUT.absent marks it, and the build goes on.

set(source ${CMAKE_CURRENT_LIST_DIR})

function(write_absence reason)
  message(WARNING "keydrape report will not work: ${reason}")
  string(REGEX REPLACE "[\\\"\n\r]" " " reason "${reason}")
  file(WRITE ${OUTPUT} "#include \"io/report/bundled_page.h\"

namespace keydrape {

std::string_view report_page() { return {}; }

std::string_view play_page() { return {}; }

std::string_view report_page_obstacle() { return \"${reason}\"; }

}  // namespace keydrape
")
  file(TOUCH ${OUTPUT}.absent)
endfunction()

if(NOT NODE)
  write_absence("there was no node")
  return()
endif()
if(NOT NPM)
  write_absence("there was no npm")
  return()
endif()

# npm ci again only for another lock file: the stamp holds the last one that was installed.
file(SHA256 ${source}/package-lock.json lock)
set(stamp ${PACKAGES}/installed)
set(installed "")
if(EXISTS ${stamp})
  file(READ ${stamp} installed)
endif()
if(NOT installed STREQUAL lock)
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${PACKAGES})
  execute_process(
    COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts --fetch-retries=1 --fetch-timeout=60000
    WORKING_DIRECTORY ${PACKAGES} RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT result EQUAL 0)
    message("${said}")
    write_absence("npm ci failed, is there a network?")
    return()
  endif()
  file(WRITE ${stamp} ${lock})
endif()

execute_process(COMMAND ${NODE} ${source}/build.mjs ${PACKAGES} ${OUTPUT} RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  write_absence("node ${source}/build.mjs failed")
endif()
