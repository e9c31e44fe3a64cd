// Native code on its way: text, cache, compiler in the background, library.
//
//     text --> digest of the key --> in the cache? ---- yes ------------------> load --> ready
//                                        no --> tmp.XXXXXX/code.c --> cc --> keep, load
//                                                 (VM runs meanwhile)
#include "engine/native.h"

#include "base/array.h"
#include "base/files.h"
#include "base/memory.h"
#include "engine/block_run.h"
#include "engine/native_cache.h"
#include "engine/native_code.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct Native {
    const Program *program;
    Arena arena;
    NativeState state;
    Text words;
    struct timespec begin;
    double seconds;
    const char *folder;           // of the cache; NULL: none
    const char *kept;             // path in the cache
    char *work;                   // folder in which the compiler works; NULL: none
    char *source, *made, *output; // files in it
    pid_t compiler;               // 0: none runs
    double limit;                 // seconds that it may take
    void *library;
    NativeCode code;
};

// Without contraction and with every operation rounded for itself, results are those of the
// virtual machine. The vectorizer of gcc 12 contracts all the same, for sums and differences side
// by side, and there is nothing to vectorize in straight-line code anyway. pow(2, x) must not
// become exp2(x), which rounds otherwise. Tuning for a typical processor does better on long
// straight-line code than for the very one. Functions begin on a cache line: the same code can take
// a tenth longer elsewhere.
static const char *const flags[] = {"-std=gnu17",
                                    "-O3",
                                    "-falign-functions=64",
#if defined(__x86_64__) || defined(__i386__)
                                    "-march=native",
                                    "-mtune=generic",
#else
                                    "-mcpu=native",
#endif
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-fno-builtin-pow",
                                    "-fno-tree-vectorize",
                                    "-fno-tree-slp-vectorize",
                                    "-frename-registers",
                                    "-w",
                                    "-shared",
                                    "-fPIC"};

enum { FLAGS = sizeof flags / sizeof *flags };

int native_lanes(void) {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_cpu_supports("avx512f") ? 8 : __builtin_cpu_supports("avx2") ? 4 : 2;
#else
    return 2;
#endif
}

// Angles of one run: four fill even the widest registers well enough.
static int angles_at_once(void) { return native_lanes() < 4 ? 2 : 4; }

// --- endings -------------------------------------------------------------------------------------

static double elapsed(const Native *n) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - n->begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - n->begin.tv_nsec);
}

static void remove_work(Native *n) {
    if (!n->work) return;
    int count;
    char **left =
        folder_files(&n->arena, n->work, "", &count); // also what a compiler that was ended left
    for (int i = 0; i < count; i++) unlink(left[i]);
    rmdir(n->work);
    n->work = NULL;
}

static void fail(Native *n, const char *what, const char *detail) {
    n->state = NATIVE_FAILED;
    text_clear(&n->words);
    text_printf(&n->words, "%s%s%s", what, *detail ? ": " : "", detail);
    remove_work(n);
}

// --- loading -------------------------------------------------------------------------------------

// Function pointers come as data pointers from dlsym; memcpy converts them.
static bool find_symbol(const Native *n, const char *name, void *to) {
    void *address = dlsym(n->library, name);
    memcpy(to, &address, sizeof address);
    return address != NULL;
}

static bool find_steps(const Native *n, NativeCode *c) {
    return find_symbol(n, "bondyn_euler", &c->euler) && find_symbol(n, "bondyn_heun", &c->heun) &&
           find_symbol(n, "bondyn_rk4", &c->rk4) && find_symbol(n, "bondyn_rk78", &c->rk78) &&
           find_symbol(n, "bondyn_rk78_more", &c->rk78_more);
}

static bool find_single(const Native *n, NativeCode *c) {
    find_steps(n, c);
    find_symbol(n, "bondyn_jacobian", &c->jacobian);
    find_symbol(n, "bondyn_guards", &c->guards);
    find_symbol(n, "bondyn_memory", &c->memory);
    return find_symbol(n, "bondyn_residual", &c->residual) &&
           find_symbol(n, "bondyn_matrix", &c->matrix);
}

