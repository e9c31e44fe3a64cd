// Results as comma-separated text:
//
//     # model: MassSpringDamper
//     # complete: yes                      `no`: the run ended early
//     # about v.f: speed of the mass       descriptions of columns
//     time [s],v.f [m/s],"K[1,2]"
//     0,0,1.5
//
// Numbers are written so that reading gives the same double again.
#include "results/writer.h"

#include "base/array.h"
#include "base/files.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- writing ------------------------------------------------------------------------------------

enum { FLUSH_AT = 1 << 16 };
static const char unknown_end[] = "no "; // in the head, until "yes" is written over it

typedef struct {
    ResultWriter base;
    int file;
    Text text;    // waiting to be written: whole lines
    off_t length; // of the file: whole lines
    off_t end_at; // where the head tells whether the results are complete
    long kept;    // rows in it
    int problem;  // errno of the first failure
} CsvWriter;

static bool failed(CsvWriter *w) {
    if (!w->problem) w->problem = errno ? errno : EIO;
    return false;
}

static bool flush(CsvWriter *w) {
    if (!file_put(w->file, w->text.data, w->text.length)) return failed(w);
    w->length += (off_t)w->text.length;
    text_clear(&w->text);
    return true;
}

static void write_meta(Text *t, const char *key, const char *column, const char *value) {
    if (!value || !*value) return;
    text_printf(t, "# %s%s%s: ", key, *column ? " " : "", column);
    size_t from = t->length;
    text_shown(t, value, strlen(value));
    for (size_t i = from; i < t->length; i++)
        if (t->data[i] == '\n') t->data[i] = ' ';
    text_char(t, '\n');
}

static void write_name(Text *t, const Column *c) {
    bool quote = strpbrk(c->name, ",;\"\t") || strpbrk(c->unit, ",;\"\t");
    if (quote) text_char(t, '"');
    for (const char *s = c->name; *s; s++)
        text_add(t, quote && *s == '"' ? "\"\"" : (char[]){*s, 0});
    if (*c->unit) text_printf(t, " [%s]", c->unit);
    if (quote) text_char(t, '"');
}

static void write_names(Text *t, const Results *r) {
    for (int c = 0; c < r->column_count; c++)
        write_meta(t, "about", r->column[c].name, r->column[c].text);
    for (int c = 0; c < r->column_count; c++) {
        if (c) text_char(t, ',');
        write_name(t, &r->column[c]);
    }
    text_char(t, '\n');
}

static bool begin(ResultWriter *base, const Results *r) {
    CsvWriter *w = (CsvWriter *)base;
    Text *t = &w->text;
    write_meta(t, "model", "", r->model);
    write_meta(t, "experiment", "", r->experiment);
    write_meta(t, "solver", "", r->solver);
    write_meta(t, "source", "", r->source);
    write_meta(t, "generator", "", "Bondyn " BONDYN_VERSION);
    write_meta(t, "complete", "", unknown_end);
    w->end_at = (off_t)(t->length - sizeof unknown_end);
    write_names(t, r);
    return flush(w);
}

static bool add_rows(ResultWriter *base, const Results *r) {
    CsvWriter *w = (CsvWriter *)base;
    for (int row = 0; row < r->row_count; row++) {
        for (int c = 0; c < r->column_count; c++) {
            if (c) text_char(&w->text, ',');
            text_number(&w->text, r->column[c].value[row]);
        }
        text_char(&w->text, '\n');
        if (w->text.length <= FLUSH_AT && row + 1 < r->row_count) continue;
        if (!flush(w)) return false;
        w->kept = base->rows + row + 1;
    }
    return true;
}

// A pipe cannot be written to in the middle: there the last line tells.
static bool mark_complete(CsvWriter *w) {
    if (pwrite(w->file, "yes", 3, w->end_at) == 3) return true;
    text_add(&w->text, "# complete: yes\n");
    return flush(w);
}

static bool finish(ResultWriter *base, bool complete) {
    CsvWriter *w = (CsvWriter *)base;
    bool good = !complete || mark_complete(w);
    if (close(w->file) != 0) good = failed(w);
    text_free(&w->text);
    return good;
}

