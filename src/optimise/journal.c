#include "optimise/journal.h"

#include "base/files.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { KEY = 64 };
static const uint64_t MARK = 0x6c616e72756f6a21u;
static const long LARGEST = 1L << 30; // bytes; a search that goes on makes later runs again

// --- seals ---------------------------------------------------------------------------------------

static uint64_t add_word(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t seal_of(const EntryHead *head, const double *number) {
    uint64_t h = add_word(head->mark, (uint64_t)(uint32_t)head->start);
    h = add_word(h, (uint64_t)(uint32_t)head->kind);
    h = add_word(h, head->count);
    for (uint64_t i = 0; i < head->count; i++) {
        uint64_t word;
        memcpy(&word, number + i, sizeof word);
        h = add_word(h, word);
    }
    return h;
}

// --- reading -------------------------------------------------------------------------------------

static bool is_head(const EntryHead *h) {
    return h->mark == MARK && h->start >= 0 && h->kind >= ENTRY_ANSWER && h->kind <= ENTRY_END &&
           h->count < (uint64_t)LARGEST / sizeof(double);
}

static JournalEntry *entry_new(const EntryHead *head) {
    JournalEntry *e = memory_zeroed(1, sizeof *e + head->count * sizeof(double));
    e->head = *head;
    return e;
}

// The next one of the file, in its arena; NULL: there is none, or it is not whole.
static JournalEntry *read_entry(Journal *j) {
    EntryHead head;
    if (fread(&head, sizeof head, 1, j->file) != 1 || !is_head(&head) || head.start >= j->starts)
        return NULL;
    JournalEntry *e = arena_alloc(&j->arena, 1, sizeof *e + head.count * sizeof(double));
    e->next = NULL;
    e->head = head;
    if (fread(e->number, sizeof(double), head.count, j->file) != head.count) return NULL;
    return seal_of(&head, e->number) == head.seal ? e : NULL;
}

// All whole entries of the same search; the file ends behind them.
static void read_all(Journal *j) {
    char key[KEY];
    JournalEntry **last = memory_zeroed((size_t)j->starts + 1, sizeof(JournalEntry *));
    bool same = fread(key, KEY, 1, j->file) == 1 && strncmp(key, j->key, KEY) == 0;
    long whole = same ? KEY : 0;
    for (JournalEntry *e; same && (e = read_entry(j));) {
        int k = e->head.start;
        whole = ftell(j->file);
        if (e->head.kind == ENTRY_END) {
            j->end[k] = e;
            continue;
        }
        j->kept++;
        if (last[k])
            last[k]->next = e;
        else
            j->next[k] = e;
        last[k] = e;
    }
    free(last);
    if (ftruncate(fileno(j->file), whole) == 0) fseek(j->file, whole, SEEK_SET);
    if (!same) fwrite(j->key, KEY, 1, j->file);
    fflush(j->file);
}

// --- opening and closing -------------------------------------------------------------------------

// Workers of a search that was killed a moment ago end at their next answer.
static bool lock(int file) {
    enum { TRIES = 50 };
    for (int i = 0; i < TRIES; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0) return true;
        if (errno != EWOULDBLOCK && errno != EINTR) return true; // a file system without locks
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    return false;
}

bool journal_open(Journal *j, const char *path, const char *key, int starts, Report *r) {
    *j = (Journal){.path = path, .key = key, .starts = starts, .out = -1};
    j->next = ARENA_ARRAY(&j->arena, JournalEntry *, starts + 1);
    j->end = ARENA_ARRAY(&j->arena, JournalEntry *, starts + 1);
    int file = path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666) : -1;
    if (file < 0) return true; // the search is made without
    if (!lock(file)) {
        close(file);
        Remark *m = report_error(r, V_LOCKED, POS_NONE,
                                 "another search is at work in this folder: '%s'", path);
        remark_help(r, m, "wait for its end, or choose another folder with --out");
        return false;
    }
    j->file = fdopen(file, "r+b");
    if (j->file) read_all(j);
    return true;
}

void journal_close(Journal *j, bool remove_file) {
    if (j->file && remove_file) remove(j->path); // before the lock goes
    if (j->file) fclose(j->file);
    arena_free(&j->arena);
}

// --- questions and answers -----------------------------------------------------------------------

const double *journal_answer(Journal *j, int start, const double *question, int count,
                             int answers) {
    JournalEntry *e = j->next[start];
    if (!e) return NULL;
    bool same = e->head.count == (uint64_t)count + (uint64_t)answers &&
                memcmp(e->number, question, (size_t)count * sizeof(double)) == 0;
    j->next[start] = same ? e->next : NULL; // another way: the rest is of no use
    return same ? e->number + count : NULL;
}

static bool write_all(int out, const void *data, size_t bytes) {
    for (const char *at = data; bytes > 0;) {
        ssize_t n = write(out, at, bytes);
        if (n <= 0) return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

void journal_put(Journal *j, int start, EntryKind kind, const double *number, int count) {
    EntryHead head = {.mark = MARK, .start = start, .kind = kind, .count = (uint64_t)count};
    head.seal = seal_of(&head, number);
    if (j->out >= 0 && write_all(j->out, &head, sizeof head))
        write_all(j->out, number, (size_t)count * sizeof(double));
    if (!j->file || (kind == ENTRY_ANSWER && ftell(j->file) > LARGEST)) return;
    fwrite(&head, sizeof head, 1, j->file);
    fwrite(number, sizeof(double), (size_t)count, j->file);
    fflush(j->file);
}

// --- workers -------------------------------------------------------------------------------------

void journal_move(Journal *j, int out) {
    if (j->file) close(fileno(j->file)); // place and lock stay with the other process
    j->file = NULL;
    j->out = out;
}

static bool read_whole(int in, void *data, size_t bytes) {
    for (char *at = data; bytes > 0;) {
        ssize_t n = read(in, at, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

JournalEntry *journal_receive(int in) {
    EntryHead head;
    if (!read_whole(in, &head, sizeof head) || !is_head(&head)) return NULL;
    JournalEntry *e = entry_new(&head);
    if (read_whole(in, e->number, head.count * sizeof(double))) return e;
    free(e);
    return NULL;
}
