// Generated C against the virtual machine, bit by bit; calls of the machine that must not allocate.
#include "agree.h"
#include "compiled_c.h"
#include "heap_count.h"

static void compare(Fixture *f) {
    Program *p = fixture_try(f);
    if (!p) {
        fixture_free(f);
        return;
    }
    Machine *m = machine_new(p);
    Compiled c = compile(p, "-O2 -Wall -Wextra -Werror");
    GET(Derivative, derivative);
    GET(Function, outputs);
    GET(Function, jacobian);
    GET(Function, switches);
    double vm[128], native[128], at[8];
    for (int k = 0; k < 20; k++) {
        double t = 0.1 * k;
        for (int i = 0; i < p->state_count; i++) at[i] = sin(i + 0.37 * k) * (1 + i);
        bool good = machine_derivative(m, t, at, vm, vm + 64);
        assert_int_equal(derivative(c.machine, t, at, native, native + 64), good);
        if (!good) continue;
        assert_bits(vm, native, p->state_count);
        assert_bits(vm + 64, native + 64, p->quad_count);
        if (machine_outputs(m, t, at, vm) && outputs(c.machine, t, at, native))
            assert_bits(vm, native, p->output_count);
        if (p->has_jacobian && machine_jacobian(m, t, at, vm) && jacobian(c.machine, t, at, native))
            assert_bits(vm, native, p->nonzero_count);
        if (machine_switches(m, t, at, vm) && switches(c.machine, t, at, native))
            assert_bits(vm, native, p->switch_count);
    }
    compiled_free(&c);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

static void random_programs_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    for (uint64_t round = 1; round <= 6; round++) compare(random_system(round * 15485863));
}

static void blocks_and_tables_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    compare(system_with_blocks_and_tables());
}

// --- no allocation -------------------------------------------------------------------------------

static void machines_do_not_allocate(void **state) {
    (void)state;
    Fixture *f = fixture_new();
    uint64_t seed = 12345;
    Expr pool[NODES];
    make_pool(f, &seed, pool);
    Expr u = fixture_symbol(f, "u");
    Expr cube = expr_pow(f->dag, u, fixture_number(f, 3));
    fixture_block(f, 1, &u, (Expr[]){expr_sub(f->dag, expr_add(f->dag, cube, u), pool[6])}, false);
    for (int i = 0; i < 3; i++) f->rate[i] = expr_add(f->dag, u, pool[LEAVES + i]);
    f->output[f->output_count++] = u;
    Program *p = fixture_program(f);
    Machine *m = machine_new(p);
    double at[3] = {0.4, -1.3, 2.2}, out[64];
    assert_true(machine_derivative(m, 0, at, out, NULL));
    count_heap();
    long before = heap_count;
    void *volatile probe = malloc(100); // volatile, or compilers leave both calls out
    free(probe);
    assert_true(heap_count > before); // the counter works
    before = heap_count;
    for (int i = 0; i < 10; i++) {
        at[0] = 0.1 * i;
        machine_set_params(m, NULL);
        machine_derivative(m, i, at, out, NULL);
        machine_outputs(m, i, at, out);
        machine_jacobian(m, i, at, out);
        machine_update_switches(m, i, at);
    }
    assert_int_equal(heap_count, before);
    machine_free(m);
    program_free(p);
    fixture_free(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_agree),
        cmocka_unit_test(blocks_and_tables_agree),
        cmocka_unit_test(machines_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