static void cannot_write(const char *path, int problem, long rows, Report *report) {
    Remark *m = report_error(report, T_CANNOT_WRITE, POS_NONE, "cannot write '%s': %s", path,
                             strerror(problem));
    if (rows)
        remark_note(report, m, POS_NONE, "the first %ld rows are kept, marked incomplete", rows);
    remark_help(report, m, "choose a folder that exists, has space and that you may write to");
}

// The file ends behind the last whole line again.
static bool salvage(ResultWriter *base, Report *report) {
    CsvWriter *w = (CsvWriter *)base;
    bool kept = w->base.begun && ftruncate(w->file, w->length) == 0;
    cannot_write(base->path, w->problem, kept ? w->kept : 0, report);
    return kept;
}

static const WriterKind writes = {begin, add_rows, finish, salvage};

ResultWriter *csv_open(const char *path, Report *report) {
    Arena arena = {0};
    CsvWriter *w = ARENA_NEW(&arena, CsvWriter);
    w->base = writer_at(&arena, path, &writes);
    w->file = file_create(w->base.beside, path);
    w->base.arena = arena;
    if (w->file >= 0) return &w->base;
    cannot_write(path, errno, 0, report);
    arena_free(&arena);
    return NULL;
}

// --- reading ------------------------------------------------------------------------------------

typedef struct {
    char *at; // rest of the file; lines are cut off in place
    int line;
    char separator;
    const char *path;
    Report *report;
    ARRAY(double) value; // row by row
    ARRAY(Column) column;
    ARRAY(char *) about; // names and descriptions that wait for their columns
} Reader;

static char *next_line(Reader *in) {
    if (!*in->at) return NULL;
    char *line = in->at, *end = line + strcspn(line, "\n");
    in->at = *end ? end + 1 : end;
    *end = 0;
    if (end > line && end[-1] == '\r') end[-1] = 0;
    in->line++;
    return line;
}

static char *trim(char *s) {
    s += strspn(s, " ");
    size_t n = strlen(s);
    while (n && s[n - 1] == ' ') s[--n] = 0;
    return s;
}

// One cell, cut off in place; *rest gets what follows, or NULL after the last.
static char *next_cell(char *s, char separator, char **rest) {
    s += strspn(s, " ");
    if (*s != '"') {
        char *end = strchr(s, separator);
        *rest = end ? end + 1 : NULL;
        if (end) *end = 0;
        return trim(s);
    }
    char *to = ++s, *from = s;
    for (; *from; from++) {
        if (*from == '"' && *++from != '"') break;
        *to++ = *from;
    }
    char *end = *from ? strchr(from, separator) : NULL;
    *rest = end ? end + 1 : NULL;
    *to = 0;
    return s;
}

static char separator_of(const char *head) {
    bool quoted = false;
    for (; *head; head++) {
        if (*head == '"') quoted = !quoted;
        if (!quoted && (*head == ',' || *head == ';' || *head == '\t')) return *head;
    }
    return ',';
}

// # key: value
static void read_meta(Reader *in, Results *r, char *line) {
    char *key = trim(line + 1), *colon = strstr(key, ": ");
    if (!colon) return;
    *colon = 0;
    char *value = trim(colon + 2);
    const char *copy = arena_copy_text(&r->arena, value, strlen(value));
    if (strcmp(key, "model") == 0) r->model = copy;
    if (strcmp(key, "experiment") == 0) r->experiment = copy;
    if (strcmp(key, "solver") == 0) r->solver = copy;
    if (strcmp(key, "source") == 0) r->source = copy;
    if (strcmp(key, "complete") == 0) r->complete = strcmp(value, "no") != 0;
    if (strncmp(key, "about ", 6) == 0) {
        array_push(&in->about, key + 6);
        array_push(&in->about, value);
    }
}

// name [unit]
static Column head_cell(Arena *out, const char *cell) {
    const char *bracket = NULL;
    for (const char *s = strstr(cell, " ["); s; s = strstr(s + 1, " [")) bracket = s;
    size_t length = strlen(cell);
    bool has_unit = bracket && cell[length - 1] == ']';
    size_t name = has_unit ? (size_t)(bracket - cell) : length;
    return (Column){.name = arena_copy_text(out, cell, name),
                    .unit = has_unit ? arena_copy_text(out, bracket + 2, length - name - 3) : "",
                    .text = ""};
}

