# cmake -DBUILD=build/dev -DCOMPILER=g++ -DFLAGS=-O2 -DWORK=FOLDER -P install_test.cmake
# Installs the build into FOLDER, builds the project beside this file against it, as a user would, and runs
# it. Compiler and flags are those of the build: a sanitizer has to be in both.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G Ninja
    -DCMAKE_PREFIX_PATH=${WORK}/installed -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/hanging_sheet)
run(${WORK}/build/solved_shot)
