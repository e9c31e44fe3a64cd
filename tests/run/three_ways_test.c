// Every example in generated C and on the virtual machine: the same bits at the start and at states
// around it (native code: engines_test.c). No call of the machine takes memory or a lock.
#include "../engine/compiled_c.h"
#include "../engine/heap_count.h"
#include "example_program.h"

#include "base/array.h"
#include <math.h>

// Compilers take seconds for large tapes: those are only run. What the sanitizers cannot see, as
// the code is not theirs, is compared once, but for the small ones.
#ifdef __SANITIZE_ADDRESS__
enum { LARGEST = 500 };
#else
enum { LARGEST = 2500 };
#endif
enum { POINTS = 6, MOST_COMPARED = 200 };

typedef struct {
    const Program *p;
    Machine *vm;
    double *x, *y, *at;
    const char *name;
} Case;

static void state_at(Case *k, int point) {
    for (int i = 0; i < k->p->state_count; i++)
        k->at[i] =
            k->p->start[i] + 0.2 * point * sin(1 + 3.7 * i + point) * (fabs(k->p->start[i]) + 0.1);
}

static void same(const Case *k, const char *what, int count) {
    for (int i = 0; i < count; i++) {
        if (isnan(k->x[i]) && isnan(k->y[i])) continue;
        if (memcmp(&k->x[i], &k->y[i], sizeof *k->x) != 0)
            fail_msg("%s: %s %d: %a on the virtual machine, %a in generated C", k->name, what, i,
                     k->x[i], k->y[i]);
    }
}

static void compare_with_c(Case *k) {
    const Program *p = k->p;
    Compiled c = compile(p, "-O0");
    GET(Derivative, derivative);
    GET(Function, outputs);
    GET(Function, switches);
    for (int point = 0; point < POINTS; point++) {
        double t = 0.3 * point;
        state_at(k, point);
        bool good = machine_derivative(k->vm, t, k->at, k->x, k->x + p->state_count);
        if (derivative(c.machine, t, k->at, k->y, k->y + p->state_count) != good)
            fail_msg("%s: a block at t = %g s", k->name, t);
        if (good) same(k, "rate", p->state_count + p->quad_count);
        good = machine_outputs(k->vm, t, k->at, k->x);
        assert_int_equal(outputs(c.machine, t, k->at, k->y), good);
        if (good) same(k, "output", p->output_count);
        good = machine_switches(k->vm, t, k->at, k->x);
        assert_int_equal(switches(c.machine, t, k->at, k->y), good);
        for (int i = 0; i < p->switch_count; i++) // pieces of functions are the solver's affair
            if (switch_has_pieces(&p->sw[i])) k->x[i] = k->y[i];
        if (good) same(k, "switch", p->switch_count);
    }
    compiled_free(&c);
}

static void count_calls(Case *k) {
    machine_derivative(k->vm, 0, k->at, k->x, k->x + k->p->state_count);
    machine_outputs(k->vm, 0, k->at, k->x); // sparse matrices are analysed the first time
    long heap = heap_count, locks = lock_count;
    for (int point = 0; point < POINTS; point++) {
        state_at(k, point);
        machine_derivative(k->vm, 0.3 * point, k->at, k->x, k->x + k->p->state_count);
        machine_outputs(k->vm, 0.3 * point, k->at, k->x);
    }
    if (heap_count != heap) fail_msg("%s: %ld allocations", k->name, heap_count - heap);
    if (lock_count != locks) fail_msg("%s: %ld locks", k->name, lock_count - locks);
}

static int program_size(const Program *p) {
    int size = p->derivative.count + p->outputs.count;
    for (int i = 0; i < p->block_count; i++)
        size += p->block[i].residual.count + p->block[i].jacobian.count;
    return size;
}

static int try_program(const Program *p, const char *name, bool compiler) {
    size_t room = (size_t)(p->state_count + p->quad_count + p->output_count + p->switch_count + 1);
    Case k = {.p = p, .vm = machine_new(p), .name = name};
    k.x = calloc(room, sizeof *k.x);
    k.y = calloc(room, sizeof *k.y);
    k.at = calloc((size_t)p->state_count + 1, sizeof *k.at);
    count_calls(&k);
    machine_free(k.vm); // blocks begin anew where generated C does
    k.vm = machine_new(p);
    machine_initial(k.vm, 0, k.at);
    // Generated C has no functions of matrices; `export` refuses them.
    bool small = compiler && !p->matrix_count && program_size(p) <= LARGEST;
    if (small) compare_with_c(&k);
    machine_free(k.vm);
    free(k.x);
    free(k.y);
    free(k.at);
    return small;
}

static int try_example(const char *path, bool compiler) {
    Built b;
    Program *p = example_program(&b, path, MOST_COMPARED);
    int compared = try_program(p, path, compiler);
    program_free(p);
    build_free(&b);
    return compared;
}

static void every_example(void **state) {
    (void)state;
    bool compiler = system("cc --version > /dev/null 2>&1") == 0;
    count_heap();
    FILE *list = popen("ls -d " BONDYN_SOURCE "/examples/*/*.bond", "r");
    assert_non_null(list);
    char path[1024];
    int count = 0, compared = 0;
    for (; fgets(path, sizeof path, list); count++) {
        path[strcspn(path, "\n")] = 0;
        compared += try_example(path, compiler);
    }
    pclose(list);
    print_message("%d of %d examples compared with generated C\n", compared, count);
    assert_true(count > 20 && (!compiler || compared > count / 2));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_example)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
