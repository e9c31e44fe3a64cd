// Sources: the texts that a model is read from. A place in them is a file number and a byte offset;
// line and column are counted only when somebody asks.
#ifndef BONDYN_BASE_SOURCE_H
#define BONDYN_BASE_SOURCE_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t file; // 0 = nowhere; otherwise the number that sources_add gave
    uint32_t at;   // byte offset
} Pos;

#define POS_NONE ((Pos){0, 0})

typedef struct Sources Sources;

typedef struct {
    int line, column; // from 1; column counts characters (UTF-8), as editors show it
} LineColumn;

Sources *sources_new(void);
// The same files by the same numbers; what is added to the copy stays there. Needs: the original
// lives on.
Sources *sources_copy(const Sources *s);
void sources_free(Sources *s);
uint32_t sources_add(Sources *s, const char *name, const char *text, size_t length); // copies
int sources_count(const Sources *s); // files are 1 .. count
const char *source_name(const Sources *s, uint32_t file);
const char *source_text(const Sources *s, uint32_t file, size_t *length);
bool begins_character(char c); // not the second or a later byte of a character in UTF-8
LineColumn source_line_column(const Sources *s, Pos pos);

// The text of the line that holds pos, without its end; *length gets its length in bytes.
const char *source_line(const Sources *s, Pos pos, size_t *length);

#endif
