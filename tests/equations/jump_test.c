// Jumps into a mode: what impulses through new constraints make of the storages, against closed
// forms.
#include "build.h"

#include "equations/jump.h"

typedef struct {
    Build *b;
    Memory *memory;
    Jump jump;
    System *mode;
} Entry;

// The model of the mode, compiled; then numbers for what was before.
static Entry entry_open(Build *b) {
    Entry e = {.b = b};
    build_system(b); // fills the model; the start values do not matter
    e.memory = memory_build(&b->arena, &b->model);
    e.mode = pipeline_mode(&b->arena, &b->model, e.memory, &e.jump, &b->report);
    if (!e.mode) print_report(b);
    assert_non_null(e.mode);
    b->value = calloc((size_t)expr_symbol_count(b->dag) + 1, sizeof(double));
    for (int i = 0; i < b->var.count; i++)
        if (b->var.data[i].kind == VAR_PARAM)
            *number_of(b, b->var.data[i].symbol) =
                expr_evaluate(b->dag, b->var.data[i].value, b->value);
    b->system = e.jump.system;
    return e;
}

static void before(Entry *e, const char *path, double value) {
    int item = e->memory->item[find_var(e->b, path)];
    assert_true(item >= 0);
    *number_of(e->b, e->memory->symbol[item]) = value;
}

static double after(Entry *e, const char *path) {
    int item = e->memory->item[find_var(e->b, path)];
    assert_true(item >= 0 && item < e->memory->state_count);
    return expr_evaluate(e->b->dag, e->jump.after[e->mode->state_count + item], e->b->value);
}

static double work(Entry *e, int comp) {
    return expr_evaluate(e->b->dag, e->jump.work[comp], e->b->value);
}

// What a choice is entered with.
static double entered(Entry *e, const char *path) {
    int at = 0;
    for (int i = 0; i < e->mode->choice_count; i++)
        for (int k = 0; k < e->mode->choice[i].columns; k++, at++)
            if (e->mode->choice[i].value[k] == sym(e->b, path))
                return expr_evaluate(e->b->dag, e->jump.entry[at], e->b->value);
    fail_msg("%s is in no choice", path);
    return 0;
}

// w1 = 5 rad/s and w2 = 1 rad/s are locked together: the momentum stays.
static void clutch_keeps_the_momentum(void **state) {
    (void)state;
    Build *b = build_new();
    int i1 = storage(b, COMP_I, "a", param(b, "Ia", 2), 0);
    int i2 = storage(b, COMP_I, "b", param(b, "Ib", 3), 0);
    int j = junction(b, COMP_1, "w");
    connect(b, j, i1);
    connect(b, j, i2);
    Entry e = entry_open(b);
    before(&e, "a.p", 10), before(&e, "b.p", 3);
    before(&e, "a.f", 5), before(&e, "b.f", 1);
    solve_blocks(b);
    assert_near(after(&e, "a.p"), 2.0 * 13 / 5, 1e-14);
    assert_near(after(&e, "b.p"), 3.0 * 13 / 5, 1e-14);
    // energy of each: p^2/2I
    assert_near(work(&e, i1), 0.5 * 2 * (2.6 * 2.6 - 25), 1e-13);
    assert_near(work(&e, i2), 0.5 * 3 * (2.6 * 2.6 - 1), 1e-13);
    build_free(b);
}

// Through a gear of ratio r, w2 = r w1: p1 + r p2 stays.
static void gear_reflects_the_impulse(void **state) {
    (void)state;
    Build *b = build_new();
    int i1 = storage(b, COMP_I, "a", param(b, "Ia", 2), 0);
    int i2 = storage(b, COMP_I, "b", param(b, "Ib", 3), 0);
    int tf = two_port(b, COMP_TF, "gear", param(b, "r", 4));
    int j = junction(b, COMP_1, "w");
    connect(b, j, i1);
    connect(b, j, tf);
    connect(b, tf, i2);
    Entry e = entry_open(b);
    before(&e, "a.p", 10), before(&e, "b.p", 3);
    before(&e, "a.f", 5), before(&e, "b.f", 1);
    solve_blocks(b);
    double w = (10 + 4 * 3) / (2 + 3 * 16.0);
    assert_near(after(&e, "a.p"), 2 * w, 1e-14);
    assert_near(after(&e, "b.p"), 3 * 4 * w, 1e-14);
    assert_near(work(&e, tf), 0, 1e-13);
    build_free(b);
}

