// What happens at events, as tapes: conditions, new values, periods of samples.
//
//   held registers   discrete variables | samples | fired branches | impulses | slopes of delays |
//                    picks and anchors
//
// They change at events only and are inputs of every function, like states; unlike states no
// integrator knows them.
#include "engine/build.h"

static int whens_count(const Builder *b) {
    const Whens *w = &b->system->whens;
    return w->discrete_count + w->sample_count + w->branch_count + w->impulse_count +
           w->delay_count;
}

int held_count(const Builder *b) { return whens_count(b) + choices_count(b->system); }

void set_held(Builder *b, const Expr *symbol, int count, int *next) {
    for (int i = 0; i < count; i++)
        builder_set_role(b, symbol[i], (SymbolRole){SYMBOL_HELD, (*next)++, 0});
}

void whens_roles(Builder *b) {
    const Whens *w = &b->system->whens;
    int next = 0;
    set_held(b, w->discrete, w->discrete_count, &next);
    set_held(b, w->sample, w->sample_count, &next);
    set_held(b, w->fired, w->branch_count, &next);
    set_held(b, w->impulse, w->impulse_count, &next);
    set_held(b, w->delay_slope, w->delay_count, &next);
    choices_roles(b, &next);
}

static void write_roots(Builder *b, Draft *draft, const Exprs *root) {
    function_begin(b, draft, LEVEL_TIME, -1);
    function_roots(b, root->data, root->count);
    for (int i = 0; i < root->count; i++) function_add(b, root->data[i]);
    function_end(b);
}

void write_whens(Builder *b, WhenDrafts *code) {
    const Whens *w = &b->system->whens;
    Exprs root = {0};
    for (int i = 0; i < w->discrete_count; i++) array_push(&root, w->start[i]);
    write_roots(b, &code->start, &root);
    root.count = 0;
    for (int i = 0; i < w->branch_count; i++) array_push(&root, w->condition[i]);
    write_roots(b, &code->conditions, &root);
    root.count = 0;
    for (int i = 0; i < w->rate_bound_count; i++) array_push(&root, w->rate_bound[i]);
    write_roots(b, &code->rate_bounds, &root);
    root.count = 0;
    for (int i = 0; i < w->guard_count; i++) array_push(&root, w->guard[i]);
    write_roots(b, &code->guards, &root);
    root.count = 0;
    for (int i = 0; i < w->discrete_count; i++) array_push(&root, w->next[i]);
    for (int i = 0; i < w->reset_count; i++) array_push(&root, w->reset[i].value);
    write_roots(b, &code->actions, &root);
    root.count = 0;
    Expr none = expr_number(b->dag, 0);
    builder_grow(b);
    for (int i = 0; i < w->sample_count; i++) {
        const Sample *s = &b->system->model->sample[i];
        array_push(&root, s->period ? s->period : none);
        array_push(&root, s->period ? s->offset : none);
    }
    write_roots(b, &code->samples, &root);
    root.count = 0;
    for (int i = 0; i < w->delay_count; i++) array_push(&root, w->delayed[i]);
    write_roots(b, &code->delays, &root);
    root.count = 0;
    for (int i = 0; i < w->delay_count; i++) {
        array_push(&root, w->delay_time[i]);
        array_push(&root, w->delay_most[i]);
    }
    write_roots(b, &code->delay_times, &root);
    root.count = 0;
    for (int i = 0; i < w->delay_count; i++) array_push(&root, w->delay_before[i]);
    write_roots(b, &code->befores, &root);
    array_free(&root);
}
