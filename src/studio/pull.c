// Bodies that are pulled by hand: definitions that the file gets as well, with a spatial.Hand at
// each frame that was grabbed; the text itself stays as it is. The spring is a part of the model
// like any other, so the audit counts its work and a replay does the same again. The experiment is
// done with this model in place of its own.
//
//     import spatial
//     model studio_Pulled extends M
//       input studio_point1[3] {m} = (0, 0, 0) {m}, studio_grip1 = 0
//       spatial.Hand studio_hand1(point = studio_point1, grip = studio_grip1, position = arm.tip.position, mass = arm.mass)
//       studio_hand1.p -> arm.tip[1:3]
//     end
#include "studio/inside.h"

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

void pulled_model(Text *out, const char *model, const char *pulls) {
    bool world;
    char frame[MOST_FRAME];
    text_printf(out, "import spatial\nmodel " PULLED_MODEL " extends %s\n", model);
    for (int k = 1; (pulls = next_pull(pulls, &world, frame)); k++) add_hand(out, k, frame, world);
    text_add(out, "end\n");
}