static bool find_symbols(Native *n) {
    NativeCode *c = &n->code;
    const unsigned *slots, *registers;
    if (!find_symbol(n, "bondyn_rates", &c->rates) || !find_symbol(n, "bondyn_quads", &c->quads) ||
        !find_symbol(n, "bondyn_outputs", &c->outputs) ||
        !find_symbol(n, "bondyn_switches", &c->switches) ||
        !find_symbol(n, "bondyn_slots", &slots) || !find_symbol(n, "bondyn_registers", &registers))
        return false;
    c->slots = *slots;
    bool rest = c->lanes > 1 ? find_steps(n, c) : find_single(n, c);
    return rest && *registers == n->program->register_count;
}

static bool load(Native *n, const char *path) {
    int file = file_open(path); // dlopen waits for the other end of a pipe
    if (file >= 0) close(file);
    n->library = file < 0 ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (n->library && find_symbols(n)) {
        n->state = NATIVE_READY;
        n->seconds = elapsed(n);
        return true;
    }
    if (n->library) dlclose(n->library);
    n->library = NULL;
    return false;
}

static bool load_kept(Native *n) {
    if (!n->kept || !cache_has(n->kept)) return false;
    if (!load(n, n->kept)) {
        unlink(n->kept); // sealed, but of no use: made anew
        return false;
    }
    text_add(&n->words, "native code from the cache");
    return true;
}

// --- the compiler --------------------------------------------------------------------------------

typedef ARRAY(char *) WordList;

// $CC may hold options: "ccache gcc -m64".
static void compiler_words(Native *n, const char *cc, WordList *words) {
    if (!cc) cc = getenv("CC");
    if (!cc || !*cc) cc = "cc";
    for (const char *p = cc; *(p += strspn(p, " \t"));) {
        size_t length = strcspn(p, " \t");
        array_push(words, arena_copy_text(&n->arena, p, length));
        p += length;
    }
    if (!words->count) array_push(words, arena_copy_text(&n->arena, "cc", 2));
}

// Where the shell would find the program; NULL when nowhere.
static char *find_program(Arena *out, const char *name) {
    if (strchr(name, '/')) return access(name, X_OK) == 0 ? (char *)name : NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t length = strcspn(p, ":");
        char *folder = arena_copy_text(out, p, length), *file = path_join(out, folder, name);
        if (length && access(file, X_OK) == 0) return file;
        p += length + (p[length] == ':');
    }
    return NULL;
}

// What identifies a compiler without asking it, which would take longer than some runs.
static bool describe_compiler(Native *n, const WordList *words, Text *out) {
    char *program = find_program(&n->arena, words->data[0]);
    char *real = program ? realpath(program, NULL) : NULL;
    struct stat s;
    if (!real || stat(real, &s) != 0) {
        free(real);
        return false;
    }
    text_printf(out, "%s %lld %lld.%09ld", real, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                (long)s.st_mtim.tv_nsec);
    for (int i = 0; i < words->count; i++) text_printf(out, " %s", words->data[i]);
    for (int i = 0; i < FLAGS; i++) text_printf(out, " %s", flags[i]);
    text_char(out, '\n');
    free(real);
    return true;
}

static char *make_work_folder(Native *n) {
    const char *tmp = getenv("TMPDIR");
    const char *place[3] = {n->folder, tmp && tmp[0] == '/' ? tmp : NULL, "/tmp"};
    for (int i = 0; i < 3; i++) {
        if (!place[i]) continue;
        char *folder = path_join(&n->arena, place[i], "tmp.XXXXXX");
        if (mkdtemp(folder)) return folder;
    }
    return NULL;
}

static bool write_source(Native *n, const Text *text) {
    n->work = make_work_folder(n);
    if (!n->work) return false;
    n->source = path_join(&n->arena, n->work, "code.c");
    n->made = path_join(&n->arena, n->work, "code.so");
    n->output = path_join(&n->arena, n->work, "words.txt");
    Report ignored = {0};
    bool good = file_write(n->source, text_get(text), text->length, &ignored);
    report_free(&ignored);
    return good;
}

