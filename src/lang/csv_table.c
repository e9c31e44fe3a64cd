// Tables from files of measured data:
//
//     table p_meas(t {s}) {Pa} linear from "run7.csv" column "pressure"
//
//     # comments                          lines that begin with # are skipped, empty ones too
//     time [ms], pressure [bar], "a, b"   names, with units in [ ] or { }
//     0, 1.2, 0.5                         cells end at a comma, or at a semicolon or a tab if the
//     10, 1.3, 0.4                        line of names has one; quotes are taken off
//
// The argument is the first column, or the one that `over "name"` says; of several variables the
// first ones, or those that `over "n", "T"` says: each row is a point of a grid, in any order.
// Numbers are converted from the unit of their column; without one they count in the unit of the
// table. Every number has its place in the file, so whatever is wrong with it is told there.
#include "lang/csv_table.h"

#include "base/array.h"
#include "lang/lookup.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *at, *end;
} Span;

typedef struct {
    const Names *names;
    AstClass *c;
    Report *r;
    uint32_t source;
    const char *text, *end;
    const char *next; // the line that is read next
    char separator;
} Reader;

typedef struct { // a column that is wanted
    int index;
    Span name;
    Unit unit; // of its numbers
    bool has_unit;
    Span last; // the cell that was read last
} Column;

static Pos pos_at(const Reader *x, const char *at) {
    return (Pos){x->source, (uint32_t)(at - x->text)};
}

static int length_of(Span s) {
    enum { LONGEST = 60 }; // in messages
    return s.end - s.at < LONGEST ? (int)(s.end - s.at) : LONGEST;
}

// --- lines and cells ----------------------------------------------------------------------------

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static Span trimmed(Span s) {
    while (s.at < s.end && is_space(*s.at)) s.at++;
    while (s.at < s.end && is_space(s.end[-1])) s.end--;
    return s;
}

// A comment, or nothing but separators: spreadsheets write such lines below their data.
static bool is_skipped(Span line) {
    line = trimmed(line);
    if (line.at < line.end && *line.at == '#') return true;
    while (line.at < line.end && strchr(",; \t\r", *line.at)) line.at++;
    return line.at == line.end;
}

static bool next_line(Reader *x, Span *line) {
    while (x->next < x->end) {
        const char *stop = memchr(x->next, '\n', (size_t)(x->end - x->next));
        *line = (Span){x->next, stop ? stop : x->end};
        x->next = stop ? stop + 1 : x->end;
        if (!is_skipped(*line)) return true;
    }
    return false;
}

// Where a cell ends: at the separator, but not between quotes.
static const char *cell_end(const Reader *x, Span line) {
    bool quoted = false;
    for (; line.at < line.end; line.at++) {
        if (*line.at == '"') quoted = !quoted;
        if (*line.at == x->separator && !quoted) break;
    }
    return line.at;
}

// cell = {space} ('"' {character | '""'} '"' | {character}) {space}     up to the separator
// Moves line->at behind it; the cell is without quotes. False: the line is over.
static bool next_cell(const Reader *x, Span *line, Span *cell) {
    if (line->at > line->end) return false;
    const char *stop = cell_end(x, *line);
    *cell = trimmed((Span){line->at, stop});
    if (cell->end - cell->at >= 2 && *cell->at == '"' && cell->end[-1] == '"')
        *cell = trimmed((Span){cell->at + 1, cell->end - 1});
    line->at = stop + 1;
    return true;
}

static char separator_of(Span names) {
    size_t length = (size_t)(names.end - names.at);
    return memchr(names.at, ';', length) ? ';' : memchr(names.at, '\t', length) ? '\t' : ',';
}

// Text has no control characters but those that end cells and lines.
static bool is_text(Reader *x) {
    for (const char *at = x->text; at < x->end; at++) {
        unsigned char c = (unsigned char)*at;
        if (c >= ' ' ? c != 0x7f : c == '\t' || c == '\r' || c == '\n') continue;
        Remark *m = report_error(x->r, L_CSV_TEXT, pos_at(x, at),
                                 "this file is no text: it has the byte 0x%02x here", c);
        remark_note(x->r, m, x->c->from_pos, "the table is read from it here");
        remark_help(x->r, m, "%s",
                    c == 0 ? "save it as CSV in UTF-8, not as a spreadsheet or in UTF-16"
                           : "save it as plain CSV");
        return false;
    }
    return true;
}

