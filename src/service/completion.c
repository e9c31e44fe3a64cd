// Completion. The statement at the cursor is seldom complete, so it is read backwards as text; what
// its names mean is looked up in the syntax tree of the rest.
//
//     motor.sh|            members of `motor`
//     5 {N.|               units
//     Motor m(R = 1, |     parameters of Motor, then what can stand in an expression
//       |                  at the beginning of a line: words of the language, types, names
#include "lang/builtin.h"
#include "service/answers.h"
#include "service/library_index.h"
#include "solve/solvers.h"
#include <ctype.h>
#include <string.h>

enum { LONGEST_STATEMENT = 4000, DEEPEST = 20 };

typedef struct {
    Document *d;
    Analysis *a;
    const char *text;
    uint32_t line;  // where the line begins
    uint32_t first; // its first letter
    uint32_t from;  // the word that is being written begins here
    Scope scope;
    Offers *out;
} Ask;

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *keep_text(Offers *o, const char *text) {
    return text && *text ? arena_copy_text(&o->arena, text, strlen(text)) : NULL;
}

static void offer(Offers *o, OfferKind kind, const char *word, const char *detail,
                  const char *text) {
    for (int i = 0; i < o->list.count; i++)
        if (strcmp(o->list.data[i].word, word) == 0) return;
    array_push(&o->list, ((Offer){.kind = kind,
                                  .word = keep_text(o, word),
                                  .detail = keep_text(o, detail),
                                  .text = keep_text(o, text)}));
}

static void offer_words(Offers *o, OfferKind kind, const char *const *words) {
    for (; *words; words++) offer(o, kind, *words, NULL, NULL);
}

// --- declarations --------------------------------------------------------------------------------

static OfferKind kind_of_item(const AstItem *i) {
    switch (i->kind) {
    case ITEM_PARAM:
    case ITEM_CONST: return OFFER_PARAMETER;
    case ITEM_PORT: return OFFER_PORT;
    case ITEM_COMPONENT: return i->set ? OFFER_PARAMETER : OFFER_COMPONENT;
    default: return OFFER_VARIABLE;
    }
}

static bool offer_item(void *context, const AstFile *file, const AstClass *c, const AstItem *i) {
    (void)file;
    (void)c;
    Ask *k = context;
    Text detail = {0};
    const Names *n = k->a->names;
    describe_item(&detail, n, i);
    offer(k->out, kind_of_item(i), name_text(n, i->name), text_get(&detail), name_text(n, i->text));
    text_free(&detail);
    return true;
}

static bool offer_argument(void *context, const AstFile *file, const AstClass *c,
                           const AstItem *i) {
    Ask *k = context;
    if (i->kind != ITEM_PARAM && i->kind != ITEM_INPUT && !i->set) return true;
    int before = k->out->list.count;
    offer_item(context, file, c, i);
    if (k->out->list.count > before)
        array_last(&k->out->list).insert =
            arena_printf(&k->out->arena, "%s = ", name_text(k->a->names, i->name));
    return true;
}

static bool is_component_class(ClassKind kind) {
    return kind == CLASS_MODEL || kind == CLASS_ELEMENT || kind == CLASS_MECHANISM;
}

static bool is_in_expressions(ClassKind kind) {
    return kind == CLASS_FUNCTION || kind == CLASS_TABLE || kind == CLASS_CONST;
}

static void offer_class(Ask *k, const AstClass *c) {
    Text detail = {0}, insert = {0};
    const Names *n = k->a->names;
    describe_class(&detail, n, c);
    int before = k->out->list.count;
    OfferKind kind = is_in_expressions(c->kind) ? OFFER_FUNCTION : OFFER_CLASS;
    offer(k->out, kind, name_text(n, c->name), text_get(&detail), name_text(n, c->text));
    class_snippet(&insert, n, c);
    if (k->out->list.count > before && is_component_class(c->kind))
        array_last(&k->out->list).insert = keep_text(k->out, text_get(&insert));
    text_free(&insert);
    text_free(&detail);
}

// Definitions of the file and of what it imports.
static void offer_classes(Ask *k, bool (*fits)(ClassKind kind)) {
    const Lookup *t = k->a->syntax->lookup;
    for (int i = 0; i < t->definition_count; i++) {
        const Definition *d = &t->definition[i];
        bool seen = d->file == k->scope.file;
        for (int j = 0; j < t->import_count && !seen; j++)
            seen = t->import[j].from == k->scope.file && t->import[j].to == d->file;
        if (seen && fits(d->what->kind)) offer_class(k, d->what);
    }
}

static LibraryIndex *library_of(Ask *k) {
    if (!k->d->store->index) k->d->store->index = library_index_new(k->d->store->library);
    return k->d->store->index;
}

