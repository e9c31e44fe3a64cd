// The program `bondyn`: a table of verbs over the stages.
//
//     main.c      the table of verbs, dispatch, help
//     options.c   options.def -> Options; complaints about the command line
//     session.c   what every verb works with; writes stdout, stderr or the one JSON object
//     terminal.c  colours, progress bar, Ctrl-C
//     dump.c syntax_text.c   stages as readable text
//
//     Each other file is a verb, or a few that belong together: run.c study.c report.c check.c
//     show.c derive.c import.c export.c explain.c compare.c new.c lib.c
//
// Only this folder prints and exits. Standard output carries what was asked for, and nothing else;
// remarks, progress and complaints go to standard error.
#ifndef BONDYN_CLI_CLI_H
#define BONDYN_CLI_CLI_H

#include "base/array.h"
#include "base/files.h"
#include "base/json.h"
#include "lang/lang.h"
#include "run/pipeline.h"
#include "run/run.h"

// --- exit codes ----------------------------------------------------------------------------------

typedef enum {
    EXIT_GOOD = 0,
    EXIT_INPUT = 1,         // errors in the input, or files that cannot be read or written
    EXIT_USAGE = 2,         // the command line itself is wrong
    EXIT_AUDIT = 3,         // energy was made or lost
    EXIT_EXPECT = 4,        // an expectation failed; compare: the results differ
    EXIT_EARLY = 5,         // the run ended early, or a recorded value is no number
    EXIT_INTERRUPTED = 130, // Ctrl-C
} ExitCode;

ExitCode exit_worse(ExitCode a, ExitCode b); // which of two a script should hear of

// --- options -------------------------------------------------------------------------------------

typedef enum {
#define OPTION(id, letter, name, argument, help) OPT_##id,
#include "cli/options.def"
#undef OPTION
    OPT_COUNT
} OptionId;

typedef struct {
    char letter;          // 0: none
    const char *name;     // "stop"
    const char *argument; // "TIME"; NULL for a switch
    const char *help;
} OptionInfo;

const OptionInfo *option_info(OptionId id);

#define OPT_BIT(id) (1ull << OPT_##id)

typedef ARRAY(const char *) TextList;

typedef struct {
    const char *value[OPT_COUNT];   // the last one given; "" for a switch; NULL when not given
    TextList sets, records, varies; // --set, --record and --vary, in order
    TextList maps;                  // --map
    TextList argument;              // what is left
} Options;

// --- session -------------------------------------------------------------------------------------

typedef struct Verb Verb;

typedef struct {
    const Verb *verb; // NULL while it is not known
    Options options;
    Arena arena;
    Arena syntax, bonds; // what was loaded, and the bonds in it
    Names *names;
    Sources *sources;
    Report report;
    const Remark *told; // the last remark when remarks were last written; NULL: none
    Text out;           // for stdout: text, or the members of the JSON object
    bool json;          // --json
    bool open_inputs;   // inputs of the model that nothing sets stay open, for others to set
    bool silent;        // another process of the same mpirun speaks
    bool library_known;
    const char *library; // folder, once known
} Session;

struct Verb {
    const char *name;
    const char *arguments; // "FILE [EXPERIMENT]..."
    const char *summary;   // one line
    const char *details;   // more lines for --help; Nullable
    const char *examples;  // lines
    const char *exits;     // exit codes beyond 0, 1 and 2; Nullable
    uint64_t options;      // OPT_BITs beside the common ones
    int least, most;       // arguments
    ExitCode (*run)(Session *s);
};

const Verb *verb_table(int *count);
bool verb_takes(const Verb *v, OptionId id);

ExitCode verb_help(Session *s);
ExitCode verb_version(Session *s);
ExitCode verb_run(Session *s);
ExitCode verb_check(Session *s);
ExitCode verb_equations(Session *s);
ExitCode verb_graph(Session *s);
ExitCode verb_report(Session *s);
ExitCode verb_watch(Session *s);
char *page_number_path(Session *s); // beside the page of a report that is watched
ExitCode verb_study(Session *s);
ExitCode verb_derive(Session *s);
ExitCode verb_import(Session *s);
ExitCode verb_export(Session *s);
ExitCode verb_explain(Session *s);
ExitCode verb_compare(Session *s);
ExitCode verb_new(Session *s);
ExitCode verb_lib(Session *s);
ExitCode verb_signals(Session *s);
ExitCode verb_format(Session *s);
ExitCode verb_lsp(Session *s);
ExitCode verb_linearize(Session *s);
ExitCode verb_steady(Session *s);
ExitCode verb_poles(Session *s);
ExitCode verb_locus(Session *s); // poles --vary
ExitCode verb_response(Session *s);
ExitCode verb_power(Session *s);

