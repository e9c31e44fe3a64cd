// Sources to a shared library, by the system's compiler in a folder of its own.
#include "fmi/inside.h"

#include "base/array.h"
#include "base/files.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef ARRAY(const char *) WordList;

// Every operation is rounded for itself, and pow(2, x) does not become exp2(x): the bits of `bondyn run`. Nothing
// of the place and time of the compilation stays in the file.
static const char *const flags[] = {"-std=c99",
                                    "-O2",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-DBONDYN_CLONES",
                                    "-fno-builtin-pow",
                                    "-fvisibility=hidden",
                                    "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
                                    "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
                                    "-w",
                                    "-shared",
                                    "-fPIC",
                                    "-s",
                                    "-Wl,--build-id=none",
                                    "-o",
                                    "model.so"};

static const char *base_of(const ArchiveFile *file) { return path_base(file->name); }

static bool write_sources(Arena *tmp, const char *folder, const ArchiveFile *file, int count,
                          Report *r) {
    for (int i = 0; i < count; i++)
        if (!file_write(path_join(tmp, folder, base_of(&file[i])), file[i].data, file[i].length, r))
            return false;
    return true;
}

static void remove_all(Arena *tmp, const char *folder, const ArchiveFile *file, int count) {
    for (int i = 0; i < count; i++) unlink(path_join(tmp, folder, base_of(&file[i])));
    unlink(path_join(tmp, folder, "model.so"));
    unlink(path_join(tmp, folder, "words.txt"));
    rmdir(folder);
}

// From the distribution's static libraries, with nothing of them to be seen from outside.
static const char *const cvode[] = {"-Wl,--exclude-libs,ALL",
                                    "-l:libsundials_cvode.a",
                                    "-l:libsundials_nvecserial.a",
                                    "-l:libsundials_sunmatrixdense.a",
                                    "-l:libsundials_sunlinsoldense.a",
                                    "-l:libsundials_generic.a",
                                    "-Wl,--no-undefined"};

// $CC may have options: "clang -m32".
static void compiler_words(Arena *tmp, WordList *words, const char *folder, const char *source,
                           bool inner) {
    const char *cc = getenv("CC");
    cc = cc && *cc ? cc : "cc";
    const char *shell[] = {"sh", "-c", "cd \"$0\" && exec \"$@\"", folder};
    for (int i = 0; i < 4; i++) array_push(words, shell[i]);
    while (*cc) {
        size_t n = strcspn(cc, " ");
        if (n) array_push(words, arena_copy_text(tmp, cc, n));
        cc += n + (cc[n] == ' ');
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) array_push(words, flags[i]);
    array_push(words, source);
    for (size_t i = 0; inner && i < sizeof cvode / sizeof *cvode; i++) array_push(words, cvode[i]);
    array_push(words, "-lm");
    array_push(words, NULL);
}

static int run_compiler(Arena *tmp, const char *folder, const char *source, bool inner) {
    WordList words = {0};
    compiler_words(tmp, &words, folder, source, inner);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, path_join(tmp, folder, "words.txt"),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    pid_t pid;
    int status = -1;
    if (posix_spawnp(&pid, "sh", &files, NULL, (char **)words.data, environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    posix_spawn_file_actions_destroy(&files);
    array_free(&words);
    return status;
}

static void complain(Arena *tmp, const char *folder, Report *r) {
    Report ignored = {0};
    size_t length = 0;
    char *words = file_read(tmp, path_join(tmp, folder, "words.txt"), &length, &ignored, POS_NONE);
    report_free(&ignored);
    if (words) words[strcspn(words, "\n")] = 0;
    Remark *m = report_error(r, T_NO_COMPILER, POS_NONE, "the C compiler gives no binary%s%s",
                             words && *words ? ": " : "", words ? words : "");
    remark_help(r, m, "install gcc or clang, or name another compiler in the environment: CC=...");
}

bool fmu_compile(Text *out, const ArchiveFile *file, int count, bool inner, Report *r) {
    Arena tmp = {0};
    const char *place = getenv("TMPDIR");
    char *folder = path_join(&tmp, place && *place == '/' ? place : "/tmp", "bondyn.XXXXXX");
    if (!mkdtemp(folder)) {
        report_error(r, T_CANNOT_WRITE, POS_NONE, "there is no folder to compile in: %s",
                     file_problem(errno));
        arena_free(&tmp);
        return false;
    }
    bool good = write_sources(&tmp, folder, file, count, r);
    if (good && run_compiler(&tmp, folder, base_of(&file[0]), inner) != 0) {
        complain(&tmp, folder, r);
        good = false;
    }
    size_t length = 0;
    char *bytes =
        good ? file_read(&tmp, path_join(&tmp, folder, "model.so"), &length, r, POS_NONE) : NULL;
    if (bytes) text_add_n(out, bytes, length);
    remove_all(&tmp, folder, file, count);
    arena_free(&tmp);
    return bytes != NULL;
}