// What an import would bring.
static void offer_library(Ask *k) {
    LibraryIndex *l = library_of(k);
    for (int i = 0; i < l->entry.count; i++) {
        const LibraryEntry *e = &l->entry.data[i];
        int before = k->out->list.count;
        if (!is_component_class(e->kind)) continue;
        offer(k->out, OFFER_CLASS, e->name, e->detail, e->text);
        if (k->out->list.count == before) continue;
        array_last(&k->out->list).insert = keep_text(k->out, e->snippet);
        array_last(&k->out->list).import = keep_text(k->out, e->file);
    }
}

// --- members -------------------------------------------------------------------------------------

static const char *const port_words[] = {"e", "f", NULL};

static const char *const *own_variables(const Ask *k, const AstItem *i) {
    static const char *const capacitor[] = {"e", "f", "q", NULL};
    static const char *const inertia[] = {"e", "f", "p", NULL};
    static const char *const two_port[] = {"e1", "f1", "e2", "f2", "p1", "p2", NULL};
    static const char *const joint[] = {"q", "p", "e", "f", "force", "moment", NULL};
    static const char *const frame[] = {"position",     "rotation", "e", "f",
                                        "acceleration", "felt",     NULL};
    static const char *const body[] = {"mass",     "centre",       "kinetic",  "potential",
                                       "energy",   "momentum",     "position", "rotation",
                                       "velocity", "acceleration", NULL};
    switch (i->kind) {
    case ITEM_PORT: return port_words;
    case ITEM_JOINT:
    case ITEM_VELOCITY:
    case ITEM_TIE: return joint;
    case ITEM_FRAME: return frame;
    case ITEM_BODY: return body;
    case ITEM_COMPONENT: break;
    default: return NULL;
    }
    if (i->junction >= 0) return port_words;
    if (!i->path || i->path->kind != AST_NAME) return NULL;
    const char *type = name_text(k->a->names, i->path->name);
    if (!is_element(type)) return NULL;
    if (strstr(type, "TF") || strstr(type, "GY")) return two_port;
    if (strcmp(type, "C") == 0) return capacitor;
    return strcmp(type, "I") == 0 ? inertia : port_words;
}

static void offer_members(Ask *k, const Meaning *of) {
    if (of->kind == MEANS_FILE) {
        for (const AstClass *c = of->file->classes; c; c = c->next)
            if (c->kind != CLASS_IMPORT && c->kind != CLASS_EXPERIMENT) offer_class(k, c);
        return;
    }
    Definition d = meaning_class(k->a, of);
    if (d.what) each_declaration(k->a, d, offer_item, k);
    if (of->kind == MEANS_ITEM) {
        const char *const *words = d.what ? NULL : own_variables(k, of->item);
        if (words) offer_words(k->out, OFFER_VARIABLE, words);
    }
    if (d.what && d.what->kind == CLASS_MECHANISM) {
        static const char *const words[] = {"kinetic", "potential", "energy", "momentum", NULL};
        offer_words(k->out, OFFER_VARIABLE, words);
    }
}

// Over an index `[...]` that ends before `at`, backwards.
static uint32_t before_index(const Ask *k, uint32_t at) {
    int open = 0;
    if (!at || k->text[at - 1] != ']') return at;
    while (at > k->line) {
        at--;
        open += k->text[at] == ']';
        open -= k->text[at] == '[';
        if (!open) return at;
    }
    return at;
}

static Name name_between(const Ask *k, uint32_t from, uint32_t to) {
    char word[256];
    size_t n = to - from;
    if (!n || n >= sizeof word) return 0;
    memcpy(word, k->text + from, n);
    word[n] = 0;
    return name_find(k->a->names, word);
}

// What the path means that ends before `at`: a.b[2].c
static Meaning path_before(const Ask *k, uint32_t at) {
    Name part[DEEPEST];
    int count = 0;
    Meaning m = {0};
    for (;;) {
        uint32_t end = before_index(k, at), from = end;
        while (from > k->line && in_word(k->text[from - 1])) from--;
        if (count == DEEPEST || from == end) return m;
        part[count++] = name_between(k, from, end);
        at = from;
        if (at == k->line || k->text[at - 1] != '.') break;
        at--;
    }
    m = meaning_of_name(&k->scope, part[count - 1]);
    for (int i = count - 2; i >= 0; i--) m = meaning_of_member(k->a, &m, part[i]);
    return m;
}

// --- where the cursor is -------------------------------------------------------------------------

// The open bracket around the cursor; 0: none.
static uint32_t open_bracket(const Ask *k) {
    int depth = 0;
    uint32_t least = k->from > LONGEST_STATEMENT ? k->from - LONGEST_STATEMENT : 0;
    for (uint32_t i = k->from; i > least; i--) {
        char c = k->text[i - 1];
        if (c == ')') depth++;
        if (c == '(' && depth-- == 0) return i;
        if (c == '\n' && i >= 2 && isalpha((unsigned char)k->text[i])) return 0; // a definition
    }
    return 0;
}

