// Inputs that somebody drives while the model runs: `live` in an experiment. Such an input is held
// open, wherever it is in the model; a run without a driver leaves it at its default, or at zero.
#include "lang/build.h"

#include <math.h>
#include <string.h>

// Does the experiment drive the input of this path, or a part of it?
bool is_driven(const Builder *b, const char *path) {
    size_t n = strlen(path);
    for (const AstItem *i = b->experiment ? b->experiment->items : NULL; i; i = i->next) {
        if (i->kind != ITEM_LIVE) continue;
        Text t = {0};
        ast_print(&t, b->names, i->left);
        const char *name = text_get(&t);
        bool same = strncmp(name, path, n) == 0 && (!name[n] || name[n] == '[');
        text_free(&t);
        if (same) return true;
    }
    return false;
}

static bool whole_number(Builder *b, const Env *env, const AstExpr *e, const char *word, int *to) {
    double x;
    if (!plain_number(b, env, e, DIM_ONE, word, &x)) return false;
    if (x == floor(x) && x >= 0 && x < 100) {
        *to = (int)x;
        return true;
    }
    Remark *m = complain(b, L_LIVE, ast_start(e), "%s %g is none of a gamepad", word, x);
    remark_help(b->r, m, "they are counted from 0: live x = %s 0", word);
    return false;
}

// The source that begins at args[i]; *used of them.
static bool source_of(Builder *b, const Env *env, const AstItem *item, int i, Dim dim,
                      LiveSource *to, int *used) {
    static const char *const words[] = {[LIVE_AXIS] = "axis",
                                        [LIVE_BUTTON] = "button",
                                        [LIVE_KEY] = "key",
                                        [LIVE_KEYS] = "keys",
                                        [LIVE_SLIDER] = "slider"};
    const AstArg *a = &item->args[i];
    const char *word = text_of(b, a->name);
    while (strcmp(words[to->kind], word) != 0) to->kind++;
    *used = to->kind == LIVE_KEYS || to->kind == LIVE_SLIDER ? 2 : 1;
    switch (to->kind) {
    case LIVE_AXIS:
    case LIVE_BUTTON: return whole_number(b, env, a->value, word, &to->number);
    case LIVE_KEY:
    case LIVE_KEYS:
        to->key = a->value->name;
        if (to->kind == LIVE_KEYS) to->other = a[1].value->name;
        return true;
    case LIVE_SLIDER:
        return plain_number(b, env, a->value, dim, "the lower end", &to->low) &&
               plain_number(b, env, a[1].value, dim, "the upper end", &to->high);
    }
    return false;
}

// The variable of an input that is open; -1: reported.
static int driven_input(Builder *b, const Env *env, const AstItem *item, Dim *dim) {
    Signal s;
    if (!scalar_signal(b, env, item->left, &s, NULL)) return -1;
    int var = expr_op(b->dag, s.what) == OP_SYMBOL ? expr_symbol_index(b->dag, s.what) : -1;
    if (var >= 0 && var < b->var.count && b->var.data[var].open) {
        *dim = b->var.data[var].dim;
        return var;
    }
    Remark *m = complain(b, L_LIVE, ast_start(item->left), "'%s' is no input that is free",
                         expr_text(b, item->left));
    remark_help(b->r, m, "`live` drives inputs that no equation and no `set` gives a value");
    return -1;
}

bool live_build(Builder *b, const Env *env, const AstItem *item, Live *to) {
    Dim dim = DIM_UNKNOWN;
    *to = (Live){.scale = 1, .var = driven_input(b, env, item, &dim)};
    if (to->var < 0) return false;
    if (item->right && !plain_number(b, env, item->right, dim, "the scale", &to->scale))
        return false;
    to->source = ARENA_ARRAY(b->out, LiveSource, item->arg_count);
    for (int i = 0, used = 0; i < item->arg_count; i += used)
        if (!source_of(b, env, item, i, dim, &to->source[to->source_count++], &used)) return false;
    return true;
}
