// What the verbs of the program do, behind bd_verb: arguments and options as words, text and files
// out. Nothing here prints, asks or ends the process: that is the caller's, by callbacks.
//
//     bd_verb.c   the calls of the public header; a session from its beginning to its end
//     table.c     the table of verbs          help.c      what it says to people
//     options.c   options.def -> Options; complaints about what was given
//     session.c   what every verb works with: text, report, files, the pipeline
//     dump.c syntax_text.c   stages as readable text
//
//     Each other file is a verb, or a few that belong together: run.c study.c report.c check.c
//     show.c derive.c import.c export.c explain.c compare.c new.c lib.c
#ifndef BONDYN_VERB_VERB_H
#define BONDYN_VERB_VERB_H

#include "analysis/experiment.h"
#include "api/handles.h"
#include "base/array.h"
#include "base/files.h"
#include "base/json.h"
#include "lang/lang.h"
#include "optimise/optimise.h"
#include "run/pipeline.h"
#include "run/run.h"

// --- outcomes ------------------------------------------------------------------------------------

typedef enum {
    EXIT_GOOD = BD_GOOD,
    EXIT_INPUT = BD_WRONG_INPUT,
    EXIT_USAGE = BD_WRONG_USE,
    EXIT_AUDIT = BD_UNBALANCED,
    EXIT_EXPECT = BD_UNMET,
    EXIT_EARLY = BD_EARLY,
    EXIT_INTERRUPTED = BD_INTERRUPTED,
} ExitCode;

ExitCode exit_worse(ExitCode a, ExitCode b); // which of two a script should hear of

// --- options -------------------------------------------------------------------------------------

typedef enum {
#define OPTION(id, letter, name, argument, help) OPT_##id,
#include "verb/options.def"
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

__extension__ typedef unsigned __int128 OptionSet; // a bit per option
_Static_assert(OPT_COUNT <= 128, "an option per bit");
#define OPT_BIT(id) ((OptionSet)1 << OPT_##id)

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
    Report report;          // the caller's; given back while a callback is at work
    const BdVerbOptions *o; // what the caller asked for
    BdReport *caller;       // his report
    Text out;          // text that no callback has taken yet, or the members of the JSON object
    Text kept;         // text for bd_verb's caller
    const char *label; // of what takes long at present
    bool json;         // one object in place of text
    bool open_inputs;  // inputs of the model that nothing sets stay open, for others to set
    bool silent;       // another process of the same mpirun speaks
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
    OptionSet options;     // OPT_BITs beside the common ones
    int least, most;       // arguments
    ExitCode (*run)(Session *s);
};

const Verb *verb_table(int *count);
const Verb *verb_find(const char *name); // NULL: there is none
bool verb_takes(const Verb *v, OptionId id);

ExitCode verb_help(Session *s);
ExitCode verb_version(Session *s);
ExitCode verb_run(Session *s);
ExitCode verb_check(Session *s);
ExitCode verb_equations(Session *s);
ExitCode verb_graph(Session *s);
ExitCode verb_report(Session *s);
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
ExitCode verb_server(Session *s); // the caller keeps it going: bd_lsp_new
ExitCode verb_linearize(Session *s);
ExitCode verb_steady(Session *s);
ExitCode verb_poles(Session *s);
ExitCode verb_locus(Session *s);   // poles --vary
ExitCode verb_slopes(Session *s);  // poles --slopes
ExitCode verb_nearest(Session *s); // poles --near
ExitCode verb_reduce(Session *s);
ExitCode verb_response(Session *s);
ExitCode verb_answer(Session *s); // step, impulse
ExitCode verb_power(Session *s);

void add_help(Session *s, const Verb *v); // Nullable: v, for all verbs
ExitCode refuse_verb(Session *s, const char *name);

// Of bd_verb. What is freed at the end is not the report, nor s->kept.
void session_begin(Session *s, const BdVerbOptions *o, BdReport *r);
ExitCode session_end(Session *s, ExitCode code);
void session_flush(Session *s); // text so far goes to the caller; nothing with --json
// Words for people beside the text.
void session_aside(Session *s, const char *text);
bool session_agrees(Session *s, const char *question);
// Something that may take long; progress_show is RunOptions.progress, with the session as context.
void progress_prepare(Session *s);
void progress_begin(Session *s, const char *label);
void progress_show(void *session, double fraction);
void progress_end(Session *s);
bool session_has(const Session *s, OptionId id);
const char *session_value(const Session *s, OptionId id); // NULL when not given
const char *session_argument(const Session *s, int i);    // NULL when there are not so many
LangOptions session_lang_options(Session *s);
// Which files were written; `note` stands behind each, for people.
void session_tell_files(Session *s, const char *const *path, int count, const char *note);
const char *session_library(Session *s); // folder; NULL when there is none