static void read_head(Reader *in, Results *r, char *line) {
    in->separator = separator_of(line);
    for (char *rest = line; rest;) {
        char *cell = next_cell(rest, in->separator, &rest);
        array_push(&in->column, head_cell(&r->arena, cell));
    }
}

static bool bad_cell(Reader *in, int column, const char *cell) {
    Remark *m = report_error(in->report, R_NOT_A_NUMBER, POS_NONE,
                             "%s, line %d: '%.40s' in column '%s' is not a number", in->path,
                             in->line, cell, in->column.data[column].name);
    remark_help(in->report, m, "write numbers with a decimal point, one in every cell");
    return false;
}

static bool wrong_width(Reader *in, int cells) {
    Remark *m = report_error(in->report, R_ROW_WIDTH, POS_NONE,
                             "%s, line %d: %d cell%s, but the line of names has %d", in->path,
                             in->line, cells, cells == 1 ? "" : "s", in->column.count);
    remark_help(in->report, m, "the file may be cut off; write it again");
    return false;
}

static bool time_falls(Reader *in, const double *row) {
    Remark *m = report_error(in->report, R_TIME_FALLS, POS_NONE,
                             "%s, line %d: time %g does not follow the time before it", in->path,
                             in->line, row[0]);
    remark_help(in->report, m, "the first column must be time, and it must not fall");
    return true;
}

static bool read_row(Reader *in, char *line) {
    int cells = 0, columns = in->column.count;
    if (in->value.count > 2000000000 - columns) return wrong_width(in, 0);
    for (char *rest = line; rest; cells++) {
        char *cell = next_cell(rest, in->separator, &rest), *end;
        if (cells == columns) return wrong_width(in, cells + 1);
        double x = strtod(cell, &end);
        if (end == cell || *end) return bad_cell(in, cells, cell);
        array_push(&in->value, x);
    }
    if (cells != columns) return wrong_width(in, cells);
    const double *row = in->value.data + in->value.count - columns;
    bool rises = isfinite(row[0]) && (in->value.count == columns || row[0] >= row[-columns]);
    return rises || !time_falls(in, row);
}

static void place_values(Reader *in, Results *r) {
    int columns = in->column.count;
    results_make_room(r, columns, in->value.count / columns);
    r->row_count = r->row_capacity;
    for (int c = 0; c < columns; c++) {
        double *value = r->column[c].value;
        r->column[c] = in->column.data[c];
        r->column[c].value = value;
        for (int row = 0; row < r->row_count; row++)
            value[row] = in->value.data[(size_t)row * (size_t)columns + (size_t)c];
    }
    ColumnIndex index = column_index_new(r);
    for (int i = 0; i < in->about.count; i += 2) {
        int c = column_index_find(&index, in->about.data[i]);
        const char *text = in->about.data[i + 1];
        if (c >= 0) r->column[c].text = arena_copy_text(&r->arena, text, strlen(text));
    }
    column_index_free(&index);
}

static bool read_lines(Reader *in, Results *r) {
    for (char *line; (line = next_line(in));) {
        if (*line == '#')
            read_meta(in, r, line);
        else if (!line[strspn(line, " ")])
            continue;
        else if (!in->column.count)
            read_head(in, r, line);
        else if (!read_row(in, line))
            return false;
    }
    if (in->column.count) return true;
    Remark *m = report_error(in->report, R_NO_RESULTS, POS_NONE,
                             "'%s' holds no results: no line of names", in->path);
    remark_help(in->report, m, "give a file that `bondyn run` wrote, or names and numbers as CSV");
    return false;
}

Results *results_read_csv(const char *path, Report *report) {
    Arena tmp = {0};
    size_t length = 0;
    char *text = file_read(&tmp, path, &length, report, POS_NONE);
    Results *r = NULL;
    if (text) {
        if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
        Reader in = {.at = text, .path = path, .report = report};
        r = results_new();
        if (read_lines(&in, r))
            place_values(&in, r);
        else
            results_free(r), r = NULL;
        array_free(&in.value);
        array_free(&in.column);
        array_free(&in.about);
    }
    arena_free(&tmp);
    return r;
}