// The class whose arguments stand in the bracket: `Type name(`, `extends Type(`, `param n: Type(`.
static Definition class_of_bracket(const Ask *k, uint32_t open) {
    uint32_t at = open - 1;
    Meaning m = path_before(k, at);
    Definition d = meaning_class(k->a, &m);
    if (d.what) return d;
    uint32_t end = before_index(k, at);
    while (end > k->line && in_word(k->text[end - 1])) end--;
    while (end > k->line && k->text[end - 1] == ' ') end--;
    m = path_before(k, before_index(k, end));
    return meaning_class(k->a, &m);
}

static bool in_unit(const Ask *k) {
    for (uint32_t i = k->from; i > k->line; i--) {
        if (k->text[i - 1] == '}') return false;
        if (k->text[i - 1] == '{') return true;
    }
    return false;
}

static bool in_comment_or_string(const Ask *k) {
    bool quoted = false;
    for (uint32_t i = k->line; i < k->from; i++) {
        if (k->text[i] == '"') quoted = !quoted;
        if (!quoted && k->text[i] == '/' && k->text[i + 1] == '/') return true;
    }
    return quoted;
}

// The word before the cursor's word, in the same line.
static bool follows(const Ask *k, const char *word) {
    uint32_t end = k->from;
    size_t n = strlen(word);
    while (end > k->line && k->text[end - 1] == ' ') end--;
    if (end == k->from || end < k->line + n) return false;
    bool whole = !in_word(word[0]) || end - n == k->line || !in_word(k->text[end - n - 1]);
    return whole && memcmp(k->text + end - n, word, n) == 0;
}

static bool line_begins(const Ask *k, const char *word) {
    size_t n = strlen(word);
    return k->from > k->first && strncmp(k->text + k->first, word, n) == 0 &&
           !in_word(k->text[k->first + n]);
}

// --- what is offered -----------------------------------------------------------------------------

static const char *const units[] = {
    "m",     "mm",      "m/s",       "m/s2",   "m2",  "m3",      "m3/s",  "l",   "l/min",
    "kg",    "t",       "kg/m3",     "kg.m2",  "s",   "ms",      "min",   "h",   "Hz",
    "rad",   "deg",     "rad/s",     "rad/s2", "rpm", "N",       "kN",    "N.m", "N/m",
    "N.s/m", "N.m/rad", "N.m.s/rad", "N.s",    "Pa",  "kPa",     "MPa",   "bar", "Pa.s",
    "J",     "kJ",      "W",         "kW",     "V",   "A",       "mA",    "ohm", "F",
    "uF",    "H",       "mH",        "C",      "Wb",  "V.s/rad", "N.m/A", "K",   "degC",
    "J/K",   "W/K",     "J/(kg.K)",  "mol",    "1",   "1/s",     NULL};

static const char *const top_words[] = {"model",      "element",  "mechanism", "lagrangian",
                                        "experiment", "function", "table",     "domain",
                                        "const",      "import",   NULL};
static const char *const model_words[] = {
    "param",    "const",      "port",   "input",   "output",    "var",    "for",
    "if",       "when",       "assert", "initial", "causality", "stores", "lossless",
    "supplies", "dissipates", "modes",  "end",     NULL};
static const char *const mechanism_words[] = {
    "param",      "const",     "input",       "joint", "body",        "frame",      "shape",
    "constraint", "actuator",  "gravity",     "form",  "coordinates", "coordinate", "velocity",
    "kinetic",    "potential", "dissipation", "for",   "if",          "end",        NULL};
static const char *const clause_words[] = {
    "at",         "rotated",   "initial",   "rate",     "mass",   "cg",       "inertia",
    "limits",     "driven by", "box",       "cylinder", "sphere", "tube",     "density",
    "added_mass", "published", "stiffness", "damping",  "rigid",  "revolute", "prismatic",
    "spherical",  "free",      "fixed",     "world",    NULL};
static const char *const experiment_words[] = {"set",       "start", "stop",   "points", "every",
                                               "solver",    "plot",  "record", "expect", "audit",
                                               "frequency", "live",  "end",    NULL};
static const char *const function_words[] = {
    "sin",  "cos",    "tan",   "asin", "acos", "atan",  "atan2", "exp", "log",
    "sqrt", "abs",    "sign",  "min",  "max",  "floor", "ceil",  "mod", "der",
    "pre",  "sample", "delay", "if",   "then", "else",  "time",  NULL};

static bool is_domain(ClassKind kind) { return kind == CLASS_DOMAIN; }

