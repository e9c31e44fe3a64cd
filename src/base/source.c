#include "base/source.h"

#include "base/array.h"
#include "base/memory.h"
#include <string.h>

typedef struct {
    const char *name, *text;
    size_t length;
} Source;

struct Sources {
    Arena arena;
    ARRAY(Source) file;
};

Sources *sources_new(void) {
    Sources *s = memory_zeroed(1, sizeof *s);
    array_push(&s->file, ((Source){"", "", 0}));
    return s;
}

Sources *sources_copy(const Sources *s) {
    Sources *copy = memory_zeroed(1, sizeof *copy);
    for (int i = 0; i < s->file.count; i++) array_push(&copy->file, s->file.data[i]);
    return copy;
}

void sources_free(Sources *s) {
    if (!s) return;
    arena_free(&s->arena);
    array_free(&s->file);
    free(s);
}

uint32_t sources_add(Sources *s, const char *name, const char *text, size_t length) {
    Source file = {arena_copy_text(&s->arena, name, strlen(name)),
                   arena_copy_text(&s->arena, text, length), length};
    array_push(&s->file, file);
    return (uint32_t)s->file.count - 1;
}

int sources_count(const Sources *s) { return s->file.count - 1; }

const char *source_name(const Sources *s, uint32_t file) { return s->file.data[file].name; }

const char *source_text(const Sources *s, uint32_t file, size_t *length) {
    *length = s->file.data[file].length;
    return s->file.data[file].text;
}

bool begins_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

LineColumn source_line_column(const Sources *s, Pos pos) {
    const char *text = s->file.data[pos.file].text;
    LineColumn lc = {1, 1};
    for (uint32_t i = 0; i < pos.at; i++) {
        lc.column += begins_character(text[i]);
        if (text[i] == '\n') lc.line++, lc.column = 1;
    }
    return lc;
}

const char *source_line(const Sources *s, Pos pos, size_t *length) {
    const Source *f = &s->file.data[pos.file];
    size_t start = pos.at, end = pos.at;
    while (start > 0 && f->text[start - 1] != '\n') start--;
    while (end < f->length && f->text[end] != '\n' && f->text[end] != '\r') end++;
    while (end > start && f->text[end - 1] == '\r') end--;
    *length = end - start;
    return f->text + start;
}
