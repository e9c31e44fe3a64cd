// Files of a unit: its archive, and the folder in which it works, with binary, resources and, where
// there is no binary for this machine, what its sources are compiled to.
#include "foreign/unit_files.h"

#include "base/files.h"
#include "foreign/archive.h"
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct {
    Arena *out;
    const UnitDescription *d;
    UnitFiles *files;
} Files;

static bool tells_ports(const char *name) {
    return strcmp(path_base(name), "OspModelDescription.xml") == 0 ||
           strcmp(name, "terminalsAndIcons/terminalsAndIcons.xml") == 0;
}

bool unit_read(Arena *out, UnitDescription *d, Sources *sources, const char *path, const char *data,
               size_t length, Pos asked, Report *r) {
    Archive a;
    const char *wrong = archive_open(out, &a, data, length);
    const ArchiveEntry *e = wrong ? NULL : archive_find(&a, "modelDescription.xml");
    if (!wrong && !e) wrong = "it has no modelDescription.xml";
    char *xml = e ? archive_unpack(out, &a, e, &wrong) : NULL;
    if (!xml) {
        Remark *m = report_error(r, F_ARCHIVE, asked, "%s: %s", path, wrong);
        remark_help(r, m, "see that the file arrived whole, and comes from whom you think");
        return false;
    }
    uint32_t source =
        sources_add(sources, arena_printf(out, "%s/modelDescription.xml", path), xml, e->size);
    uint32_t ports = 0;
    for (int i = 0; i < a.count && !ports; i++)
        if (tells_ports(a.entry[i].name)) {
            char *groups = archive_unpack(out, &a, &a.entry[i], &wrong);
            if (groups)
                ports = sources_add(sources, arena_printf(out, "%s/%s", path, a.entry[i].name),
                                    groups, a.entry[i].size);
        }
    if (!unit_describe(out, d, sources, source, ports, r)) return false;
    const ArchiveEntry *b = archive_find(&a, "sources/buildDescription.xml");
    char *build = b && d->version == 3 ? archive_unpack(out, &a, b, &wrong) : NULL;
    if (build) unit_read_build(out, d, build, b->size);
    return true;
}

void unit_folder_remove(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *e; folder && (e = readdir(folder));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        Arena a = {0};
        const char *inner = path_join(&a, path, e->d_name);
        struct stat s;
        if (lstat(inner, &s) == 0 && S_ISDIR(s.st_mode))
            unit_folder_remove(inner);
        else
            unlink(inner);
        arena_free(&a);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

static bool compile(Files *u) {
    const char *cc = getenv("CC"), *sources = path_join(u->out, u->files->folder, "sources");
    char **word = ARENA_ARRAY(u->out, char *, u->d->source_count + u->d->define_count + 16);
    int n = 0;
    const char *flags[] = {cc && *cc ? cc : "cc",
                           "-shared",
                           "-fPIC",
                           "-O2",
                           "-w",
                           "-ffp-contract=off",
                           "-fno-builtin-pow",
                           "-DFMI2_OVERRIDE_FUNCTION_PREFIX",
                           "-DFMI3_OVERRIDE_FUNCTION_PREFIX",
                           "-I",
                           sources,
                           "-o",
                           u->files->library};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) word[n++] = (char *)flags[i];
    for (int i = 0; i < u->d->define_count; i++)
        word[n++] = arena_printf(u->out, "-D%s", u->d->define[i]);
    for (int i = 0; i < u->d->source_count; i++)
        word[n++] = path_join(u->out, sources, u->d->source[i]);
    word[n++] = (char *)"-lm";
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid;
    int status = -1;
    bool good = posix_spawnp(&pid, word[0], &files, NULL, word, environ) == 0;
    if (good)
        good = waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    posix_spawn_file_actions_destroy(&files);
    return good;
}

// FMI 3 leaves the headers of the standard to whoever compiles.
extern const char asset_fmi3Functions_h[], asset_fmi3FunctionTypes_h[], asset_fmi3PlatformTypes_h[];

static void add_headers(Files *u) {
    static const char *const name[] = {"fmi3Functions.h", "fmi3FunctionTypes.h",
                                       "fmi3PlatformTypes.h"};
    const char *text[] = {asset_fmi3Functions_h, asset_fmi3FunctionTypes_h,
                          asset_fmi3PlatformTypes_h};
    const char *sources = path_join(u->out, u->files->folder, "sources");
    Report ignored = {0};
    for (int i = 0; i < 3; i++)
        file_write(path_join(u->out, sources, name[i]), text[i], strlen(text[i]), &ignored);
    report_free(&ignored);
}

// Binary, resources and, without a binary, sources. NULL: good.
const char *unit_unpack(Arena *out, const UnitDescription *d, bool steps, const char *data,
                        size_t length, UnitFiles *files) {
    Files all = {out, d, files}, *u = &all;
    Archive a;
    const char *wrong = archive_open(u->out, &a, data, length);
    const char *place = getenv("TMPDIR"), *name = steps ? u->d->cs : u->d->me;
    if (wrong) return wrong;
    char *folder = path_join(u->out, place && *place ? place : "/tmp", "bondyn-unit-XXXXXX");
    if (!mkdtemp(folder)) return "no folder can be made for it";
    u->files->folder = folder;
    const char *binaries = d->version == 3 ? "binaries/x86_64-linux/" : "binaries/linux64/";
    const char *inside = arena_printf(u->out, "%s%s.so", binaries, name);
    u->files->library = path_join(u->out, folder, inside);
    wrong = archive_unpack_below(u->out, &a, "resources/", folder);
#if defined(__x86_64__)
    if (!wrong) wrong = archive_unpack_below(u->out, &a, binaries, folder);
    if (wrong || archive_find(&a, inside)) return wrong;
#endif
    if (wrong) return wrong;
    if (!u->d->source_count) return "it has no binary for this machine, and no sources";
    u->files->library = path_join(u->out, folder, arena_printf(u->out, "%s.so", name));
    wrong = archive_unpack_below(u->out, &a, "sources/", folder);
    if (!wrong && d->version == 3) add_headers(u);
    if (!wrong && !compile(u))
        wrong = "it has no binary for this machine, and its sources do not compile";
    return wrong;
}
