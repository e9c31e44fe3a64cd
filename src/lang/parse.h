// What the parts of the parser share. Recursive descent with one token of lookahead:
//
//     parser.c             tokens, mistakes and recovery; the ways in
//     parse_definition.c   models, functions, tables ... at the top of a file
//     parse_statement.c    what stands in models: declarations, components, bonds, equations
//     parse_when.c         when, elsewhen and what stands in them
//     parse_frequency.c    the sweep of an experiment
//     parse_analysis.c     experiments that analyse
//     parse_mechanism.c    what stands in mechanisms: joints, bodies, frames
//     parse_experiment.c   what stands in experiments
//     parse_foreign.c      functions of C, units
//     parse_live.c         what drives inputs of live runs
//     parse_modes.c        modes
//     parse_search.c       what is minimised or fitted, over what
//     parse_expression.c   expressions, paths, arguments
//     parse_unit.c         units in braces
//
// Functions p_... move along the tokens and tell of mistakes; parse_... are the rules of the
// grammar.
//
// After a mistake `failed` is set and the current token matches nothing, so all rules fall through
// to the loop over statements, which goes on at the next line that starts one.
#ifndef BONDYN_LANG_PARSE_H
#define BONDYN_LANG_PARSE_H

#include "base/array.h"
#include "lang/analysis_kind.h"
#include "lang/lexer.h"
#include "lang/parser.h"

// Something that wants an `end`.
typedef struct {
    const char *what; // "model", "for"
    Name name;        // of a definition, or 0
    Token token;      // that opened it
} Opener;

typedef struct { // an arena, and what is left of the last piece of it: see p_take
    Arena *arena;
    char *room;
    size_t size;
} Pile;

typedef struct {
    Lexer lexer;
    Token token;     // the next one to be read
    bool failed;     // a mistake was reported; `token` is hidden in `culprit`
    bool given_up;   // no more can be understood
    Token culprit;   // the token of the mistake
    int depth;       // of nesting, bounded by AST_NESTED
    int open_ifs;    // structural ifs around this place
    int open_whens;  // 1 inside a when
    bool experiment; // inside an experiment: `end` can be a time
    bool linear;     // linear(...) is called
    bool mechanism;  // inside a mechanism: joint, body and frame start statements
    Opener suspect;  // a for or if whose `end` stands too far left: one may be missing there
    int indent;      // of the open definition's first line
    Token last_end;  // the `end` of the last definition
    Arena *out;
    Pile main, bonds, *pile; // where p_take takes from: `main`, but for bonds
    struct {
        Name text;
        const Unit *unit;
    } recent_unit[16]; // a model writes the same few units again and again
    int recent_units;  // read so far
    Names *names;
    Report *report;
} Parser;

typedef ARRAY(AstExpr *) ExprList;
typedef ARRAY(AstArg) ArgList;

typedef struct {
    AstItem *first, **end;
    AstExpr *result; // body of a function: what it returns
} ItemList;

// --- tokens (parser.c) --------------------------------------------------------------------------

bool p_at(const Parser *p, TokenKind kind);
bool p_at_word(const Parser *p, const char *word); // a name that is a keyword only in this place
bool p_accept(Parser *p, TokenKind kind);
bool p_accept_word(Parser *p, const char *word);
bool p_expect(Parser *p, TokenKind kind, const char *what); // what: how a user would call it
void p_expect_close(Parser *p, TokenKind kind, Token open); // the partner of a bracket
Name p_expect_name(Parser *p, const char *what);
Name p_accept_string(Parser *p); // a description, or 0
void p_advance(Parser *p);
void p_skip_newlines(Parser *p);
Pos p_pos(const Parser *p, Token t);
int p_indentation(const Parser *p, Token t); // blanks before t; -1 when it is not first on its line

// --- mistakes (parser.c) ------------------------------------------------------------------------

