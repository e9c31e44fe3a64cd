// The changes of draft.h.
#include "service/draft_inside.h"

#include <string.h>

// --- pieces of text ------------------------------------------------------------------------------

static void splice(Text *text, uint32_t at, uint32_t end, const char *with) {
    Text fresh = {0};
    text_add_n(&fresh, text_get(text), at);
    text_add(&fresh, with);
    text_add_n(&fresh, text_get(text) + end, text->length - end);
    text_free(text);
    *text = fresh;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_break(char c) { return c == '\n' || c == '\r'; }

static uint32_t line_start(const char *text, uint32_t at) {
    while (at && !is_break(text[at - 1])) at--;
    return at;
}

static uint32_t line_end(const char *text, size_t length, uint32_t at) {
    while (at < length && !is_break(text[at])) at++;
    return at;
}

static uint32_t over_blanks(const char *text, size_t length, uint32_t at) {
    while (at < length && is_blank(text[at])) at++;
    return at;
}

// Nothing but blanks and ends of lines between two places.
static bool is_gap(const char *text, uint32_t at, uint32_t end) {
    for (; at < end; at++)
        if (!is_blank(text[at]) && !is_break(text[at])) return false;
    return true;
}

static void add_indent(Text *out, const Draft *d, uint32_t at) {
    uint32_t from = line_start(d->text, at);
    text_add_n(out, d->text + from, over_blanks(d->text, d->length, from) - from);
}

// "\n" as the text ends its lines
static const char *line_break(const Draft *d) { return strstr(d->text, "\r\n") ? "\r\n" : "\n"; }

// A line of its own behind the statement that begins at a lexeme, and behind its comment.
static void add_line_behind(Text *text, const Draft *d, int statement, const char *line,
                            bool inside) {
    Text fresh = {0};
    uint32_t last = d->piece.data[draft_statement_end(d, statement)].end;
    uint32_t at = line_end(d->text, d->length, last);
    text_add(&fresh, line_break(d));
    add_indent(&fresh, d, d->piece.data[statement].at);
    if (inside) text_add(&fresh, "  ");
    text_add(&fresh, line);
    splice(text, at, at, text_get(&fresh));
    text_free(&fresh);
}

static bool has_comment(const Draft *d, uint32_t from, uint32_t to) {
    for (int i = 0; i < d->piece.count; i++)
        if (d->piece.data[i].comment && d->piece.data[i].at >= from && d->piece.data[i].end <= to)
            return true;
    return false;
}

// The comments from one lexeme to another, a line each, and the indent of what follows.
static void add_comments(Text *out, const Draft *d, int from, int to, uint32_t indent) {
    for (int i = from; i <= to && i < d->piece.count; i++) {
        const Lexeme *x = &d->piece.data[i];
        if (!x->comment) continue;
        text_add_n(out, d->text + x->at, x->end - x->at);
        text_add(out, line_break(d));
        add_indent(out, d, indent);
    }
}

// The whole line goes when nothing else stands on it; comments stay.
static void remove_statement(Text *text, const Draft *d, int statement) {
    int last = draft_statement_end(d, statement);
    uint32_t at = d->piece.data[statement].at, end = d->piece.data[last].end;
    uint32_t rest = over_blanks(d->text, d->length, end), from = line_start(d->text, at);
    bool alone = rest >= d->length || is_break(d->text[rest]);
    Text inside = {0};
    add_comments(&inside, d, statement, last, at);
    if (alone && is_gap(d->text, from, at) && !inside.length) {
        if (rest < d->length) rest += d->text[rest] == '\r' && d->text[rest + 1] == '\n' ? 2 : 1;
        splice(text, from, rest, "");
    } else {
        splice(text, at, alone ? end : rest, text_get(&inside));
    }
    text_free(&inside);
}

// Removes an entry of a list, with the comma before it or the one after it, if there is one.
static void remove_entry(Text *text, const Draft *d, Span before, Span entry, Span behind) {
    if (behind.end) {
        uint32_t to = behind.end;
        while (to < d->length && (is_blank(d->text[to]) || is_break(d->text[to]))) to++;
        if (strncmp(d->text + to, "//", 2) == 0 || d->text[to] == '#')
            to = over_blanks(d->text, d->length, behind.end); // a comment stays on its line
        if (!is_gap(d->text, entry.end, behind.at)) {
            splice(text, behind.at, to, "");
            to = entry.end;
        }
        splice(text, entry.at, to, "");
    } else if (is_gap(d->text, before.end, entry.at)) {
        splice(text, before.at, entry.end, "");
    } else { // a comment stands between
        splice(text, entry.at, entry.end, "");
        splice(text, before.at, before.end, "");
    }
}

// The first of several components, with comments before the second: they go before the statement,
// since a line cannot end behind the type.
static bool remove_first(Text *text, const Draft *d, int first, Span entry, Span behind) {
    int i = first;
    while (i < d->piece.count && (d->piece.data[i].comment || d->piece.data[i].at < behind.end))
        i++;
    if (i >= d->piece.count || !has_comment(d, entry.end, d->piece.data[i].at)) return false;
    Text above = {0};
    add_comments(&above, d, first, i - 1, d->piece.data[first].at);
    splice(text, entry.at, d->piece.data[i].at, "");
    splice(text, d->piece.data[first].at, d->piece.data[first].at, text_get(&above));
    text_free(&above);
    return true;
}

static Span comma_between(const Draft *d, uint32_t from, uint32_t to) {
    for (int i = 0; i < d->piece.count; i++) {
        const Lexeme *x = &d->piece.data[i];
        if (!x->comment && x->kind == TOKEN_COMMA && x->at >= from && x->end <= to)
            return (Span){x->at, x->end};
    }
    return (Span){0, 0};
}

// --- adding --------------------------------------------------------------------------------------

static bool is_declaration(const AstItem *i) {
    switch (i->kind) {
    case ITEM_PARAM:
    case ITEM_CONST:
    case ITEM_PORT:
    case ITEM_INPUT:
    case ITEM_OUTPUT:
    case ITEM_VAR:
    case ITEM_CHOSEN:
    case ITEM_COMPONENT: return true;
    default: return false;
    }
}

// The statement behind which such things stand: the last of them, or the head of the model.
static int last_statement(const Draft *d, bool bonds, bool *inside) {
    const AstItem *last = NULL;
    for (const AstItem *i = d->class->items; i; i = i->next)
        if (is_declaration(i)) last = i;
    for (const AstItem *i = d->class->items; i && bonds; i = i->next)
        if (i->kind == ITEM_BOND) last = i;
    *inside = !last;
    return draft_statement(d, last ? last->pos.at : d->class->pos.at);
}

static void add_statement(Text *text, const Draft *d, const char *line, bool bond) {
    bool inside;
    int behind = last_statement(d, bond, &inside);
    if (behind >= 0) add_line_behind(text, d, behind, line, inside);
}

bool draft_add(Text *text, const char *model, const char *statement, const char **problem) {
    Draft d;
    draft_open(&d, text_get(text), text->length, model);
    if (d.class) {
        add_statement(text, &d, statement, false);
    } else if (*model) {
        *problem = "the model that is drawn stands in another file: open that one";
    } else {
        Text name = {0};
        text_add(&name, "Drawing");
        if (strstr(d.text, "Drawing")) fresh_name(&name, d.text, d.length, "Drawing");
        if (text_get(&name)[0] == 'd') name.data[0] = 'D';
        bool open = text->length && !is_break(text_get(text)[text->length - 1]);
        if (open) text_char(text, '\n');
        if (text->length) text_char(text, '\n');
        text_printf(text, "model %s\n  %s\nend\n", text_get(&name), statement);
        text_free(&name);
    }
    bool good = d.class || !*model;
    draft_close(&d);
    return good;
}

// `a -> b, c` takes a further head where a is its only tail.
static bool join_list(Text *text, const Draft *d, const char *from, const char *to) {
    DraftBonds bonds = draft_bonds(d);
    bool joined = false;
    for (int i = bonds.count - 1; i >= 0 && !joined; i--) {
        Span tail = bonds.data[i].from;
        BondStatement s = bond_statement(d, bonds.data[i].statement);
        joined = s.group.count == 2 && s.group.data[0].count == 1 &&
                 tail.end - tail.at == strlen(from) &&
                 memcmp(d->text + tail.at, from, strlen(from)) == 0;
        Text more = {0};
        text_printf(&more, ", %s", to);
        uint32_t end = array_last(&s.end).end;
        if (joined) splice(text, end, end, text_get(&more));
        text_free(&more);
        bond_statement_free(&s);
    }
    array_free(&bonds);
    return joined;
}

static bool has_model(const Draft *d, const char **problem) {
    if (!d->class) *problem = "the model that is drawn stands in another file: open that one";
    return d->class;
}

bool draft_bond(Text *text, const char *model, const char *from, const char *to,
                const char **problem) {
    Draft d;
    draft_open(&d, text_get(text), text->length, model);
    bool good = has_model(&d, problem);
    const AstItem *tail = good ? draft_component(&d, from) : NULL;
    bool listed = tail && tail->junction >= 0 && join_list(text, &d, from, to);
    if (good && !listed) {
        Text line = {0};
        text_printf(&line, "%s -> %s", from, to);
        add_statement(text, &d, text_get(&line), true);
        text_free(&line);
    }
    draft_close(&d);
    return good;
}

// --- taking away ---------------------------------------------------------------------------------

static bool find_bond(const Draft *d, const char *from, const char *to, int index, DraftBond *found,
                      const char **problem) {
    DraftBonds bonds = draft_bonds(d);
    bool good = false;
    for (int i = 0; i < bonds.count && !good; i++) {
        const DraftBond *b = &bonds.data[i];
        if (!span_is_of(d, b->from, from) || !span_is_of(d, b->to, to) || index-- > 0) continue;
        *found = *b;
        good = true;
    }
    array_free(&bonds);
    if (!good)
        *problem = "this bond stands in a loop, in a condition or in another model: edit the text";
    return good;
}

// All other bonds of the statement, a line each; its comments before them.
static void rewrite_statement(Text *text, const Draft *d, const BondStatement *s,
                              const DraftBond *without) {
    Text fresh = {0};
    DraftBonds bonds = draft_bonds(d);
    uint32_t at = d->piece.data[s->first].at, end = d->piece.data[s->last].end;
    add_comments(&fresh, d, s->first, s->last, at);
    bool first = true;
    for (int i = 0; i < bonds.count; i++) {
        const DraftBond *b = &bonds.data[i];
        if (b->statement != s->first ||
            (b->group == without->group && b->tail == without->tail && b->head == without->head))
            continue;
        if (!first) {
            text_add(&fresh, line_break(d));
            add_indent(&fresh, d, at);
        }
        first = false;
        text_add_n(&fresh, d->text + b->from.at, b->from.end - b->from.at);
        text_add(&fresh, " -> ");
        text_add_n(&fresh, d->text + b->to.at, b->to.end - b->to.at);
    }
    splice(text, at, end, text_get(&fresh));
    array_free(&bonds);
    text_free(&fresh);
}

// A list of ends loses one. Where a line would end before the arrow all are written anew.
static void remove_end(Text *text, const Draft *d, const BondStatement *s, int group, int which,
                       const DraftBond *b) {
    int i = s->group.data[group].first + which;
    bool last = which == s->group.data[group].count - 1;
    Span none = {0, 0}, entry = s->end.data[i];
    Span before = which ? comma_between(d, s->end.data[i - 1].end, entry.at) : none;
    Span behind = last ? none : comma_between(d, entry.end, s->end.data[i + 1].at);
    if (last && group + 1 < s->group.count && !is_gap(d->text, before.end, entry.at))
        rewrite_statement(text, d, s, b);
    else
        remove_entry(text, d, before, entry, behind);
}

// The arrow between two single ends goes.
static void cut_chain(Text *text, const Draft *d, const BondStatement *s, const DraftBond *b) {
    int groups = s->group.count;
    if (groups == 2) {
        remove_statement(text, d, s->first);
    } else if (has_comment(d, b->from.at, b->to.end)) {
        rewrite_statement(text, d, s, b);
    } else if (b->group == 0) {
        splice(text, b->from.at, b->to.at, "");
    } else if (b->group == groups - 2) {
        splice(text, b->from.end, b->to.end, "");
    } else {
        Text gap = {0};
        text_add(&gap, line_break(d));
        add_indent(&gap, d, d->piece.data[s->first].at);
        splice(text, b->from.end, b->to.at, text_get(&gap));
        text_free(&gap);
    }
}

static void unbond(Text *text, const Draft *d, const DraftBond *b) {
    BondStatement s = bond_statement(d, b->statement);
    int tails = s.group.data[b->group].count, heads = s.group.data[b->group + 1].count;
    if (tails == 1 && heads == 1)
        cut_chain(text, d, &s, b);
    else if (tails == 1 && b->group + 2 == s.group.count)
        remove_end(text, d, &s, b->group + 1, b->head, b);
    else if (heads == 1 && b->group == 0)
        remove_end(text, d, &s, 0, b->tail, b);
    else
        rewrite_statement(text, d, &s, b);
    bond_statement_free(&s);
}

bool draft_unbond(Text *text, const char *model, const char *from, const char *to, int index,
                  const char **problem) {
    Draft d;
    DraftBond b;
    draft_open(&d, text_get(text), text->length, model);
    bool good = has_model(&d, problem) && find_bond(&d, from, to, index, &b, problem);
    if (good) unbond(text, &d, &b);
    draft_close(&d);
    return good;
}

// Ends that belong to this bond alone are written over.
static bool write_over(Text *text, const Draft *d, const DraftBond *b, const char *from,
                       const char *to) {
    BondStatement s = bond_statement(d, b->statement);
    bool alone = s.group.count == 2 && s.group.data[0].count == 1 && s.group.data[1].count == 1;
    bool same_tail = b->from.end - b->from.at == strlen(from) &&
                     memcmp(d->text + b->from.at, from, strlen(from)) == 0;
    bool own_head = s.group.data[b->group].count == 1 && b->group + 2 == s.group.count;
    if (alone || (same_tail && own_head)) {
        splice(text, b->to.at, b->to.end, to);
        if (!same_tail) splice(text, b->from.at, b->from.end, from);
    }
    bond_statement_free(&s);
    return alone || (same_tail && own_head);
}

bool draft_reroute(Text *text, const char *model, const char *from, const char *to, int index,
                   const char *new_from, const char *new_to, const char **problem) {
    Draft d;
    DraftBond b;
    draft_open(&d, text_get(text), text->length, model);
    bool good = has_model(&d, problem) && find_bond(&d, from, to, index, &b, problem);
    bool done = good && write_over(text, &d, &b, new_from, new_to);
    if (good && !done) unbond(text, &d, &b);
    draft_close(&d);
    return good && (done || draft_bond(text, model, new_from, new_to, problem));
}

// --- components ----------------------------------------------------------------------------------

static const AstItem *one_component(const Draft *d, const char *name, const char **problem) {
    const AstItem *c = draft_component(d, name);
    if (!c)
        *problem = "this component stands in a loop, in a condition or in another model: edit the "
                   "text";
    return c;
}

// Where the declaration that begins at a lexeme ends: before a comma outside of brackets.
static int declaration_end(const Draft *d, int i, int last) {
    int depth = 0, end = i;
    bool laws = false;
    for (; i <= last; i++) {
        const Lexeme *x = &d->piece.data[i];
        if (x->comment) continue;
        if (x->kind == TOKEN_OPEN || x->kind == TOKEN_OPEN_SQUARE) depth++;
        if (x->kind == TOKEN_CLOSE || x->kind == TOKEN_CLOSE_SQUARE) depth--;
        laws |= depth == 0 && x->kind == TOKEN_COLON; // their commas are their own
        if (depth == 0 && x->kind == TOKEN_COMMA && !laws) return end;
        end = i;
    }
    return end;
}

static int index_at(const Draft *d, uint32_t at) {
    int i = 0;
    while (i < d->piece.count && (d->piece.data[i].comment || d->piece.data[i].at != at)) i++;
    return i;
}

static void remove_component(Text *text, const Draft *d, const AstItem *c) {
    int first = draft_statement(d, c->pos.at), last = draft_statement_end(d, first);
    int name = index_at(d, c->pos.at), end = declaration_end(d, name, last);
    const Lexeme *piece = d->piece.data;
    Span none = {0, 0}, entry = {piece[name].at, piece[end].end};
    int previous = name - 1;
    while (previous > first && piece[previous].comment) previous--;
    bool listed = piece[previous].kind == TOKEN_COMMA && !piece[previous].comment;
    Span before = listed ? (Span){piece[previous].at, piece[previous].end} : none;
    Span behind = end < last ? comma_between(d, entry.end, piece[last].end) : none;
    if (!before.end && behind.end && remove_first(text, d, first, entry, behind)) return;
    if (before.end || behind.end)
        remove_entry(text, d, before, entry, behind);
    else
        remove_statement(text, d, first);
}

bool draft_remove(Text *text, const char *model, const char *name, const char **problem) {
    for (bool more = true; more;) { // its bonds one by one
        Draft d;
        draft_open(&d, text_get(text), text->length, model);
        DraftBonds bonds = draft_bonds(&d);
        more = false;
        for (int i = 0; i < bonds.count && !more; i++) {
            const DraftBond *b = &bonds.data[i];
            more = span_is_of(&d, b->from, name) || span_is_of(&d, b->to, name);
            if (more) unbond(text, &d, b);
        }
        array_free(&bonds);
        draft_close(&d);
    }
    Draft d;
    draft_open(&d, text_get(text), text->length, model);
    const AstItem *c = has_model(&d, problem) ? one_component(&d, name, problem) : NULL;
    if (c) remove_component(text, &d, c);
    draft_close(&d);
    return c;
}

// Is it a single expression on one line with balanced brackets? Then nothing else can be smuggled
// into the text with it.
static bool is_value(const char *value) {
    Report quiet = {0};
    Lexemes pieces = lexemes_of(value, strlen(value), &quiet);
    int depth = 0;
    bool good = !quiet.errors && pieces.count > 0 && !strpbrk(value, "\r\n");
    for (int i = 0; i < pieces.count && good; i++) {
        const Lexeme *x = &pieces.data[i];
        depth += x->kind == TOKEN_OPEN || x->kind == TOKEN_OPEN_SQUARE;
        depth -= x->kind == TOKEN_CLOSE || x->kind == TOKEN_CLOSE_SQUARE;
        good = !x->comment && depth >= 0 && (depth > 0 || x->kind != TOKEN_COMMA);
    }
    array_free(&pieces);
    report_free(&quiet);
    return good && depth == 0;
}

static void set_argument(Text *text, const Draft *d, const DraftArguments *a, const char *parameter,
                         int position, const char *value) {
    Text fresh = {0};
    for (int i = 0; i < a->argument.count; i++) {
        const DraftArgument *x = &a->argument.data[i];
        if (*x->name ? strcmp(x->name, parameter) != 0 : i != position) continue;
        splice(text, x->value.at, x->value.end, value);
        return;
    }
    text_printf(&fresh, "%s%s = %s%s",
                a->argument.count ? ", "
                : a->open.end     ? ""
                                  : "(",
                parameter, value, a->open.end ? "" : ")");
    uint32_t at = a->argument.count ? array_last(&a->argument).value.end
                  : a->open.end     ? a->open.end
                                    : a->name_end;
    splice(text, at, at, text_get(&fresh));
    text_free(&fresh);
    (void)d;
}

bool draft_set(Text *text, const char *model, const char *name, const char *parameter, int position,
               const char *value, const char **problem) {
    Draft d;
    draft_open(&d, text_get(text), text->length, model);
    const AstItem *c = has_model(&d, problem) ? one_component(&d, name, problem) : NULL;
    bool good = c && is_value(value);
    if (c && !good)
        *problem = "this is no value: write a number with its unit, as 2 {N/m}, or a formula";
    if (good) {
        DraftArguments a = draft_arguments(&d, c);
        if (!*parameter && a.value.end)
            splice(text, a.value.at, a.value.end, value);
        else if (!*parameter)
            good = false, *problem = "this component has no such value";
        else
            set_argument(text, &d, &a, parameter, position, value);
        array_free(&a.argument);
    }
    draft_close(&d);
    return good;
}

// --- edits ---------------------------------------------------------------------------------------

typedef ARRAY(uint32_t) Lines; // where they begin, and the end of the text

static Lines lines_of(const char *text, size_t length) {
    Lines l = {0};
    array_push(&l, 0);
    for (uint32_t i = 0; i < length; i++)
        if (text[i] == '\n' && i + 1 < length) array_push(&l, i + 1);
    array_push(&l, (uint32_t)length);
    return l;
}

static bool same_line(const char *old, const Lines *a, int i, const char *new, const Lines *b,
                      int k) {
    uint32_t n = a->data[i + 1] - a->data[i];
    return n == b->data[k + 1] - b->data[k] && memcmp(old + a->data[i], new + b->data[k], n) == 0;
}

// What both have at their ends stays.
static void add_edit(TextEdits *list, const char *old, Span was, const char *new, Span is) {
    while (was.at < was.end && is.at < is.end && old[was.at] == new[is.at]) was.at++, is.at++;
    while (was.at < was.end && is.at < is.end && old[was.end - 1] == new[is.end - 1])
        was.end--, is.end--;
    while (was.at && ((unsigned char)old[was.at] & 0xc0) == 0x80) was.at--, is.at--;
    while (((unsigned char)old[was.end] & 0xc0) == 0x80) was.end++, is.end++;
    Text t = {0};
    text_add_n(&t, new + is.at, is.end - is.at);
    if (!t.data) text_add(&t, "");
    if (was.end > was.at || is.end > is.at)
        array_push(list, ((TextEdit){was.at, was.end, t.data}));
    else
        text_free(&t);
}

// How many lines of the old text go before both are the same again, the fewest on both sides.
static void next_meeting(const char *old, const Lines *a, int i, const char *new, const Lines *b,
                         int k, int *skip_old, int *skip_new) {
    enum { FARTHEST = 400 };
    int left = a->count - 1 - i, right = b->count - 1 - k;
    for (int both = 1; both <= FARTHEST && both <= left + right; both++)
        for (int n = 0; n <= both; n++) {
            int m = both - n;
            if (n >= left || m >= right || !same_line(old, a, i + n, new, b, k + m)) continue;
            *skip_old = n;
            *skip_new = m;
            return;
        }
    *skip_old = left;
    *skip_new = right;
}

TextEdits edits_between(const char *old, size_t old_length, const char *new, size_t new_length) {
    TextEdits list = {0};
    Lines a = lines_of(old, old_length), b = lines_of(new, new_length);
    int i = 0, k = 0;
    while (i < a.count - 1 || k < b.count - 1) {
        int n = 0, m = 0;
        if (i < a.count - 1 && k < b.count - 1 && same_line(old, &a, i, new, &b, k)) {
            i++, k++;
            continue;
        }
        next_meeting(old, &a, i, new, &b, k, &n, &m);
        Span was = {a.data[i], a.data[i + n]}, is = {b.data[k], b.data[k + m]};
        add_edit(&list, old, was, new, is);
        i += n, k += m;
    }
    array_free(&a);
    array_free(&b);
    return list;
}

void text_edits_free(TextEdits *e) {
    for (int i = 0; i < e->count; i++) free(e->data[i].text);
    array_free(e);
}