// --- columns ------------------------------------------------------------------------------------

// q[1], M[2,3]: the last brackets are not those of a unit.
static bool is_index(Span s, const char *open) {
    for (const char *at = open + 1; at < s.end - 1; at++)
        if (!strchr("0123456789,", *at)) return false;
    return open > s.at && !is_space(open[-1]);
}

// "pressure [bar]" -> "pressure" and "bar".
static Span split_unit(Span s, Span *unit) {
    *unit = (Span){s.end, s.end};
    if (s.at == s.end || (s.end[-1] != ']' && s.end[-1] != '}')) return s;
    const char *open = s.end - 1;
    while (open > s.at && *open != '[' && *open != '{') open--;
    if ((*open != '[' && *open != '{') || is_index(s, open)) return s;
    *unit = trimmed((Span){open + 1, s.end - 1});
    return trimmed((Span){s.at, open});
}

static void note_table(Reader *x, Remark *m) {
    remark_note(x->r, m, x->c->pos, "the table is declared here");
}

// The unit of a column, and that of the table, which must be of one kind.
static bool settle_unit(Reader *x, Column *k, Span text, bool *has_unit, Unit *unit) {
    const char *bad;
    size_t length;
    if (text.at == text.end) {
        k->has_unit = *has_unit;
        k->unit = *unit;
        return true;
    }
    if (!unit_parse(text.at, (size_t)(text.end - text.at), &k->unit, &bad, &length)) {
        Span word = length ? (Span){bad, bad + length} : text;
        Remark *m = report_error(x->r, L_CSV_UNIT, pos_at(x, word.at), "there is no unit '%.*s'",
                                 length_of(word), word.at);
        const char *near = length ? unit_suggest(bad, length) : NULL;
        if (near) remark_help(x->r, m, "did you mean '%s'?", near);
        if (!near)
            remark_help(x->r, m, "write the unit of the column as [bar] or {m/s} behind its name");
        return false;
    }
    k->has_unit = true;
    if (!*has_unit) { // the table takes that of the file
        *has_unit = true;
        *unit = k->unit;
    }
    if (dim_fits(k->unit.dim, unit->dim)) return true;
    Remark *m = report_error(x->r, L_CSV_UNIT, pos_at(x, text.at),
                             "column '%.*s' is in %.*s, which does not fit the table",
                             length_of(k->name), k->name.at, length_of(text), text.at);
    note_table(x, m);
    remark_help(x->r, m, "give the table the unit of the column");
    return false;
}

// Column names as text of their own: quotes that are written twice count once.
static const char *name_of_column(Arena *a, Span s) {
    char *text = arena_copy_text(a, s.at, (size_t)(s.end - s.at)), *to = text;
    for (const char *from = text; *from; from++) {
        *to++ = *from;
        if (from[0] == '"' && from[1] == '"') from++;
    }
    *to = 0;
    return text;
}

static void tell_columns(Reader *x, Remark *m, Span names, const char *wanted) {
    enum { MOST_SHOWN = 12 };
    Text list = {0};
    Span cell, unit, line = names;
    Suggestion near = suggest_for(wanted);
    int count = 0;
    for (; next_cell(x, &line, &cell); count++) {
        const char *name = name_of_column(&x->r->arena, split_unit(cell, &unit));
        suggest_offer(&near, name);
        if (count < MOST_SHOWN) text_printf(&list, "%s'%s'", count ? ", " : "", name);
    }
    if (count > MOST_SHOWN) text_printf(&list, " and %d more", count - MOST_SHOWN);
    remark_note(x->r, m, pos_at(x, names.at), "the columns are %s", text_get(&list));
    suggest_help(x->r, m, &near, "write the name as in the file, without its unit");
    text_free(&list);
}

static bool is_number(Span s) {
    for (const char *at = s.at; at < s.end; at++)
        if (!strchr("+-.0123456789eE", *at)) return false;
    return s.at < s.end;
}

static bool found_twice(Reader *x, const char *name, Span first, Span second) {
    Remark *m = report_error(x->r, L_CSV_COLUMN, pos_at(x, second.at),
                             "the file has two columns '%s'", name);
    remark_note(x->r, m, pos_at(x, first.at), "the other one is here");
    remark_help(x->r, m, "give them different names");
    return false;
}