// "expected `what`, saw ..." at the current token. The remark is NULL when nothing was reported.
Remark *p_fail_expected(Parser *p, const char *what);
Remark *p_fail(Parser *p, Code code, Token t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void p_help(Parser *p, Remark *m, const char *format, ...) __attribute__((format(printf, 3, 4)));
Remark *p_complain(Parser *p, Code code, Token t, const char *format, ...)
    __attribute__((format(printf, 4, 5))); // reports, and parsing goes on
bool p_enter(Parser *p);                   // one level deeper; false when that is too deep
bool p_enter_body(Parser *p); // the same for bodies: where they are too deep, parsing ends
void p_leave(Parser *p);

// The end of a statement that began at `start`: a newline; after a mistake the search for the next.
void p_end_statement(Parser *p, Token start);
void p_recover(Parser *p, Token start);
bool p_starts_definition(TokenKind kind);
bool p_stopped(const Parser *p); // end of text, or so many mistakes that more would not help
void p_close_with_end(Parser *p, const Opener *o);
Remark *p_keyword_as_name(Parser *p, const char *what);

// --- expressions (parse_expression.c) -----------------------------------------------------------

AstExpr *parse_expr(Parser *p);
AstItem *parse_initial(Parser *p);
AstExpr *p_binary(Parser *p, Token op, BinaryOp kind, AstExpr *left, AstExpr *right);
AstExpr *parse_sum(Parser *p); // without comparisons
AstExpr *parse_range(Parser *p);
AstExpr *parse_bracket(Parser *p); // at "(": a bracket or a vector, and nothing behind it
AstExpr *parse_path(Parser *p, const char *what);
void parse_args(Parser *p, AstArg **args, int *count);          // "(" ... ")"
void parse_subscripts(Parser *p, AstExpr ***exprs, int *count); // "[" ... "]" as a size
AstExpr *p_take_dimension(Parser *p, AstExpr *path);            // Type[3]: cuts off the 3
bool p_is_path(const AstExpr *e);
bool parse_unit(Parser *p, Unit *unit, Name *text); // false when no unit stands here
const Unit *parse_kept_unit(Parser *p, Name *text); // in the arena; NULL when no unit stands here
AstExpr **p_keep_exprs(Parser *p, ExprList *list);  // moves the list into the arena
AstArg *p_keep_args(Parser *p, ArgList *list, int *count);
AstExpr *p_new_expr(Parser *p, AstExprKind kind, Token t);

// Zeroed memory for the tree. The arena rounds each piece up to 16 bytes, which would waste a fifth
// of it; so nodes are cut from larger pieces, aligned for pointers and numbers.
void *p_take(Parser *p, size_t count, size_t size);

// --- foreign code (parse_foreign.c) -------------------------------------------------------------

void parse_sizes(Parser *p, int *rows, int *cols);            // of an argument, if any
bool parse_external(Parser *p, AstClass *c);                  // false: none stands here
void refuse_sizes(Parser *p, const AstClass *c, Token start); // of other functions
void parse_unit_file(Parser *p, AstClass *c);                 // behind `from`

// --- statements ---------------------------------------------------------------------------------

AstItem *p_new_item(Parser *p, ItemKind kind, Token t);
void p_add_item(ItemList *list, AstItem *item);
void parse_model_statement(Parser *p, ItemList *list); // parse_statement.c
bool is_reinit(const Parser *p, const AstExpr *e);     // a call of reinit
AstItem *parse_when(Parser *p);                        // parse_when.c
AstItem *parse_laws(Parser *p);                        // equation {"," equation}
bool at_modes(const Parser *p);                        // parse_modes.c
AstItem *parse_modes(Parser *p);
void parse_right_side(Parser *p, AstItem *item);            // "=" and what follows
bool parse_mechanism_statement(Parser *p, ItemList *list);  // false: a statement as in models
void parse_value_declaration(Parser *p, AstItem *item);     // name [size] {unit} = value "text"
void parse_experiment_statement(Parser *p, ItemList *list); // parse_experiment.c
void parse_settings(Parser *p, ItemList *list);             // path = expr, ...
bool parse_analysis(Parser *p, ItemList *list);             // parse_analysis.c; false: it is none
Name parse_analysis_kind(Parser *p, Pos *pos);
bool parse_relation(Parser *p, BinaryOp *relation);
void parse_search(Parser *p, ItemList *list); // parse_search.c: is the word one of its statements?
bool at_search(const Parser *p);
void parse_frequency(Parser *p, ItemList *list); // parse_frequency.c
void parse_live(Parser *p, ItemList *list);      // parse_live.c
ItemList parse_body(Parser *p, void (*statement)(Parser *, ItemList *));
AstClass *parse_definitions(Parser *p);  // parse_definition.c
bool p_skip_inner_definition(Parser *p); // one that wrongly stands inside another

#endif
