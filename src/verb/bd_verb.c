// The calls of the public header for verbs: arguments and results are converted, and the table
// finds the verb.
#include "verb/verb.h"

#include "base/memory.h"
#include "lsp/lsp.h"
#include <string.h>

BdVerbOptions bd_default_verb_options(void) { return (BdVerbOptions){0}; }

static ExitCode perform(Session *s, const char *name) {
    s->verb = verb_find(name);
    if (!s->verb) return refuse_verb(s, name);
    if (!options_take(s)) return EXIT_USAGE;
    if (session_has(s, OPT_HELP)) {
        add_help(s, s->verb);
        return EXIT_GOOD;
    }
    return s->verb->run(s);
}

// What a silent session had to say goes.
static void forget(Report *r, const Report *before) {
    r->first = before->first;
    r->last = before->last;
    if (r->last) r->last->next = NULL;
    r->errors = r->warnings = 0;
}

BdOutcome bd_verb(const char *verb, const BdVerbOptions *o, char **text, BdReport *r) {
    static const BdVerbOptions nothing = {0};
    BdReport own = {0};
    if (!r) r = &own;
    Report before = r->report;
    Session s;
    session_begin(&s, o ? o : &nothing, r);
    ExitCode code = session_end(&s, perform(&s, verb ? verb : ""));
    if (s.silent) forget(&s.report, &before);
    r->report = s.report;
    r->report.errors += before.errors;
    r->report.warnings += before.warnings;
    report_list(r);
    if (text && !s.kept.data) text_add(&s.kept, "");
    if (text)
        *text = s.kept.data;
    else
        text_free(&s.kept);
    bd_report_clear(&own);
    return (BdOutcome)code;
}

bool bd_verb_info(int i, BdVerbInfo *to) {
    int count;
    const Verb *v = verb_table(&count);
    if (i < 0 || i >= count) return false;
    *to = (BdVerbInfo){v[i].name, v[i].arguments, v[i].summary};
    return true;
}

bool bd_option_info(const char *verb, int i, BdOptionInfo *to) {
    const Verb *v = verb ? verb_find(verb) : NULL;
    for (int id = 0; v && i >= 0 && id < OPT_COUNT; id++) {
        if (!verb_takes(v, (OptionId)id) || i--) continue;
        const OptionInfo *o = option_info((OptionId)id);
        *to = (BdOptionInfo){o->name, o->letter, o->argument, o->help};
        return true;
    }
    return false;
}

// --- the language server -------------------------------------------------------------------------

struct BdServer {
    Arena arena;
    LspServer *lsp;
};

ExitCode verb_server(Session *s) {
    (void)s;
    return EXIT_GOOD;
}

BdServer *bd_lsp_new(const char *library,
                     void (*write)(void *context, const char *bytes, size_t length),
                     void *context) {
    BdServer *s = memory_zeroed(1, sizeof *s);
    s->lsp = lsp_new(library_folder(&s->arena, library), write, context);
    return s;
}

void bd_lsp_receive(BdServer *s, const char *bytes, size_t length) {
    lsp_receive(s->lsp, bytes, length);
}

bool bd_lsp_work(BdServer *s) { return lsp_work(s->lsp); }
bool bd_lsp_ended(const BdServer *s) { return lsp_ended(s->lsp); }

int bd_lsp_free(BdServer *s) {
    if (!s) return 0;
    int code = lsp_exit_code(s->lsp);
    lsp_free(s->lsp);
    arena_free(&s->arena);
    free(s);
    return code;
}
