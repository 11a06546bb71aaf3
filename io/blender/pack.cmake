# cmake -DPROGRAM=keydrape -DSOURCES=FILES -DSTAGE=FOLDER -DOUT=FILE.zip -P pack.cmake
# The sources and schema.json, which the program writes, as one folder keydrape in a zip.

file(REMOVE_RECURSE ${STAGE})
file(REMOVE ${OUT})
file(COPY ${SOURCES} DESTINATION ${STAGE}/keydrape)
execute_process(COMMAND ${PROGRAM} schema OUTPUT_FILE ${STAGE}/keydrape/schema.json
                COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar cf ${OUT} --format=zip keydrape WORKING_DIRECTORY ${STAGE}
                COMMAND_ERROR_IS_FATAL ANY)
