# A file as a C string: cmake -DIN=page.css -DOUT=page.css.c -DNAME=asset_page_css -P embed.cmake
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE "${OUT}" "extern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")
