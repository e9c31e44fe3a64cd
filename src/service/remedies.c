// The help of remarks as changes of the text: another word, a further import.
#include "service/answers.h"
#include <ctype.h>
#include <string.h>

typedef struct {
    const Analysis *a;
    uint32_t source, from, to;
    const char *text;
    size_t length;
    Remedies list;
} Search;

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The word at the place, or the only one of its kind from there to the end of the line.
static bool find_word(const Search *k, uint32_t at, const char *word, uint32_t *found) {
    size_t n = strlen(word);
    int count = 0;
    bool letters = n && in_word(word[0]);
    for (uint32_t i = at; n && i + n <= k->length && k->text[i] != '\n'; i++) {
        if (memcmp(k->text + i, word, n) != 0) continue;
        bool inside = letters && ((i && in_word(k->text[i - 1])) || in_word(k->text[i + n]));
        if (inside) continue;
        if (!count++) *found = i;
        if (i == at) return true;
    }
    return count == 1;
}

// Before the first import, or before the first definition and the comments that belong to it.
uint32_t import_place(const Analysis *a) {
    const AstFile *file = analysis_file(a);
    size_t length;
    if (!file) return 0;
    const char *text = source_text(a->sources, file->source, &length);
    uint32_t at = (uint32_t)length;
    for (const AstClass *c = file->classes; c; c = c->next) {
        uint32_t from = c->pos.at;
        while (from && text[from - 1] != '\n') from--;
        if (c->pos.file == file->source && from < at) at = from;
    }
    bool import = at + 6 < length && memcmp(text + at, "import", 6) == 0;
    while (!import && at >= 2 && text[at - 1] == '\n') { // comments right above
        uint32_t line = at - 1;
        while (line && text[line - 1] != '\n') line--;
        if (text[line] != '/') break;
        at = line;
    }
    return at;
}

static char *title_of(const Fix *fix) {
    Text t = {0};
    if (fix->right) text_printf(&t, "write '%s' instead of '%s'", fix->right, fix->wrong);
    if (fix->import) text_printf(&t, "%simport %s", t.length ? " and " : "", fix->import);
    return t.data;
}

static bool take(void *context, const Remark *m) {
    Search *k = context;
    const Fix *fix = &m->fix;
    if (m->pos.file != k->source || m->pos.at < k->from || m->pos.at > k->to) return true;
    if (!fix->right && !fix->import) return true;
    Remedy r = {.remark = m};
    if (fix->import) {
        uint32_t at = import_place(k->a);
        Text t = {0};
        text_printf(&t, "import %s\n", fix->import);
        r.edit[r.edit_count++] = (Edit){at, at, t.data};
    }
    if (fix->right) {
        uint32_t at = 0;
        if (!find_word(k, m->pos.at, fix->wrong, &at)) {
            if (r.edit_count) free((char *)r.edit[0].text);
            return true;
        }
        Text t = {0};
        text_add(&t, fix->right);
        r.edit[r.edit_count++] = (Edit){at, at + (uint32_t)strlen(fix->wrong), t.data};
    }
    r.title = title_of(fix);
    array_push(&k->list, r);
    return true;
}

Remedies remedies_of(Document *d, uint32_t from, uint32_t to) {
    Analysis *a = document_analysis(d);
    const AstFile *file = analysis_file(a);
    Search k = {.a = a, .from = from, .to = to};
    if (!file) return k.list;
    if (!a->steps) analysis_step(a);
    k.source = file->source;
    k.text = source_text(a->sources, file->source, &k.length);
    analysis_remarks(a, take, &k);
    return k.list;
}

void remedies_free(Remedies *r) {
    for (int i = 0; i < r->count; i++) {
        free(r->data[i].title);
        for (int k = 0; k < r->data[i].edit_count; k++) free((char *)r->data[i].edit[k].text);
    }
    array_free(r);
}