// Finds a column by its name; without a name it is column number `first`, counted from 0.
static bool find_column(Reader *x, Span names, Name wanted, Pos pos, int first, Column *k,
                        Span *unit) {
    Arena tmp = {0};
    const char *name = name_text(x->names, wanted);
    Span cell, line = names, other;
    bool good = true;
    k->index = -1;
    for (int i = 0; good && next_cell(x, &line, &cell); i++) {
        Span s = split_unit(cell, &other);
        bool fits = wanted ? strcmp(name, name_of_column(&tmp, s)) == 0 : i == first;
        if (fits && k->index >= 0) good = found_twice(x, name, k->name, s);
        if (!fits || !good) continue;
        k->index = i;
        k->name = s;
        *unit = other;
    }
    arena_free(&tmp);
    if (!good || k->index >= 0) return good;
    Remark *m = wanted ? report_error(x->r, L_CSV_COLUMN, pos, "the file has no column '%s'", name)
                       : report_error(x->r, L_CSV_COLUMN, x->c->from_pos,
                                      "the file has no column %d", first + 1);
    tell_columns(x, m, names, name);
    return false;
}

static bool has_names(Reader *x, Span line) {
    Span cell, rest = line;
    while (next_cell(x, &rest, &cell))
        if (!is_number(cell)) return true;
    Remark *m = report_error(x->r, L_CSV_COLUMN, pos_at(x, trimmed(line).at),
                             "the first line has numbers in place of the names of columns");
    remark_note(x->r, m, x->c->from_pos, "the table is read from this file here");
    remark_help(x->r, m, "put a line above it, such as: time [s], pressure [bar]");
    return false;
}

// The line of names.
static bool first_line(Reader *x, Span *line) {
    if (!is_text(x)) return false;
    if (!next_line(x, line)) {
        Remark *m = report_error(x->r, L_CSV_TEXT, x->c->from_pos, "the file is empty");
        remark_help(x->r, m, "it needs a line with the names of its columns, and rows of numbers");
        return false;
    }
    x->separator = separator_of(*line);
    return has_names(x, *line);
}

// --- numbers ------------------------------------------------------------------------------------

static bool complain_gap(Reader *x, const Column *k, Span line) {
    Remark *m = report_error(x->r, L_CSV_VALUE, pos_at(x, trimmed(line).at),
                             "this line has no value for '%.*s'", length_of(k->name), k->name.at);
    remark_help(x->r, m, "fill the gap, or leave the line out");
    return false;
}

static bool complain_word(Reader *x, const Column *k, Span cell) {
    bool comma = memchr(cell.at, ',', (size_t)(cell.end - cell.at)) != NULL;
    Remark *m = report_error(x->r, L_CSV_VALUE, pos_at(x, cell.at),
                             "'%.*s' in column '%.*s' is not a number", length_of(cell), cell.at,
                             length_of(k->name), k->name.at);
    remark_help(x->r, m, "%s",
                comma ? "write numbers with a point for decimals: 1.5"
                      : "write a finite number such as 1.5e-3, or leave the line out");
    return false;
}

// In SI units.
static bool read_number(Reader *x, Span line, Column *k, double *value) {
    Span rest = line, cell = {line.at, line.at};
    bool there = true;
    for (int i = 0; there && i <= k->index; i++) there = next_cell(x, &rest, &cell);
    if (!there || cell.at == cell.end) return complain_gap(x, k, line);
    char digits[64], *stop = digits;
    size_t length = (size_t)(cell.end - cell.at);
    bool good = length < sizeof digits && is_number(cell);
    if (good) {
        memcpy(digits, cell.at, length);
        digits[length] = 0;
        *value = strtod(digits, &stop);
    }
    if (!good || *stop || stop == digits) return complain_word(x, k, cell);
    if (k->has_unit) *value = *value * k->unit.scale + k->unit.offset;
    k->last = cell;
    return isfinite(*value) || complain_word(x, k, cell);
}

static bool rises(Reader *x, const Column *k, Span before) {
    Remark *m = report_error(x->r, L_TABLE, pos_at(x, k->last.at),
                             "column '%.*s' must rise from row to row: %.*s follows %.*s",
                             length_of(k->name), k->name.at, length_of(k->last), k->last.at,
                             length_of(before), before.at);
    note_table(x, m);
    remark_help(x->r, m, "sort the rows, and keep each value once");
    return false;
}

