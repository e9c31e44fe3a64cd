# Builds the pages: packages by `npm ci`, once for each lock file; then web/build.mjs. Whatever fails leaves them out.
cmake_minimum_required(VERSION 3.20)
file(MAKE_DIRECTORY ${TO} ${PACKAGES})
file(SHA256 ${FROM}/package-lock.json hash)
string(SUBSTRING ${hash} 0 16 hash)
set(folder ${PACKAGES}/${hash})

function(leave_out why)
    message("web: ${why}: the studio and the report's moving view are left out")
    foreach(name studio)
        file(WRITE ${TO}/${name}.c "#include <stddef.h>\nextern const unsigned char asset_${name}[];\n"
            "extern const size_t asset_${name}_size, asset_${name}_whole;\n"
            "const unsigned char asset_${name}[] = {0};\nconst size_t asset_${name}_size = 0, asset_${name}_whole = 0;\n"
            "extern const char asset_${name}_hash[];\nconst char asset_${name}_hash[] = \"\";\n")
    endforeach()
    foreach(name report motion)
        file(WRITE ${TO}/${name}.c "extern const unsigned char asset_${name}[];\nconst unsigned char asset_${name}[] = {0};\n")
    endforeach()
endfunction()

if(NOT HAS_NODE)
    leave_out("node (18 or later) and npm are not there")
    return()
endif()
file(LOCK ${PACKAGES}/lock TIMEOUT 600)
if(NOT EXISTS ${folder}/complete)
    file(REMOVE_RECURSE ${folder})
    file(COPY ${FROM}/package.json ${FROM}/package-lock.json ${FROM}/.npmrc DESTINATION ${folder})
    execute_process(COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --fetch-retries=1
            --fetch-timeout=20000 WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
    if(failed)
        leave_out("npm cannot get the packages (build again when the network is there: touch web/package.json)")
        return()
    endif()
    file(TOUCH ${folder}/complete)
endif()
file(LOCK ${PACKAGES}/lock RELEASE)
execute_process(COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${folder}/node_modules
    ${NODE} ${FROM}/build.mjs ${folder}/node_modules ${TO} RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "web: the pages do not build")
endif()
