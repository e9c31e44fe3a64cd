// The canonical form, line by line:
//
//     model Drive "with a load"         two blanks for each body that is open
//       param k = 2*(a + b) {N/m}       blanks around = + - and relations, none around * / ^
//       R d(k, x[i-1])                  none inside of brackets; indices and ranges are tight
//       v -> d  // lost                 comments of neighbouring lines stand in one column
//
// Lines that go on with a statement keep their distance from its first line, so that columns that
// were aligned by hand stay so; rows of tables keep the blanks inside of them, and modes their
// columns.
#include "service/format.h"

#include "service/lexemes.h"
#include <string.h>

enum { STEP = 2, GOES_ON = 4, APART = 40, DEEPEST = 200 };

typedef struct {
    const char *text;
    Lexemes piece;
    int depth;             // bodies that are open
    int base;              // indentation of the statement
    int was;               // the indentation that it had
    int table;             // depth at which the rows of a table stand; 0: none
    int mechanism;         // the same for a mechanism
    char bracket[DEEPEST]; // open brackets: ( for arguments, [ for a matrix, i for an index
    int brackets;
    TokenKind statement; // its first token
} Format;

typedef struct { // a line that is ready: its code, and its comment if it has one behind the code
    char *code, *comment;
    int width; // of the code, in characters
    int empty; // lines before it
} Line;

typedef ARRAY(Line) Lines;

// --- blanks between two pieces -------------------------------------------------------------------

static bool is_word_of(const Format *f, const Lexeme *p, const char *word) {
    size_t length = strlen(word);
    return p->kind == TOKEN_NAME && p->end - p->at == length &&
           memcmp(f->text + p->at, word, length) == 0;
}

static bool ends_operand(const Lexeme *p) {
    switch (p->kind) {
    case TOKEN_NAME:
    case TOKEN_NUMBER:
    case TOKEN_STRING:
    case TOKEN_UNIT:
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_SQUARE:
    case TOKEN_QUOTE:
    case TOKEN_TIME:
    case TOKEN_TRUE:
    case TOKEN_FALSE:
    case TOKEN_END: return true;
    default: return false;
    }
}

static bool is_sign(const Lexeme *p) { return p->kind == TOKEN_PLUS || p->kind == TOKEN_MINUS; }

// A sign in front of one operand: `= -x`, `(-1`, and `rotated y -90` as it is written.
static bool is_unary(const Format *f, int i) {
    const Lexeme *p = &f->piece.data[i];
    if (!is_sign(p)) return false;
    if (i == 0 || p->starts || !ends_operand(p - 1)) return true;
    bool apart_before = p->at > p[-1].end;
    bool apart_after = i + 1 < f->piece.count && p[1].at > p->end;
    return apart_before && !apart_after;
}

static bool in_index(const Format *f) { return f->brackets && f->bracket[f->brackets - 1] == 'i'; }

static bool is_tight(TokenKind kind) {
    return kind == TOKEN_STAR || kind == TOKEN_SLASH || kind == TOKEN_CARET || kind == TOKEN_DOT;
}

// Is a bracket here an index or arguments of what stands before it? The author's blank tells.
static bool blank_before_bracket(const Lexeme *p) {
    TokenKind before = p[-1].kind;
    if (before == TOKEN_DER) return false;
    if (ends_operand(p - 1)) return p->at > p[-1].end;
    return !is_tight(before);
}

static bool blank_around_colon(const Format *f) {
    return !f->brackets && f->statement != TOKEN_FOR;
}