typedef ARRAY(double) Numbers;

static bool read_rows(Reader *x, Column *argument, Column *value, Numbers *xs, Numbers *ys) {
    Span line;
    double a = 0, y = 0;
    while (next_line(x, &line)) {
        Span before = argument->last;
        if (!read_number(x, line, argument, &a) || !read_number(x, line, value, &y)) return false;
        if (xs->count && !(a > array_last(xs))) return rises(x, argument, before);
        array_push(xs, a);
        array_push(ys, y);
    }
    if (xs->count > 1) return true;
    Remark *m = report_error(x->r, L_CSV_TEXT, x->c->from_pos, "the file has %s",
                             xs->count ? "one row only" : "no rows below the names of its columns");
    remark_help(x->r, m, "a table has two rows or more");
    return false;
}

// --- grids --------------------------------------------------------------------------------------

typedef struct {
    int rank;
    Column argument[TABLE_ARGUMENTS], value;
    Numbers at[TABLE_ARGUMENTS], y; // row by row
    ARRAY(Pos) row;
    int size[TABLE_ARGUMENTS];
    double *axis[TABLE_ARGUMENTS];
} GridRows;

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool read_points(Reader *x, GridRows *g) {
    Span line;
    while (next_line(x, &line)) {
        double number = 0;
        for (int k = 0; k < g->rank; k++) {
            if (!read_number(x, line, &g->argument[k], &number)) return false;
            array_push(&g->at[k], number);
        }
        if (!read_number(x, line, &g->value, &number)) return false;
        array_push(&g->y, number);
        array_push(&g->row, pos_at(x, trimmed(line).at));
    }
    return true;
}

// The values of an argument that are there, each once.
static bool find_axis(Reader *x, Arena *out, GridRows *g, int k) {
    int n = g->y.count, kept = 0;
    double *value = ARENA_ARRAY(out, double, n);
    if (n) memcpy(value, g->at[k].data, (size_t)n * sizeof *value);
    if (n) qsort(value, (size_t)n, sizeof *value, by_size);
    for (int i = 0; i < n; i++)
        if (!kept || value[kept - 1] != value[i]) value[kept++] = value[i];
    g->axis[k] = value;
    g->size[k] = kept;
    if (kept > 1) return true;
    Remark *m = report_error(x->r, L_CSV_TEXT, x->c->from_pos, "the file has %s value%s of '%.*s'",
                             kept ? "one" : "no", kept ? "" : "s", length_of(g->argument[k].name),
                             g->argument[k].name.at);
    remark_help(x->r, m, "a table has two or more of each of its arguments");
    return false;
}

static int place_of(const GridRows *g, int k, double value) {
    const double *found = bsearch(&value, g->axis[k], (size_t)g->size[k], sizeof value, by_size);
    return found ? (int)(found - g->axis[k]) : 0;
}

static bool twice_there(Reader *x, const GridRows *g, int first, int second) {
    Remark *m =
        report_error(x->r, L_TABLE, g->row.data[second], "this point of the table is there twice");
    remark_note(x->r, m, g->row.data[first], "the other one is here");
    remark_help(x->r, m, "keep each combination of arguments once");
    return false;
}

static bool not_there(Reader *x, const GridRows *g, int point) {
    Text t = {0};
    int at[TABLE_ARGUMENTS];
    for (int k = g->rank - 1; k >= 0; point /= g->size[k--]) at[k] = point % g->size[k];
    for (int k = 0; k < g->rank; k++) {
        const Column *c = &g->argument[k];
        double value = g->axis[k][at[k]];
        if (c->has_unit) value = (value - c->unit.offset) / c->unit.scale;
        text_printf(&t, "%s%.*s = %.6g", k ? ", " : "", length_of(c->name), c->name.at, value);
    }
    Remark *m =
        report_error(x->r, L_TABLE, x->c->from_pos, "the file has no row with %s", text_get(&t));
    note_table(x, m);
    remark_help(x->r, m, "a table of %d variables has a row for each combination of their values",
                g->rank);
    text_free(&t);
    return false;
}

