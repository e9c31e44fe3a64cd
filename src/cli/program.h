// The program `bondyn`: what happens at a terminal, over the public header. What a verb does is in
// the library (bd_verb); here its words are taken apart, and what it gives is written.
//
//     program.c   words of the command line, one verb, standard output and error
//     terminal.c  colours, progress bar, Ctrl-C
//     watch.c     a page that is made anew whenever its files change
//     studio.c    the studio's server, and drives that are run again
//     lsp.c       the language server on standard input and output
//
// Only this folder prints and exits. Standard output carries what was asked for, and nothing else;
// remarks, progress and complaints go to standard error.
#ifndef BONDYN_CLI_PROGRAM_H
#define BONDYN_CLI_PROGRAM_H

#include "bondyn.h"

// --- one call of the program ---------------------------------------------------------------------

typedef struct {
    bool bar;   // stderr is a terminal: a bar; otherwise a line now and then
    bool begun; // the run has: from now on an interrupt keeps what was computed
    bool shown;
    double started, drawn; // seconds
    double beat;           // seconds between lines
} Progress;

typedef struct {
    const char *verb;
    BdVerbOptions o;
    BdReport *report;
    const char **argument; // of o
    BdOption *option;      // of o
    char **typed;          // names of options that are not known, as they were written
    int typed_count;
    bool quiet;
    bool lost;    // standard output could not be written
    int names_to; // of a page that is watched: a pipe for the names of what was read
    Progress progress;
} Call;

const char *call_option(const Call *c, const char *name); // "" for a switch; NULL: not given
BdOutcome call_verb(Call *c);                             // with everything on the terminal
void call_tell(Call *c, bool last);                       // messages that are new, to stderr

BdOutcome watch(Call *c);
BdOutcome serve_editor(Call *c);
BdOutcome serve_studio(Call *c);
BdOutcome replay_drive(Call *c); // run --replay

// --- terminal ------------------------------------------------------------------------------------

bool terminal_can_ask(void);                              // somebody is there to answer
bool terminal_agrees(void *unused, const char *question); // only y or yes does
void terminal_messages(const char *plain);                // to stderr, with colours if it has them

// BdVerbOptions.progress; `call` is a Call.
void progress_show(void *call, BdPhase phase, const char *what, double fraction);

const volatile int *interrupt_flag(void); // becomes 1 at the first Ctrl-C, SIGTERM, SIGHUP
void interrupt_watch(void);               // from now on; the second one kills

#endif