// Does a blank stand between piece i - 1 and piece i of one line?
static bool blank_before(const Format *f, int i) {
    const Lexeme *p = &f->piece.data[i];
    TokenKind before = p[-1].kind;
    if (before == TOKEN_OPEN || before == TOKEN_OPEN_SQUARE || is_unary(f, i - 1)) return false;
    switch (p->kind) {
    case TOKEN_COMMA:
    case TOKEN_SEMICOLON:
    case TOKEN_CLOSE:
    case TOKEN_CLOSE_SQUARE:
    case TOKEN_COLON:
    case TOKEN_QUOTE: return false;
    case TOKEN_UNIT: return true;
    case TOKEN_OPEN:
    case TOKEN_OPEN_SQUARE:
        if (before != TOKEN_COMMA && before != TOKEN_COLON) return blank_before_bracket(p);
        break;
    default: break;
    }
    if (is_tight(p->kind) || is_tight(before)) return false;
    if (before == TOKEN_COLON) return blank_around_colon(f);
    if (in_index(f) && before == TOKEN_COMMA) return false;
    bool sum = (is_sign(p) && !is_unary(f, i)) || (is_sign(p - 1) && !is_unary(f, i - 1));
    return !(sum && (in_index(f) || (f->statement == TOKEN_FOR && !f->brackets)));
}

// How many? Modes are written in columns, and these stay: `open:  p.f = 0   while on <= 0.5`.
static int blanks_before(const Format *f, int i) {
    const Lexeme *p = &f->piece.data[i];
    if (!blank_before(f, i)) return 0;
    bool label = f->statement == TOKEN_NAME && p[-1].kind == TOKEN_COLON;
    bool column = !f->brackets && (label || is_word_of(f, p, "while"));
    return column ? (int)(p->at - p[-1].end > 1 ? p->at - p[-1].end : 1) : 1;
}

static void count_brackets(Format *f, int i) {
    const Lexeme *p = &f->piece.data[i];
    bool open = p->kind == TOKEN_OPEN || p->kind == TOKEN_OPEN_SQUARE;
    bool close = p->kind == TOKEN_CLOSE || p->kind == TOKEN_CLOSE_SQUARE;
    if (open) {
        bool index = p->kind == TOKEN_OPEN_SQUARE && i > 0 && !p->line && ends_operand(p - 1) &&
                     p->at == p[-1].end;
        if (f->brackets < DEEPEST)
            f->bracket[f->brackets] = index ? 'i' : p->kind == TOKEN_OPEN ? '(' : '[';
        if (f->brackets < DEEPEST) f->brackets++;
    }
    if (close && f->brackets) f->brackets--;
}

// --- bodies --------------------------------------------------------------------------------------

// The first piece of the next statement.
static int next_statement(const Format *f, int i) {
    for (i++; i < f->piece.count && !f->piece.data[i].starts;) i++;
    return i;
}

static bool statement_has(const Format *f, int i, TokenKind kind, const char *word) {
    int end = next_statement(f, i), brackets = 0;
    for (i++; i < end; i++) {
        const Lexeme *p = &f->piece.data[i];
        if (p->comment) continue;
        brackets += p->kind == TOKEN_OPEN || p->kind == TOKEN_OPEN_SQUARE;
        brackets -= p->kind == TOKEN_CLOSE || p->kind == TOKEN_CLOSE_SQUARE;
        if (!brackets && p->kind == kind && (!word || is_word_of(f, p, word))) return true;
    }
    return false;
}

// `modes` or `modes name`, and nothing else in the statement.
static bool opens_modes(const Format *f, int i) {
    int names = 0;
    if (!is_word_of(f, &f->piece.data[i], "modes")) return false;
    for (int k = i + 1; k < next_statement(f, i); k++)
        names += f->piece.data[k].comment ? 0 : f->piece.data[k].kind == TOKEN_NAME ? 1 : 2;
    return names <= 1;
}

static bool opens_definition(TokenKind kind) {
    switch (kind) {
    case TOKEN_MODEL:
    case TOKEN_ELEMENT:
    case TOKEN_MECHANISM:
    case TOKEN_LAGRANGIAN:
    case TOKEN_EXPERIMENT:
    case TOKEN_FUNCTION:
    case TOKEN_TABLE: return true;
    default: return false;
    }
}

