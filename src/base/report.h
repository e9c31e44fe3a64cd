// Report: what a stage has to say to the user. Library code adds to a report and returns; only the
// command line prints.
//
//     crane.bond:14:3: error C012: effort is set at both ends of 'pump -> v1'
//        14 |   pump -> v1
//           |   ^^^^
//     crane.bond:9:3: note: 'v1' is held by source 'tank' here
//       help: ...
//
// A code names a kind of mistake for good; base/codes/*.def holds its explanation.
#ifndef BONDYN_BASE_REPORT_H
#define BONDYN_BASE_REPORT_H

#include "base/source.h"
#include "base/text.h"
#include <stdbool.h>

typedef enum {
#define CODE(id, text, title, explanation, example) id,
#include "base/codes/all.def"
#undef CODE
    CODE_COUNT
} Code;

typedef struct {
    const char *text;        // "L012"
    const char *title;       // a few words
    const char *explanation; // sentences: why it is wrong, how to mend it
    const char *example;     // wrong and right model text
} CodeInfo;

const CodeInfo *code_info(Code code);
const CodeInfo *code_find(const char *text); // NULL when there is no such code

typedef enum { NOTE, WARNING, ERROR } Severity;

typedef struct
{ // what an editor can do about a remark by itself: the help, as a change of the text
    const char *wrong;  // the word at the remark's place, or in its line; NULL: no word is wrong
    const char *right;  // what belongs in its place
    const char *import; // a file of the library that has to be imported; NULL: none
} Fix;

typedef struct Remark Remark;
struct Remark {
    Severity severity;
    Code code;
    Pos pos;
    const char *message;
    const char *help;   // what to do; may be NULL
    Fix fix;            // all NULL: it takes a person
    bool told;          // report_tell has given it, or left it out
    Remark *first_note; // notes that belong to this remark, in order
    Remark *next;
};

typedef struct {
    Arena arena;
    Remark *first, *last;
    int errors, warnings;
    int limit; // errors after which report_full() says to stop; 0 = 50
} Report;

Remark *report_add(Report *r, Severity severity, Code code, Pos pos, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define report_error(r, code, pos, ...)   report_add((r), ERROR, (code), (pos), __VA_ARGS__)
#define report_warning(r, code, pos, ...) report_add((r), WARNING, (code), (pos), __VA_ARGS__)

// A second place that belongs to the remark, and what to do about it.
void remark_note(Report *r, Remark *to, Pos pos, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void remark_help(Report *r, Remark *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The help as a change of the text. Nullable: wrong and right, import.
void remark_fix(Report *r, Remark *to, const char *wrong, const char *right, const char *import);

bool report_full(const Report *r); // so many errors that more would not help
void report_free(Report *r);

// All remarks as people read them, in order of place. What a line gets to hear twice is said, and
// counted, once.
void report_print(Text *out, const Report *r, const Sources *s);
// The same for those that were not told before; they count as told from then on.
void report_tell(Text *out, Report *r, const Sources *s);
void report_json(Text *out, const Report *r, const Sources *s);
void report_count(const Report *r, const Sources *s, int *errors, int *warnings);

#endif
