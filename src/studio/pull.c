// Bodies that are pulled by hand: the text of the model with a spatial.Hand at each frame that was grabbed. The spring is a part
// of the model like any other, so the audit counts its work and a replay does the same again.
//
//     import spatial                                       experiment E of studio_Pulled
//     ... the text ...                          and          ...
//     model studio_Pulled extends M             E becomes  end
//       input studio_point1[3] {m} = (0, 0, 0) {m}, studio_grip1 = 0
//       spatial.Hand studio_hand1(point = studio_point1, grip = studio_grip1, position = arm.tip.position, mass = arm.mass)
//       studio_hand1.p -> arm.tip[1:3]
//     end
#include "studio/inside.h"

#include "base/files.h"
#include "base/memory.h"
#include <ctype.h>
#include <string.h>

// Lines "own PATH" or "world PATH": the axes of the frame's port, and its name.
static const char *next_pull(const char *line, bool *world, char frame[MOST_FRAME]) {
    const char *end = strchr(line, '\n'), *blank = strchr(line, ' ');
    if (!end || !blank || blank > end || end - blank >= MOST_FRAME) return NULL;
    *world = strncmp(line, "world ", 6) == 0;
    size_t n = (size_t)(end - blank - 1);
    memcpy(frame, blank + 1, n);
    frame[n] = 0;
    return end + 1;
}

// A path with a mechanism before it, in letters that names have.
static bool is_frame(const char *path) {
    if (!strchr(path, '.') || strlen(path) >= MOST_FRAME) return false;
    for (const char *c = path; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_.[]", *c)) return false;
    return true;
}

int pull_find(const char *pulls, const char *frame) {
    bool world;
    char name[MOST_FRAME];
    for (int k = 1; (pulls = next_pull(pulls, &world, name)); k++)
        if (strcmp(name, frame) == 0) return k;
    return 0;
}

bool pull_add(Text *pulls, const char *frame, bool world) {
    enum { MOST_PULLS = 16 };
    int lines = 0;
    for (const char *c = text_get(pulls); *c; c++) lines += *c == '\n';
    if (!is_frame(frame) || lines >= MOST_PULLS) return false;
    if (!pull_find(text_get(pulls), frame))
        text_printf(pulls, "%s %s\n", world ? "world" : "own", frame);
    return true;
}

// --- the text ------------------------------------------------------------------------------------

static const char *skip_blanks(const char *at) {
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

static const char *after_word(const char *at, const char *word) {
    size_t n = strlen(word);
    if (!n || strncmp(at, word, n) != 0 || isalnum((unsigned char)at[n]) || at[n] == '_')
        return NULL;
    return skip_blanks(at + n);
}

// "experiment E of M" at the beginning of a line: where M stands; NULL: it is no such line.
static const char *model_of(const char *line, const char *experiment, const char *model) {
    const char *at = after_word(skip_blanks(line), "experiment");
    if (at) at = after_word(at, experiment);
    if (at) at = after_word(at, "of");
    return at && after_word(at, model) ? at : NULL;
}

static void add_hand(Text *out, int number, const char *frame, bool world) {
    size_t above = (size_t)(strrchr(frame, '.') - frame);
    text_printf(out, "  input studio_point%d[3] {m} = (0, 0, 0) {m}, studio_grip%d = 0\n", number,
                number);
    text_printf(out, "  spatial.Hand studio_hand%d(point = studio_point%d, grip = studio_grip%d",
                number, number, number);
    text_printf(out, ", position = %s.position", frame);
    if (!world) text_printf(out, ", rotation = %s.rotation", frame);
    text_printf(out, ", mass = %.*s.mass)\n  studio_hand%d.p -> %s[1:3]\n", (int)above, frame,
                number, frame);
}

void pulled_text(Text *out, const char *text, const PulledText *p) {
    bool world;
    char frame[MOST_FRAME];
    text_add(out, "import spatial\n");
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n'), *next = end ? end + 1 : line + strlen(line);
        const char *at = model_of(line, p->experiment, p->model);
        text_add_n(out, line, (size_t)((at ? at : next) - line));
        if (at) {
            text_add(out, PULLED_MODEL);
            at += strlen(p->model);
            text_add_n(out, at, (size_t)(next - at));
        }
        line = next;
    }
    text_printf(out, "\nmodel " PULLED_MODEL " extends %s\n", p->model);
    const char *pull = p->pulls;
    for (int k = 1; (pull = next_pull(pull, &world, frame)); k++) add_hand(out, k, frame, world);
    text_add(out, "end\n");
}

static char *read_plain(const PulledText *p, const char *path, size_t *length) {
    if (p->read) return p->read(p->context, path, length);
    Arena arena = {0};
    Report quiet = {0};
    char *text = file_read(&arena, path, length, &quiet, POS_NONE), *copy = NULL;
    if (text) {
        copy = memory_zeroed(*length + 1, 1);
        memcpy(copy, text, *length);
    }
    report_free(&quiet);
    arena_free(&arena);
    return copy;
}

char *pulled_read(void *context, const char *path, size_t *length) {
    const PulledText *p = context;
    char *text = read_plain(p, path, length);
    if (!text || strcmp(path, p->main) != 0) return text;
    char *plain = memory_zeroed(*length + 1, 1);
    memcpy(plain, text, *length);
    Text out = {0};
    pulled_text(&out, plain, p);
    free(plain);
    free(text);
    *length = out.length;
    return out.data;
}