static bool opens_body(const Format *f, int i) {
    switch (f->piece.data[i].kind) {
    case TOKEN_MODEL:
    case TOKEN_ELEMENT:
    case TOKEN_LAGRANGIAN:
    case TOKEN_EXPERIMENT:
    case TOKEN_FOR:
    case TOKEN_IF:
    case TOKEN_WHEN: return true;
    case TOKEN_MECHANISM:
    case TOKEN_TABLE: return !statement_has(f, i, TOKEN_NAME, "from");
    case TOKEN_FUNCTION: return !statement_has(f, i, TOKEN_EQUALS, NULL);
    default: return opens_modes(f, i);
    }
}

static bool divides_body(TokenKind kind) {
    return kind == TOKEN_ELSE || kind == TOKEN_ELSEIF || kind == TOKEN_ELSEWHEN;
}

// In mechanisms a line that begins with one of these goes on with the statement before it.
static bool is_clause(const Format *f, const Lexeme *p) {
    static const char *const words[] = {"at",       "rotated", "dh",      "mdh",    "rate",
                                        "driven",   "limits",  "damping", "rigid",  "stiffness",
                                        "mass",     "cg",      "inertia", "box",    "added_mass",
                                        "cylinder", "sphere",  "tube",    "mesh",   "density",
                                        "length",   "radius",  "scale",   "colour", NULL};
    if (!f->mechanism || f->depth < f->mechanism) return false;
    if (p->kind == TOKEN_INITIAL) return true;
    for (int i = 0; words[i]; i++)
        if (is_word_of(f, p, words[i])) return true;
    return false;
}

static void open_body(Format *f, int i) {
    TokenKind kind = f->piece.data[i].kind;
    f->depth++;
    if (kind == TOKEN_TABLE) f->table = f->depth;
    if (kind == TOKEN_MECHANISM || kind == TOKEN_LAGRANGIAN) f->mechanism = f->depth;
}

static void close_body(Format *f) {
    if (f->table == f->depth) f->table = 0;
    if (f->mechanism == f->depth) f->mechanism = 0;
    if (f->depth) f->depth--;
}

// --- lines ---------------------------------------------------------------------------------------

// The column in which a piece stands, tabs to multiples of 8.
static int column_of(const Format *f, uint32_t at) {
    uint32_t from = at;
    int column = 0;
    while (from && f->text[from - 1] != '\n' && f->text[from - 1] != '\r') from--;
    for (; from < at; from++) column = f->text[from] == '\t' ? (column / 8 + 1) * 8 : column + 1;
    return column;
}

// The indentation of the line that begins with piece i. If a statement begins there, it becomes the
// present one.
static int indentation(Format *f, int i) {
    const Lexeme *p = &f->piece.data[i];
    if (p->comment) {
        const Lexeme *next = p;
        while (next < f->piece.data + f->piece.count && next->comment) next++;
        bool inside = next < f->piece.data + f->piece.count && !next->starts;
        return inside ? f->base + GOES_ON : STEP * f->depth;
    }
    int column = column_of(f, p->at);
    bool goes_on = !p->starts || is_clause(f, p);
    if (goes_on) {
        int beside = column - f->was, least = p->starts ? STEP : 1;
        return f->base + (beside >= least ? beside : p->starts ? STEP : GOES_ON);
    }
    if (opens_definition(p->kind)) f->depth = f->table = f->mechanism = 0;
    if (p->kind == TOKEN_END) close_body(f);
    f->brackets = 0;
    f->statement = p->kind;
    f->was = column;
    f->base = STEP * (f->depth - (divides_body(p->kind) && f->depth ? 1 : 0));
    if (opens_body(f, i)) open_body(f, i);
    return f->base;
}

static void add_blanks(Text *t, int count) {
    for (; count > 0; count--) text_char(t, ' ');
}

