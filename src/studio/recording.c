// A drive as a file: every call that the run got, in order. Numbers are in hexadecimal, so they
// come back as they were; the same calls of the same model give the same bits.
//
//     bondyn recording 1
//     model Simulator
//     experiment Drive
//     stop 0x1.518p+16
//     pull own plant.arm.tool        a hand at a frame, see pull.c
//     input stick.x 0x1.8p-2
//     advance 0x1.1111111111111p-6
//     set c.K_d 0x1.f4p+9
//     save
//     end 36
//     state plant.arm.q1.q 0x1.2p-3
#include "studio/inside.h"
#include "studio/live.h"

#include "base/memory.h"
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// --- calls ---------------------------------------------------------------------------------------

// A temporary file without a name: only this program can see it, and it is gone when the program
// ends.
static FILE *file_without_name(void) {
    const char *const folder[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        if (!folder[i] || !*folder[i]) continue;
        Text path = {0};
        text_printf(&path, "%s/bondyn-drive-XXXXXX", folder[i]);
        int file = mkstemp(path.data);
        if (file >= 0) unlink(path.data);
        text_free(&path);
        if (file < 0) continue;
        fcntl(file, F_SETFD, FD_CLOEXEC);
        FILE *f = fdopen(file, "w+b");
        if (f) return f;
        close(file);
    }
    return NULL;
}

static bool lose(Recording *c, const char *why) {
    c->lost = why;
    return false;
}

// Appends the full block to the file.
static bool put_away(Recording *c) {
    if (!c->before) c->before = file_without_name();
    if (!c->before || fseeko(c->before, (off_t)c->first * (off_t)sizeof(Call), SEEK_SET) != 0 ||
        fwrite(c->block, sizeof(Call), CALL_BLOCK, c->before) != CALL_BLOCK ||
        fflush(c->before) != 0)
        return lose(c, "there is no room for it in the folder for temporary files");
    c->first += CALL_BLOCK;
    return true;
}

bool recording_add(Recording *c, CallKind kind, int which, double value) {
    if (c->lost) return true;
    if (c->count >= MOST_CALLS) return lose(c, "it is too long");
    if (!c->block) c->block = memory_zeroed(CALL_BLOCK, sizeof *c->block);
    if (c->count - c->first == CALL_BLOCK && !put_away(c)) return false;
    c->block[c->count - c->first] = (Call){kind, which, value};
    c->count++;
    return true;
}

int recording_read(const Recording *c, int from, Call to[CALL_BLOCK]) {
    if (from < 0 || from >= c->count) return 0;
    int end = from < c->first ? c->first : c->count, n = end - from;
    if (n > CALL_BLOCK) n = CALL_BLOCK;
    if (from >= c->first) {
        memcpy(to, c->block + (from - c->first), (size_t)n * sizeof *to);
        return n;
    }
    if (fseeko(c->before, (off_t)from * (off_t)sizeof(Call), SEEK_SET) != 0) return 0;
    return (int)fread(to, sizeof *to, (size_t)n, c->before);
}

// What is left of a block that had been put away comes back.
bool recording_cut(Recording *c, int count) {
    if (count < 0 || count >= c->count) return true;
    int first = count / CALL_BLOCK * CALL_BLOCK, n = count - first;
    if (first < c->first && n) {
        Call back[CALL_BLOCK];
        if (recording_read(c, first, back) < n)
            return lose(c, "what was kept of it cannot be read");
        memcpy(c->block, back, (size_t)n * sizeof *back);
    }
    if (first < c->first) c->first = first;
    c->count = count;
    return true;
}

int recording_name(Recording *c, const char *name) {
    for (int i = 0; i < c->name.count; i++)
        if (strcmp(c->name.data[i], name) == 0) return i;
    Text t = {0};
    text_add(&t, name);
    array_push(&c->name, t.data);
    return c->name.count - 1;
}

void recording_free(Recording *c) {
    for (int i = 0; i < c->name.count; i++) free(c->name.data[i]);
    array_free(&c->name);
    free(c->block);
    if (c->before) fclose(c->before);
    *c = (Recording){0};
}

// --- as a file -----------------------------------------------------------------------------------

static void write_call(FILE *to, const Recording *c, const Call *x, const BdModel *m) {
    BdVariable v;
    switch (x->kind) {
    case CALL_ADVANCE: fprintf(to, "advance %a\n", x->value); break;
    case CALL_INPUT:
        if (bd_variable(m, BD_INPUT, x->which, &v)) fprintf(to, "input %s %a\n", v.name, x->value);
        break;
    case CALL_SET: fprintf(to, "set %s %a\n", c->name.data[x->which], x->value); break;
    case CALL_SAVE: fputs("save\n", to); break;
    }
}

static bool write_calls(FILE *to, const Recording *c, const BdModel *m) {
    Call *block = memory_zeroed(CALL_BLOCK, sizeof *block);
    int i = 0;
    for (int n; (n = recording_read(c, i, block)) > 0; i += n)
        for (int k = 0; k < n; k++) write_call(to, c, &block[k], m);
    free(block);
    return i == c->count;
}

static void write_states(FILE *to, const BdModel *m, const BdRun *run) {
    int states = bd_count(m, BD_STATE);
    BdVariable v;
    double *x = memory_zeroed((size_t)states + 1, sizeof *x);
    bd_get_states(run, x);
    fprintf(to, "end %d\n", states);
    for (int i = 0; i < states; i++)
        if (bd_variable(m, BD_STATE, i, &v)) fprintf(to, "state %s %a\n", v.name, x[i]);
    free(x);
}

bool recording_write(const Recording *c, const Built *b, const BdRun *run, double stop, FILE *to) {
    const BdModel *m = b->model;
    fprintf(to, "bondyn recording 1\nmodel %s\nexperiment %s\nstop %a\n",
            *b->plain ? b->plain : bd_model_name(m), bd_model_experiment(m), stop);
    for (const char *line = b->pulls; *line;) { // whole lines
        const char *next = strchr(line, '\n') + 1;
        fprintf(to, "pull %.*s", (int)(next - line), line);
        line = next;
    }
    if (!write_calls(to, c, m)) return false;
    write_states(to, m, run);
    return !ferror(to);
}
