// The journal of a search: what was asked of runs and what they answered, in the order of asking,
// in a file beside the output.
//
// A search that was interrupted or killed is made again from its beginning. As long as it asks what
// stands in its journal it is answered from there; methods have no other memory than the answers,
// so it comes the same way, bit by bit, to where it was, and goes on.
//
//     key, 64 bytes | entry | entry | ...        entry: head with a seal over it all, then its numbers
//
// An entry is written whole before the next question. What a kill left half written has no right
// seal: the file ends there.
#ifndef BONDYN_OPTIMISE_JOURNAL_H
#define BONDYN_OPTIMISE_JOURNAL_H

#include "base/arena.h"
#include "base/report.h"
#include <stdint.h>
#include <stdio.h>

typedef enum {
    ENTRY_ANSWER, // a question and its answer
    ENTRY_BETTER, // the best point of a start so far: from workers only, not in the file
    ENTRY_END,    // of a start, with the best that it found
} EntryKind;

typedef struct {
    uint64_t mark;
    int32_t start, kind;
    uint64_t count; // numbers
    uint64_t seal;
} EntryHead;

typedef struct JournalEntry {
    struct JournalEntry *next; // of the same start
    EntryHead head;
    double number[];
} JournalEntry;

typedef struct {
    Arena arena;
    const char *path;
    const char *key;
    FILE *file; // NULL: there is none, or it is that of another process
    int out;    // a pipe to the process that has it; -1: none
    int starts;
    JournalEntry **next; // per start: the answer that comes next; NULL: no more
    JournalEntry **end;  // per start; NULL: it has not ended
    int kept;            // answers in the file when it was opened
} Journal;

// Nullable: path (nothing is kept). False: another search is at work there.
bool journal_open(Journal *j, const char *path, const char *key, int starts, Report *r);
// The answer to a question, if that is the next one of this start and `answers` numbers long; NULL:
// ask the run.
const double *journal_answer(Journal *j, int start, const double *question, int count, int answers);
void journal_put(Journal *j, int start, EntryKind kind, const double *number, int count);
// In a process of workers: entries go to `out`.
void journal_move(Journal *j, int out);
// The next entry of a pipe; NULL: it is closed. Free it.
JournalEntry *journal_receive(int in);
void journal_close(Journal *j, bool remove_file);

#endif