// The environment as it is, but that passing files of the compiler belong into the folder of the work.
static void environment_of(Native *n, WordList *list) {
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "TMPDIR=", 7) != 0) array_push(list, *e);
    array_push(list, arena_printf(&n->arena, "TMPDIR=%s", n->work));
    array_push(list, NULL);
}

// In a group of its own, so that all of it can be ended; its words go to a file.
static int spawn_compiler(Native *n, WordList *words) {
    for (int i = 0; i < FLAGS; i++) array_push(words, (char *)flags[i]);
    char *rest[] = {(char *)"-o", n->made, n->source, (char *)"-lm", NULL};
    for (int i = 0; i < 5; i++) array_push(words, rest[i]);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, n->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
    WordList environment = {0};
    environment_of(n, &environment);
    int error =
        posix_spawnp(&n->compiler, words->data[0], &files, &how, words->data, environment.data);
    if (error) n->compiler = 0;
    array_free(&environment);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

// $BONDYN_COMPILER_SECONDS, else what the caller says, else two minutes and a second for every 20
// kB.
static double compiler_limit(double wanted, size_t length) {
    const char *given = getenv("BONDYN_COMPILER_SECONDS");
    double seconds = given ? strtod(given, NULL) : 0;
    if (seconds > 0) return seconds;
    return wanted > 0 ? wanted : 120 + (double)length / 20e3;
}

static void start_compiler(Native *n, WordList *words, const Text *text) {
    if (!write_source(n, text)) {
        fail(n, "virtual machine: the C text cannot be written", strerror(errno));
        return;
    }
    int error = spawn_compiler(n, words);
    if (error) fail(n, "virtual machine: the C compiler does not start", strerror(error));
}

// The line of the compiler's words that says most: the first with "error", else the first.
static void first_complaint(Native *n, Text *out) {
    enum { MOST_LINES = 10000 };
    int file = file_open(n->output);
    FILE *f = file < 0 ? NULL : fdopen(file, "r");
    char line[256];
    for (int lines = 0; f && lines < MOST_LINES && fgets(line, sizeof line, f); lines++) {
        line[strcspn(line, "\n")] = 0;
        bool error = strstr(line, "error") || strstr(line, "No space");
        if (out->length && !error) continue;
        text_clear(out);
        text_add(out, line);
        if (error) break;
    }
    if (f) fclose(f);
}

static void compiler_failed(Native *n, int status) {
    Text words = {0};
    first_complaint(n, &words);
    if (!words.length && WIFSIGNALED(status))
        text_printf(&words, "ended by signal %d", WTERMSIG(status));
    else if (!words.length)
        text_printf(&words, "it ended with %d", WEXITSTATUS(status));
    fail(n, "virtual machine: the C compiler failed", text_get(&words));
    text_free(&words);
}

// The library is kept in the cache if there is room, and loaded from there; otherwise it is loaded
// from where it was made.
static void compiler_done(Native *n) {
    bool kept = n->kept && cache_keep(n->made, n->kept);
    if (!load(n, kept ? n->kept : n->made)) {
        const char *why = dlerror();
        fail(n, "virtual machine: the compiled code cannot be loaded", why ? why : "");
        return;
    }
    text_printf(&n->words, "native code, compiled in %.2g s%s", n->seconds,
                kept ? "" : ", not kept: the cache cannot be written");
    remove_work(n);
    if (kept) cache_trim(n->folder);
}

// --- outside -------------------------------------------------------------------------------------

Native *native_start(const Program *p, const NativeOptions *o) {
    static const NativeOptions usual = {0};
    if (!o) o = &usual;
    Native *n = memory_zeroed(1, sizeof *n);
    n->program = p;
    n->code.lanes = o->lanes > 1 ? o->lanes : 1;
    clock_gettime(CLOCK_MONOTONIC, &n->begin);
    WordList words = {0};
    Text key = {0}, text = {0};
    compiler_words(n, o->cc, &words);
    if (!describe_compiler(n, &words, &key)) {
        fail(n, "virtual machine: no C compiler", words.data[0]);
    } else {
        if (o->lanes > 1)
            native_lane_text(&text, p, o->lanes, o->rolling);
        else
            native_text(&text, p, o->jacobian, angles_at_once(), o->rolling);
        cache_describe_machine(&key);
        text_add_n(&key, text_get(&text), text.length);
        n->folder = cache_folder(&n->arena, o->folder);
        if (n->folder) n->kept = cache_path(&n->arena, n->folder, text_get(&key), key.length);
        if (!load_kept(n)) {
            n->limit = compiler_limit(o->seconds, text.length);
            if (o->only_cached)
                fail(n, "virtual machine", "");
            else
                start_compiler(n, &words, &text);
        }
    }
    text_free(&key);
    text_free(&text);
    array_free(&words);
    return n;
}

// The whole group. Asked first, so that it removes its files; a compiler that hangs does not
// listen.
static void end_compiler(Native *n) {
    enum { TRIES = 500 };
    int status, left = TRIES;
    kill(-n->compiler, SIGTERM);
    while (left-- > 0 && waitpid(n->compiler, &status, WNOHANG) == 0)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    kill(-n->compiler, SIGKILL); // what it started may not have listened either
    while (left < 0 && waitpid(n->compiler, &status, 0) < 0 && errno == EINTR) {}
    n->compiler = 0;
}

static void take_too_long(Native *n) {
    Text words = {0};
    end_compiler(n);
    text_printf(&words, "ended after %.3g s", n->limit);
    fail(n, "virtual machine: the C compiler takes too long", text_get(&words));
    text_free(&words);
}

NativeState native_poll(Native *n) {
    if (n->state != NATIVE_COMPILING || n->compiler == 0) return n->state;
    int status;
    pid_t done;
    do done = waitpid(n->compiler, &status, WNOHANG);
    while (done < 0 && errno == EINTR);
    if (done == 0) {
        if (elapsed(n) > n->limit) take_too_long(n);
        return n->state;
    }
    n->compiler = 0;
    if (done < 0)
        fail(n, "virtual machine: the C compiler is lost", strerror(errno));
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        compiler_done(n);
    else
        compiler_failed(n, status);
    return n->state;
}

NativeState native_wait(Native *n) {
    while (native_poll(n) == NATIVE_COMPILING) nanosleep(&(struct timespec){0, 2000000}, NULL);
    return n->state;
}

const char *native_words(const Native *n) { return text_get(&n->words); }

double native_seconds(const Native *n) { return n->seconds; }

const NativeCode *native_code(const Native *n) { return &n->code; }

void native_free(Native *n) {
    if (!n) return;
    if (n->compiler > 0) end_compiler(n);
    remove_work(n);
    if (n->library) dlclose(n->library);
    text_free(&n->words);
    arena_free(&n->arena);
    free(n);
}

// --- machines ------------------------------------------------------------------------------------

void machine_use(Machine *m, const Native *n) {
    free(m->room);
    m->room = memory_zeroed((size_t)n->code.slots + 1, sizeof *m->room);
    m->native = &n->code;
}

NativeStep *native_step(const NativeCode *c, WholeStep method) {
    switch (method) {
    case WHOLE_EULER: return c->euler;
    case WHOLE_HEUN: return c->heun;
    case WHOLE_RK4: return c->rk4;
    case WHOLE_NONE: break;
    }
    return NULL;
}

int native_stages(WholeStep method) {
    static const int stages[] = {
        [WHOLE_NONE] = 0, [WHOLE_EULER] = 1, [WHOLE_HEUN] = 2, [WHOLE_RK4] = 4};
    return stages[method];
}

// Delayed values are asked for at every stage, which native code cannot do.
bool machine_step(Machine *m, WholeStep method, double time, double h, const double *y, double *to,
                  double *work) {
    NativeStep *step = m->native && !m->past ? native_step(m->native, method) : NULL;
    if (!step) return false;
    BondynCall call = native_call(m);
    if (step(&call, time, h, y, to, work) != 0) return false;
    m->calls += native_stages(method);
    m->point++;
    m->failed_block = -1;
    return true;
}