// Fills s->options from what the caller gave; false with a complaint in the report.
bool options_take(Session *s);
bool option_number(Session *s, OptionId id, double *value);  // >= 0; keeps *value when not given
bool option_seconds(Session *s, OptionId id, double *value); // the same, with a unit of time
// The nearest of `count` words (word(i) gives them), or NULL: for "did you mean".
const char *nearest_word(const char *wrong, int count, const char *(*word)(const void *of, int i),
                         const void *of);
const char *nearest_text(const char *wrong, const char *const *words, int count);

// --- pipeline: run/pipeline.h with the options of the session ------------------------------------

typedef enum {
    SYNTAX_STAYS,    // other experiments are built from it, too
    SYNTAX_FOR_ONCE, // its memory is given back as soon as the model is made
} SyntaxLife;

Syntax *session_load(Session *s, const char *file); // NULL on error
bool session_build(Pipeline *p, Session *s, Syntax *syntax, const char *experiment, Stage last,
                   SyntaxLife life);

// --- shared by verbs -----------------------------------------------------------------------------

// The options of a run; false with a complaint in the report.
bool run_options(Session *s, RunOptions *o);
const char *experiment_label(const Pipeline *p); // its name, or that of the model
// What a verb does with the experiment that was asked for, which is ready to run.
typedef ExitCode (*ExperimentVerb)(Session *s, const Pipeline *p, RunOptions *o);
ExitCode session_experiment(Session *s, ExperimentVerb verb);
// The rest of the way to the system; a run that begins at a steady point gets it into its options.
bool session_finish(Session *s, Pipeline *p, RunOptions *o);
// The same up to the search for the point, which whoever makes many runs has to do for each.
bool session_open_start(Session *s, Pipeline *p, LinearPlan *plan, bool *steady);
// Wraps a run with progress; NULL when it could not start.
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

// Analysis (analysis.c): the linear model that was asked for, NULL with the reasons in
// the report; text, or the file --out.
typedef struct LinearModel LinearModel;
LinearModel *session_linear(Session *s, Pipeline *p);
// analysis_run.c: an experiment that analyses, whose model is built and its system not; folder
// NULL: no files.
bool is_analysis(const Pipeline *p);
ExitCode run_analysis(Session *s, Pipeline *p, RunOptions *o, const char *folder);
// All that it finds, also free after a failure; `beside` must live as long. First it searches, if it shall, with `file` for what
// is found on the way. False: reported.
bool find_all(Session *s, Pipeline *p, RunOptions *o, LinearPlan *plan, Beside *beside, Findings *f,
              const char *file, Found **found);
// The nonlinear response of an experiment with `frequency`; false: reported.
bool run_beside(Session *s, const RunOptions *o, const char *experiment, Arena *out, Beside *b);
// `vary` of the experiment becomes --vary, unless options say where; true: it has.
bool session_vary(Session *s, const Pipeline *p);
bool session_levels(Session *s, TextList *set, TextList *label); // of --vary; false: reported
ExitCode run_power(Session *s, const Pipeline *p, RunOptions *o, const char *folder); // power.c
bool session_hand_over(Session *s, const Text *text);

// optimise.c: the best parameters of an experiment, or those that fit several; NULL: reported.
// `file` is what an interrupted search leaves.
Found *session_search(Session *s, const SearchCase *cases, int count, const RunOptions *o,
                      const char *file);
// Of the experiment with this number among those that are fitted.
bool session_fit_pictures(Session *s, const Found *f, int system, const char *folder,
                          TextList *written);
// NULL: reported. Free them.
struct Sensitivities *session_sensitivities(Session *s, const System *system, const RunOptions *o);
// Derivatives that an experiment asks for; text or JSON into `out`. False: reported.
bool session_sensitivity(Session *s, const System *system, const RunOptions *o, const char *folder,
                         TextList *written, Text *out);
// Warns where an experiment searches and this verb does not. `what`: "what is exported has".
void session_no_search(Session *s, const Pipeline *p, const char *what);
ExitCode verb_search(Session *s); // optimize, fit, sensitivity (run.c)

#endif