// Sorts y into the grid of all points: rows may come in any order, each once. If there are more
// points than rows, a missing one is among the first count + 1.
static double *fill_grid(Reader *x, Arena *out, const GridRows *g) {
    double points = 1;
    for (int k = 0; k < g->rank; k++) points *= g->size[k];
    int n = points > g->y.count ? g->y.count + 1 : (int)points;
    int *row = ARENA_ARRAY(out, int, n);
    double *y = ARENA_ARRAY(out, double, n);
    for (int i = 0; i < n; i++) row[i] = -1;
    for (int i = 0; i < g->y.count; i++) {
        double at = 0;
        for (int k = 0; k < g->rank; k++) at = at * g->size[k] + place_of(g, k, g->at[k].data[i]);
        if (at >= n) continue;
        if (row[(int)at] >= 0) return twice_there(x, g, row[(int)at], i), NULL;
        row[(int)at] = i;
        y[(int)at] = g->y.data[i];
    }
    for (int i = 0; i < n; i++)
        if (row[i] < 0) return not_there(x, g, i), NULL;
    return y;
}

static bool grid_columns(Reader *x, GridRows *g) {
    AstClass *c = x->c;
    Span line, unit = {0};
    if (!first_line(x, &line)) return false;
    for (int k = 0; k < g->rank; k++)
        if (!find_column(x, line, c->over[k], c->over_pos[k], k, &g->argument[k], &unit) ||
            !settle_unit(x, &g->argument[k], unit, &c->formals[k].has_unit, &c->formals[k].unit))
            return false;
    return find_column(x, line, c->column, c->column_pos, 0, &g->value, &unit) &&
           settle_unit(x, &g->value, unit, &c->has_unit, &c->unit);
}

static void grid_from_csv(Reader *x, Arena *out) {
    GridRows g = {.rank = x->c->formal_count};
    bool good = grid_columns(x, &g) && read_points(x, &g);
    for (int k = 0; good && k < g.rank; k++) good = find_axis(x, out, &g, k);
    const double *y = good ? fill_grid(x, out, &g) : NULL;
    if (y) {
        AstData *data = ARENA_NEW(out, AstData);
        *data = (AstData){.count = g.y.count, .y = y, .last = array_last(&g.row)};
        memcpy(data->size, g.size, sizeof g.size);
        for (int k = 0; k < g.rank; k++) data->axis[k] = g.axis[k];
        x->c->data = data;
    }
    for (int k = 0; k < g.rank; k++) array_free(&g.at[k]);
    array_free(&g.y);
    array_free(&g.row);
}

static double *kept(Arena *out, const Numbers *n) {
    double *data = ARENA_ARRAY(out, double, n->count);
    memcpy(data, n->data, (size_t)n->count * sizeof *data);
    return data;
}

static bool read_columns(Reader *x, Column *argument, Column *value) {
    AstClass *c = x->c;
    Span line, unit = {0}, value_unit = {0};
    return first_line(x, &line) &&
           find_column(x, line, c->over[0], c->over_pos[0], 0, argument, &unit) &&
           find_column(x, line, c->column, c->column_pos, 0, value, &value_unit) &&
           settle_unit(x, argument, unit, &c->formals[0].has_unit, &c->formals[0].unit) &&
           settle_unit(x, value, value_unit, &c->has_unit, &c->unit);
}

void table_from_csv(Arena *out, const Names *names, const Sources *sources, uint32_t source,
                    AstClass *c, Report *r) {
    Reader x = {.names = names, .c = c, .r = r, .source = source};
    size_t length;
    x.text = source_text(sources, source, &length);
    x.end = x.text + length;
    x.next = x.text + (length >= 3 && memcmp(x.text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    if (c->formal_count > 1) {
        grid_from_csv(&x, out);
        return;
    }
    Column argument = {0}, value = {0};
    Numbers xs = {0}, ys = {0};
    if (c->formal_count == 1 && read_columns(&x, &argument, &value) &&
        read_rows(&x, &argument, &value, &xs, &ys)) {
        AstData *data = ARENA_NEW(out, AstData);
        *data = (AstData){.count = xs.count,
                          .x = kept(out, &xs),
                          .y = kept(out, &ys),
                          .last = pos_at(&x, argument.last.at)};
        c->data = data;
    }
    array_free(&xs);
    array_free(&ys);
}
