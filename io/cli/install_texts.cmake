# cmake -DPROGRAM=keydrape -DOUT=FOLDER -P install_texts.cmake
# Man page and completions into OUT, as the program writes them of itself.

function(write_output file)
  execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(MAKE_DIRECTORY ${OUT})
write_output(keydrape.1 reference --man)
write_output(keydrape.bash completion bash)
write_output(_keydrape completion zsh)
write_output(keydrape.fish completion fish)