static void offer_scope(Ask *k) {
    Definition d = {k->scope.class, k->scope.file};
    if (d.what && d.what->kind == CLASS_EXPERIMENT) d = class_base(k->a, d);
    if (d.what) each_declaration(k->a, d, offer_item, k);
    for (int i = 0; k->scope.class && i < k->scope.class->formal_count; i++)
        offer(k->out, OFFER_PARAMETER, name_text(k->a->names, k->scope.class->formals[i].name),
              NULL, NULL);
}

static void offer_expression(Ask *k) {
    offer_scope(k);
    offer_classes(k, is_in_expressions);
    offer_words(k->out, OFFER_FUNCTION, function_words);
}

static void offer_elements(Ask *k) {
    for (int i = FIRST_ELEMENT; builtin_at(i); i++)
        offer(k->out, OFFER_ELEMENT, builtin_at(i)->type, describe_element(builtin_at(i)->type),
              NULL);
}

static void offer_statement(Ask *k) {
    const AstClass *c = k->scope.class;
    if (k->first == k->line || !c) {
        offer_words(k->out, OFFER_KEYWORD, top_words);
    } else if (c->kind == CLASS_EXPERIMENT) {
        offer_words(k->out, OFFER_KEYWORD, experiment_words);
    } else {
        bool mechanism = c->kind == CLASS_MECHANISM;
        offer_scope(k);
        offer_words(k->out, OFFER_KEYWORD, mechanism ? mechanism_words : model_words);
        if (mechanism) offer_words(k->out, OFFER_KEYWORD, clause_words);
        offer_elements(k);
        offer_classes(k, is_component_class);
        offer_library(k);
    }
}

static void offer_solvers(Ask *k) {
    for (int i = 0; i < SOLVER_COUNT; i++)
        offer(k->out, OFFER_KEYWORD, solver_name((SolverKind)i), NULL, NULL);
}

static void offer_files(Ask *k) {
    LibraryIndex *l = library_of(k);
    for (int i = 0; i < l->file.count; i++) offer(k->out, OFFER_FILE, l->file.data[i], NULL, NULL);
}

static void offer_domains(Ask *k) {
    static const char *const domains[] = {"electric", "translation", "rotation", "hydraulic",
                                          "thermal",  "heat",        "chemical", "magnetic",
                                          "any",      NULL};
    offer_words(k->out, OFFER_KEYWORD, domains);
    offer_classes(k, is_domain);
}

static void offer_arguments(Ask *k, uint32_t open) {
    Definition d = class_of_bracket(k, open);
    if (d.what) each_declaration(k->a, d, offer_argument, k);
    offer_expression(k);
}

static void offer_all(Ask *k) {
    if (in_comment_or_string(k)) return;
    if (in_unit(k)) {
        offer_words(k->out, OFFER_UNIT, units);
    } else if (k->from && k->text[k->from - 1] == '.') {
        Meaning of = path_before(k, k->from - 1);
        offer_members(k, &of);
    } else if (line_begins(k, "import")) {
        offer_files(k);
    } else if (follows(k, "of") || follows(k, "extends")) {
        offer_classes(k, is_component_class);
        for (int i = 0; i < k->out->list.count; i++) k->out->list.data[i].insert = NULL;
    } else if (line_begins(k, "port") && follows(k, ":")) {
        offer_domains(k);
    } else if (follows(k, "solver")) {
        offer_solvers(k);
    } else if (k->from == k->first) {
        offer_statement(k);
    } else {
        uint32_t open = open_bracket(k);
        if (open)
            offer_arguments(k, open);
        else
            offer_expression(k);
        if (k->scope.class && k->scope.class->kind == CLASS_MECHANISM)
            offer_words(k->out, OFFER_KEYWORD, clause_words);
    }
}

Offers completion_at(Document *d, uint32_t at) {
    Offers out = {0};
    Analysis *a = document_analysis(d);
    Ask k = {.d = d, .a = a, .text = text_get(&d->text), .from = at, .out = &out};
    if (at > d->text.length) k.from = (uint32_t)d->text.length;
    while (k.from && in_word(k.text[k.from - 1])) k.from--;
    k.line = k.from;
    while (k.line && k.text[k.line - 1] != '\n') k.line--;
    for (k.first = k.line; k.text[k.first] == ' ' || k.text[k.first] == '\t';) k.first++;
    if (k.first > k.from) k.first = k.from;
    const AstFile *file = analysis_file(a);
    out.from = k.from;
    if (!file) return out;
    k.scope = (Scope){.a = a, .file = file, .class = class_at(file, at)};
    offer_all(&k);
    return out;
}

void offers_free(Offers *o) {
    array_free(&o->list);
    arena_free(&o->arena);
}
