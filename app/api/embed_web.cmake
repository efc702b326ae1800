# Embeds web/dist, and the licences of all that the program holds, into the program: sets ONDOL_EMBEDDED_WEB
# to the generated source.
option(ONDOL_PAGE "a release without the browser page is an error" ON)
set(dist ${CMAKE_SOURCE_DIR}/web/dist)
set(generated ${CMAKE_BINARY_DIR}/generated/web)
set(licenses ${CMAKE_SOURCE_DIR}/packaging/THIRD_PARTY.txt ${CMAKE_SOURCE_DIR}/LICENSE)
list(TRANSFORM licenses PREPEND --licenses= OUTPUT_VARIABLE licenses_arguments)
file(GLOB_RECURSE web_files CONFIGURE_DEPENDS ${dist}/*)
list(FILTER web_files EXCLUDE REGEX "\\.map$")
if(NOT web_files AND CMAKE_BUILD_TYPE STREQUAL "Release")
  if(ONDOL_PAGE)
    message(FATAL_ERROR "web/dist is missing: a release holds the browser page. Build it first "
      "(packaging/quickstart --build does; or: cd web && npm ci && npm run build), "
      "or configure with -DONDOL_PAGE=OFF for a program whose page says that it was not built.")
  endif()
endif()
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(ONDOL_EMBEDDED_WEB ${generated}/embedded_files.cpp)
file(MAKE_DIRECTORY ${generated})
add_custom_command(OUTPUT ${ONDOL_EMBEDDED_WEB}
  COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/embed_web.py
    ${licenses_arguments} ${dist} ${generated} ${web_files}
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/embed_web.py ${licenses} ${web_files}
  COMMENT "Embedding the browser page" VERBATIM)
