// Finds the file of this code, which build it is, and the component library that lies beside it.
#define _GNU_SOURCE // dladdr, dl_iterate_phdr
#include "api/handles.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_same_file(const char *a, const char *b) {
    struct stat about, other;
    return stat(a, &about) == 0 && stat(b, &other) == 0 && about.st_ino == other.st_ino &&
           about.st_dev == other.st_dev;
}

// The program or shared library that holds this code; NULL: not known. A program is found by the
// link of the system, as the name that it was started by need not be that of a file.
static const char *code_file(Arena *out) {
    static const char program[] = "/proc/self/exe";
    Dl_info info;
    bool known = dladdr(bd_version(), &info) && info.dli_fname && strchr(info.dli_fname, '/');
    if (known && !is_same_file(info.dli_fname, program)) return info.dli_fname;
    char path[4096];
    ssize_t length = readlink(program, path, sizeof path);
    if (length <= 0 || length == (ssize_t)sizeof path) return NULL;
    return arena_copy_text(out, path, (size_t)length);
}

// --- which build this is -------------------------------------------------------------------------

typedef struct {
    Text *out;
    bool found;
} BuildId;

static bool holds(const struct dl_phdr_info *object, uintptr_t place) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && place - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

// A note is its head, its owner's name and what it says, each filled up to four bytes.
static bool find_id(const char *note, size_t size, Text *out) {
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) head;
        memcpy(&head, note + at, sizeof head);
        size_t name = at + sizeof head, says = name + ((head.n_namesz + 3u) & ~3u);
        at = says + ((head.n_descsz + 3u) & ~3u);
        if (at > size) return false;
        if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 || !head.n_descsz ||
            memcmp(note + name, "GNU", 4) != 0)
            continue;
        for (size_t i = 0; i < head.n_descsz; i++)
            text_printf(out, "%02x", (unsigned char)note[says + i]);
        return true;
    }
    return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    BuildId *b = context;
    const char *here = bd_version(); // a text of this object
    if (!holds(object, (uintptr_t)here)) return 0;
    for (int i = 0; i < object->dlpi_phnum && !b->found; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type != PT_NOTE) continue;
        ptrdiff_t from_here = (ptrdiff_t)(object->dlpi_addr + part->p_vaddr - (uintptr_t)here);
        b->found = find_id(here + from_here, part->p_memsz, b->out);
    }
    return 1;
}

// Linkers write a digest of all that they put together into the code, its build id. Where there is
// none, the file is read.
void code_identity(Text *out) {
    BuildId b = {.out = out};
    text_printf(out, "%s ", BONDYN_VERSION);
    dl_iterate_phdr(look_at_object, &b);
    if (b.found) return;
    size_t length;
    char hex[DIGEST_TEXT + 1] = "";
    Arena tmp = {0};
    Report ignored = {0};
    const char *file = code_file(&tmp);
    const char *data = file ? file_read(&tmp, file, &length, &ignored, POS_NONE) : NULL;
    if (data) digest(data, length, hex);
    text_add(out, hex);
    report_free(&ignored);
    arena_free(&tmp);
}

// --- the library ---------------------------------------------------------------------------------

const char *code_folder(Arena *out) {
    const char *file = code_file(out);
    return file ? path_folder(out, file) : NULL;
}

const char *library_beside(Arena *out) {
    static const char *const place[] = {"../../library", "../library", "../share/bondyn/library",
                                        "../../share/bondyn/library", "../../../library"};
    const char *here = code_folder(out);
    for (size_t i = 0; here && i < sizeof place / sizeof place[0]; i++) {
        const char *folder = path_join(out, here, place[i]);
        if (is_folder(folder)) return folder;
    }
    return is_folder(BONDYN_LIBRARY) ? BONDYN_LIBRARY : NULL;
}

const char *library_folder(Arena *out, const char *asked) {
    if (asked) return asked;
    const char *environment = getenv("BONDYN_LIBRARY");
    if (environment && *environment) return environment;
    const char *beside = library_beside(out);
    return beside ? beside : BONDYN_LIBRARY;
}
