// See archive.h. What is refused: names that lead elsewhere, links, encryption, sizes that do not
// fit, wrong checksums, and more than fits into memory with ease.
#include "foreign/archive.h"

#include "base/files.h"
#include "base/memory.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { END_SIZE = 22, CENTRAL_SIZE = 46, LOCAL_SIZE = 30, MOST_ENTRIES = 20000, NAME_LENGTH = 400 };
static const size_t most_of_one = (size_t)512 << 20, most_of_all = (size_t)2 << 30;

static uint32_t number(const unsigned char *p, int bytes) {
    uint32_t x = 0;
    for (int i = bytes - 1; i >= 0; i--) x = x << 8 | p[i];
    return x;
}

// --- what is inside ------------------------------------------------------------------------------

static bool leads_outside(const char *name) {
    if (name[0] == '/' || strchr(name, '\\') || strchr(name, ':')) return true;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2])) return true;
        if (!*part) break;
    }
    return false;
}

static bool is_plain_name(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 32) return false;
    return length > 0 && length < NAME_LENGTH;
}

// One header of the list at the end. NULL: good.
static const char *read_entry(Arena *out, const Archive *a, const unsigned char *p,
                              ArchiveEntry *e) {
    size_t name_length = number(p + 28, 2), local = number(p + 42, 4);
    const char *name = (const char *)p + CENTRAL_SIZE;
    if (!is_plain_name(name, name_length)) return "an entry has a name that is none";
    *e = (ArchiveEntry){.name = arena_copy_text(out, name, name_length),
                        .folder = name[name_length - 1] == '/',
                        .deflated = number(p + 10, 2) == 8,
                        .packed = number(p + 20, 4),
                        .size = number(p + 24, 4),
                        .check = number(p + 16, 4)};
    uint32_t mode = number(p + 38, 4) >> 16;
    if (leads_outside(e->name)) return "leads outside of its folder";
    if (p[5] == 3 && S_ISLNK(mode)) return "is a link";
    if (number(p + 8, 2) & 1) return "is encrypted";
    if (!e->deflated && number(p + 10, 2) != 0) return "is packed in a way that FMI does not allow";
    if (e->size > most_of_one) return "is larger than 512 MB";
    if (local > a->length || a->length - local < LOCAL_SIZE ||
        number(a->data + local, 4) != 0x04034b50)
        return "is not where the list says";
    e->at = local + LOCAL_SIZE + number(a->data + local + 26, 2) + number(a->data + local + 28, 2);
    if (e->at > a->length || a->length - e->at < e->packed)
        return "goes beyond the end of the file";
    if (!e->deflated && e->packed != e->size) return "has two sizes";
    return NULL;
}

static const unsigned char *find_end(const unsigned char *data, size_t length) {
    for (size_t back = END_SIZE; back <= length && back < END_SIZE + 65536; back++)
        if (number(data + length - back, 4) == 0x06054b50) return data + length - back;
    return NULL;
}

const char *archive_open(Arena *out, Archive *a, const void *data, size_t length) {
    *a = (Archive){.data = data, .length = length};
    const unsigned char *end = find_end(data, length);
    if (!end) return "it is no zip file, or its end is missing";
    size_t count = number(end + 10, 2), at = number(end + 16, 4), all = 0;
    if (count > MOST_ENTRIES) return "it has more than 20000 entries";
    a->entry = ARENA_ARRAY(out, ArchiveEntry, count + 1);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *p = a->data + at;
        if (at > length || length - at < CENTRAL_SIZE || number(p, 4) != 0x02014b50)
            return "its list of entries is damaged";
        size_t size = CENTRAL_SIZE + number(p + 28, 2) + number(p + 30, 2) + number(p + 32, 2);
        if (length - at < size) return "its list of entries is damaged";
        ArchiveEntry *e = &a->entry[a->count++];
        const char *wrong = read_entry(out, a, p, e);
        if (wrong) return e->name ? arena_printf(out, "'%s' %s", e->name, wrong) : wrong;
        all += e->size;
        at += size;
    }
    return all > most_of_all ? "it holds more than 2 GB" : NULL;
}

const ArchiveEntry *archive_find(const Archive *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->entry[i].name, name) == 0) return &a->entry[i];
    return NULL;
}

// --- unpacking -----------------------------------------------------------------------------------

static bool inflate_entry(const Archive *a, const ArchiveEntry *e, char *to) {
    z_stream z = {0};
    if (inflateInit2(&z, -15) != Z_OK) return false;
    z.next_in = (unsigned char *)(a->data + e->at); // zlib does not write to it
    z.avail_in = (uInt)e->packed;
    z.next_out = (unsigned char *)to;
    z.avail_out = (uInt)e->size; // no more than it says
    int result = inflate(&z, Z_FINISH);
    bool good = result == Z_STREAM_END && z.total_out == e->size;
    inflateEnd(&z);
    return good;
}

char *archive_unpack(Arena *out, const Archive *a, const ArchiveEntry *e, const char **wrong) {
    char *to = arena_alloc(out, e->size + 1, 1);
    bool good = true;
    if (e->deflated)
        good = inflate_entry(a, e, to);
    else if (e->size)
        memcpy(to, a->data + e->at, e->size);
    if (!good) *wrong = arena_printf(out, "'%s' does not unpack to the size it says", e->name);
    if (good && crc32(0, (const unsigned char *)to, (uInt)e->size) != e->check) {
        *wrong = arena_printf(out, "'%s' has a wrong checksum", e->name);
        good = false;
    }
    return good ? to : NULL;
}

static const char *write_entry(Arena *scratch, const char *path, const char *data, size_t size) {
    Report quiet = {0};
    bool good = folder_make(path_folder(scratch, path), &quiet);
    report_free(&quiet);
    int fd = good ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd < 0) return arena_printf(scratch, "%s cannot be written", path);
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, data + done, size - done);
        if (n <= 0) {
            close(fd);
            return arena_printf(scratch, "%s cannot be written", path);
        }
        done += (size_t)n;
    }
    close(fd);
    return NULL;
}

const char *archive_unpack_below(Arena *scratch, const Archive *a, const char *folder,
                                 const char *into) {
    size_t length = strlen(folder);
    const char *wrong = NULL;
    for (int i = 0; i < a->count && !wrong; i++) {
        const ArchiveEntry *e = &a->entry[i];
        if (e->folder || strncmp(e->name, folder, length) != 0) continue;
        Arena one = {0};
        char *data = archive_unpack(&one, a, e, &wrong);
        if (data) wrong = write_entry(&one, path_join(&one, into, e->name), data, e->size);
        if (wrong) wrong = arena_copy_text(scratch, wrong, strlen(wrong));
        arena_free(&one);
    }
    return wrong;
}