void session_begin(Session *s);
ExitCode session_end(Session *s, ExitCode code); // prints and frees everything; the final code
void session_flush(Session *s);                  // text so far to stdout; nothing with --json
bool session_has(const Session *s, OptionId id);
const char *session_value(const Session *s, OptionId id); // NULL when not given
const char *session_argument(const Session *s, int i);    // NULL when there are not so many
LangOptions session_lang_options(Session *s);
void session_tell(Session *s); // remarks that are new go to stderr at once, as text
// Which files were written; `note` stands behind each, for people.
void session_tell_files(Session *s, const char *const *path, int count, const char *note);
const char *session_library(Session *s); // folder; NULL when there is none
const char *session_program(Session *s); // the folder of the program's file; NULL: not known

// Fills s->options from the words after the verb; false with a complaint in the report.
bool options_parse(Session *s, int count, char **words);
bool option_number(Session *s, OptionId id, double *value);  // >= 0; keeps *value when not given
bool option_seconds(Session *s, OptionId id, double *value); // the same, with a unit of time
// The nearest of `count` words (word(i) gives them), or NULL: for "did you mean".
const char *nearest_word(const char *wrong, int count, const char *(*word)(const void *of, int i),
                         const void *of);
const char *nearest_text(const char *wrong, const char *const *words, int count);

// --- pipeline: run/pipeline.h with the options of the command line -------------------------------

typedef enum {
    SYNTAX_STAYS,    // other experiments are built from it, too
    SYNTAX_FOR_ONCE, // its memory is given back as soon as the model is made
} SyntaxLife;

Syntax *session_load(Session *s, const char *file); // NULL on error
bool session_build(Pipeline *p, Session *s, Syntax *syntax, const char *experiment, Stage last,
                   SyntaxLife life);

// --- shared by verbs -----------------------------------------------------------------------------

// The options of a run from the command line; false with a complaint in the report.
bool run_options(Session *s, RunOptions *o);
// The experiment that the command line names, ready to run, and what a verb does with it.
typedef ExitCode (*ExperimentVerb)(Session *s, const Pipeline *p, RunOptions *o);
ExitCode session_experiment(Session *s, ExperimentVerb verb);
// Wraps a run with progress and Ctrl-C; NULL when it could not start.
Run *run_with_progress(Session *s, const Pipeline *p, RunOptions *o);
ExitCode run_verdict(const Run *run);
// Runs one experiment without files and without a summary; failures go into the report.
ExitCode run_selftest(Session *s, Syntax *syntax, const char *experiment);
// Names of the experiments in the file asked for, in the order of the text.
TextList experiment_names(const Syntax *syntax);
bool dump_stage(Session *s, Syntax *syntax, const char *stage);

void syntax_print(Text *out, const Syntax *syntax); // the file asked for

typedef struct {
    const char *name, *about, *text;
} Template;

const Template *template_table(int *count); // what `new` can write

// Analysis (analysis.c): the linear model that the command line asks for, NULL with the reasons in
// the report; text to standard output or into --out.
typedef struct LinearModel LinearModel;
LinearModel *session_linear(Session *s, Pipeline *p);
bool session_hand_over(Session *s, const Text *text);

// --- terminal ------------------------------------------------------------------------------------

bool terminal_colours(int fd);
bool terminal_can_ask(void);                                       // somebody is there to answer
bool terminal_agrees(const char *question);                        // only y or yes does
void terminal_remarks(Text *out, const char *plain, bool colours); // paints report_print's text

typedef struct {
    Session *s;
    bool bar;   // stderr is a terminal: a bar; otherwise a line now and then
    bool quiet; // neither
    bool begun; // the run has: from now on an interrupt keeps what was computed
    bool shown;
    const char *label;
    double started, drawn; // seconds
    double beat;           // seconds between lines
} Progress;

Progress progress_begin(Session *s, const char *label);
void progress_show(void *progress, double fraction); // RunOptions.progress
void progress_clear(Progress *p);

const volatile int *interrupt_flag(void); // becomes 1 at the first Ctrl-C, SIGTERM, SIGHUP
void interrupt_watch(void);               // from now on; the second one kills
void interrupt_leave(void);               // nothing is to be kept: the first one kills

#endif