// Two charged capacitors are joined: the charge stays; a resistor beside takes no impulse.
static void capacitors_share_their_charge(void **state) {
    (void)state;
    Build *b = build_new();
    int c1 = storage(b, COMP_C, "a", param(b, "Ca", 1e-6), 0);
    int c2 = storage(b, COMP_C, "b", param(b, "Cb", 3e-6), 0);
    int r = resistor(b, "r", param(b, "R", 100));
    int j = junction(b, COMP_0, "u");
    connect(b, j, c1);
    connect(b, j, c2);
    connect(b, j, r);
    Entry e = entry_open(b);
    before(&e, "a.q", 8e-6), before(&e, "b.q", 0);
    before(&e, "a.e", 8), before(&e, "b.e", 0);
    solve_blocks(b);
    assert_near(after(&e, "a.q"), 2e-6, 1e-20);
    assert_near(after(&e, "b.q"), 6e-6, 1e-20);
    assert_near(work(&e, r), 0, 0);
    build_free(b);
}

// A spring and a damper cannot stop a mass at once: nothing jumps.
static void forces_that_are_finite_give_no_impulse(void **state) {
    (void)state;
    Build *b = build_new();
    int m = storage(b, COMP_I, "m", param(b, "M", 2), 0);
    int c = storage(b, COMP_C, "c", param(b, "C", 0.1), 0);
    int r = resistor(b, "r", param(b, "R", 5));
    int j = junction(b, COMP_1, "v");
    connect(b, j, m);
    connect(b, j, c);
    connect(b, j, r);
    Entry e = entry_open(b);
    before(&e, "m.p", 7), before(&e, "c.q", 0.3);
    solve_blocks(b);
    assert_near(after(&e, "m.p"), 7, 0);
    assert_near(after(&e, "c.q"), 0.3, 0);
    build_free(b);
}

// A mass is caught by a rod: places stay, the speed along the rod is lost.
static void circle_is_entered_tangentially(void **state) {
    (void)state;
    Build *b = build_new();
    Dag *d = b->dag;
    Expr x = local(b, "x"), y = local(b, "y"), u = local(b, "u"), v = local(b, "v");
    Expr pull = local(b, "T"), one = num(b, 1);
    set_start(b, "x", 0.6), set_start(b, "y", -0.8);
    equation(b, der(b, "x"), u);
    equation(b, der(b, "y"), v);
    equation(b, der(b, "u"), expr_neg(d, expr_mul(d, pull, x)));
    equation(b, der(b, "v"), expr_neg(d, expr_mul(d, pull, y)));
    equation(b, expr_add(d, expr_mul(d, x, x), expr_mul(d, y, y)), one);
    Entry e = entry_open(b);
    before(&e, "x", 0.6), before(&e, "y", -0.8), before(&e, "u", 1), before(&e, "v", 1);
    solve_blocks(b);
    assert_true(e.mode->set_count > 0);
    assert_near(after(&e, "x"), 0.6, 1e-15);
    assert_near(after(&e, "y"), -0.8, 1e-15);
    assert_near(after(&e, "u"), 1.12, 1e-14); // (1, 1) less -0.2 (0.6, -0.8)
    assert_near(after(&e, "v"), 0.84, 1e-14);
    assert_near(entered(&e, "x"), 0.6, 1e-15);
    assert_near(entered(&e, "y"), -0.8, 1e-15);
    assert_near(entered(&e, "u"), 1.12, 1e-14);
    build_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clutch_keeps_the_momentum),
        cmocka_unit_test(gear_reflects_the_impulse),
        cmocka_unit_test(capacitors_share_their_charge),
        cmocka_unit_test(forces_that_are_finite_give_no_impulse),
        cmocka_unit_test(circle_is_entered_tangentially),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
