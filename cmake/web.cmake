# The pages in web/: TypeScript that esbuild makes into one script each, put into the program as compressed bytes. Needs
# node (18 or later) and npm, and the npm registry once for each state of web/package-lock.json; where one of them is
# missing, pages are left out, and all else is built.
#
#     web/src/studio.ts  ->  studio.c   asset_studio   the page of `bondyn studio`
#     web/src/report.ts  ->  report.c   asset_report   the script of report pages
#     web/src/motion.ts  ->  motion.c   asset_motion   ... of those with a motion
find_program(NODE NAMES node nodejs)
find_program(NPM NAMES npm)
set(web ${CMAKE_CURRENT_BINARY_DIR}/web)
# Presets share the packages: they lie beside their build folders.
cmake_path(IS_PREFIX CMAKE_CURRENT_SOURCE_DIR ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE inside)
set(web_packages ${web})
if(inside)
    set(web_packages ${CMAKE_CURRENT_SOURCE_DIR}/build/web)
endif()
set(has_node 0)
if(NODE AND NPM)
    execute_process(COMMAND ${NODE} -e "process.exit(+process.versions.node.split('.')[0] >= 18 ? 0 : 1)"
        RESULT_VARIABLE node_is_old)
    if(node_is_old EQUAL 0)
        set(has_node 1)
    endif()
endif()
if(NOT has_node)
    message(STATUS "node (18 or later) and npm are not there: the studio and the report's moving view are left out")
endif()
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/*)
add_custom_command(OUTPUT ${web}/studio.c ${web}/report.c ${web}/motion.c
    COMMAND ${CMAKE_COMMAND} -DNODE=${NODE} -DNPM=${NPM} -DHAS_NODE=${has_node} -DPACKAGES=${web_packages}
            -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/web -DTO=${web}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/web_build.cmake
    DEPENDS ${web_sources} web/package.json web/package-lock.json web/build.mjs cmake/web_build.cmake VERBATIM)
add_custom_target(web_pages DEPENDS ${web}/studio.c ${web}/report.c ${web}/motion.c)
foreach(of studio page)
    add_dependencies(bondyn_${of} web_pages)
endforeach()
target_sources(bondyn_studio PRIVATE ${web}/studio.c)
target_sources(bondyn_page PRIVATE ${web}/report.c ${web}/motion.c)