static char *keep(Arena *a, Text *t) {
    char *kept = arena_copy_text(a, text_get(t), t->length);
    text_clear(t);
    return kept;
}

static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++) width += begins_character(*text);
    return width;
}

// One line, from piece i on; gives the piece after its last one.
static int format_line(Format *f, Arena *a, int i, Line *line) {
    Text t = {0};
    const Lexeme *p = f->piece.data;
    bool row = f->table && f->depth >= f->table && p[i].kind != TOKEN_END && !p[i].comment;
    line->empty = p[i].blanks;
    add_blanks(&t, indentation(f, i));
    int first = i;
    do {
        if (p[i].comment && i > first) break;
        if (row && i > first)
            text_add_n(&t, f->text + p[i - 1].end, p[i].at - p[i - 1].end);
        else if (i > first)
            add_blanks(&t, blanks_before(f, i));
        if (!p[i].comment) count_brackets(f, i);
        text_add_n(&t, f->text + p[i].at, p[i].end - p[i].at);
        i++;
    } while (i < f->piece.count && !p[i].line);
    line->code = keep(a, &t);
    line->width = width_of(line->code);
    if (i < f->piece.count && !p[i].line) {
        text_add_n(&t, f->text + p[i].at, p[i].end - p[i].at);
        line->comment = keep(a, &t);
        i++;
    }
    text_free(&t);
    return i;
}

// Comments behind the code of lines that follow each other stand in one column, unless one line is
// far longer than another.
static int comment_column(const Lines *lines, int from, int *past) {
    int least = lines->data[from].width, most = least, i = from;
    for (; i < lines->count && lines->data[i].comment && (i == from || !lines->data[i].empty);
         i++) {
        int width = lines->data[i].width, low = width < least ? width : least;
        int high = width > most ? width : most;
        if (high - low > APART) break;
        least = low;
        most = high;
    }
    *past = i;
    return most + STEP;
}

static void write_lines(Text *out, const Lines *lines) {
    int past = 0, column = 0;
    for (int i = 0; i < lines->count; i++) {
        const Line *line = &lines->data[i];
        if (line->empty && i) text_char(out, '\n');
        text_add(out, line->code);
        if (line->comment) {
            if (i >= past) column = comment_column(lines, i, &past);
            add_blanks(out, column - line->width);
            text_add(out, line->comment);
        }
        text_char(out, '\n');
    }
}

// --- the whole text ------------------------------------------------------------------------------

static bool same_pieces(const Lexemes *a, const char *a_text, const Lexemes *b,
                        const char *b_text) {
    if (a->count != b->count) return false;
    for (int i = 0; i < a->count; i++) {
        const Lexeme *x = &a->data[i], *y = &b->data[i];
        size_t length = x->end - x->at;
        if (x->comment != y->comment || x->kind != y->kind || x->starts != y->starts ||
            x->line != y->line || length != y->end - y->at ||
            memcmp(a_text + x->at, b_text + y->at, length) != 0)
            return false;
    }
    return true;
}

bool format_text(Text *out, const char *text, size_t length, Report *r) {
    int before = r->errors;
    Arena arena = {0};
    Lines lines = {0};
    Format f = {.text = text, .piece = lexemes_of(text, length, r), .statement = TOKEN_NEWLINE};
    bool good = r->errors == before;
    for (int i = 0; good && i < f.piece.count;) {
        Line line = {0};
        i = format_line(&f, &arena, i, &line);
        array_push(&lines, line);
    }
    if (good) {
        write_lines(out, &lines);
        Lexemes again = lexemes_of(text_get(out), out->length, r);
        if (!same_pieces(&f.piece, text, &again, text_get(out))) { // left as it is
            text_clear(out);
            text_add_n(out, text, length);
        }
        array_free(&again);
    }
    array_free(&lines);
    array_free(&f.piece);
    arena_free(&arena);
    return good;
}
