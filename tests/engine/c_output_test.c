// Generated C against the virtual machine, bit by bit; calls of the machine that must not allocate.
#include "fixture.h"
#include "random.h"

#include <dlfcn.h>
#include <unistd.h>

typedef size_t Size(void);
typedef void Init(void *m);
typedef int Derivative(void *m, double time, const double *state, double *rate, double *quad);
typedef int Function(void *m, double time, const double *state, double *result);

typedef struct {
    void *library, *machine;
} Compiled;

static bool has_compiler(void) { return system("cc --version > /dev/null 2>&1") == 0; }

static void *symbol(Compiled *c, const char *name) {
    void *address = dlsym(c->library, name);
    assert_non_null(address);
    return address;
}

// Function pointers come as data pointers from dlsym; memcpy converts them.
#define GET(type, name)                                                                            \
    type *name = NULL;                                                                             \
    void *name##_address = symbol(&c, "m_" #name);                                                 \
    memcpy(&name, &name##_address, sizeof name)

static Compiled compile(const Program *p) {
    char folder[] = "/tmp/bondyn_c_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64], command[512];
    snprintf(path, sizeof path, "%s/m.c", folder);
    Text text = {0};
    program_c(&text, p, "m");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text_get(&text), file);
    fclose(file);
    text_free(&text);
    snprintf(
        command, sizeof command,
        "cc -std=c17 -O2 -Wall -Wextra -Werror -ffp-contract=off -shared -fPIC -o %s/m.so %s -lm",
        folder, path);
    assert_int_equal(system(command), 0);
    Compiled c = {0};
    snprintf(command, sizeof command, "%s/m.so", folder);
    c.library = dlopen(command, RTLD_NOW);
    assert_non_null(c.library);
    unlink(command);
    unlink(path);
    rmdir(folder);
    GET(Size, machine_size);
    GET(Init, init);
    c.machine = malloc(machine_size());
    init(c.machine);
    return c;
}

static void compiled_free(Compiled *c) {
    free(c->machine);
    dlclose(c->library);
}

// Same bits; any NaN is like any other.
static void assert_bits(const double *a, const double *b, int count) {
    for (int i = 0; i < count; i++) {
        if (isnan(a[i]) && isnan(b[i])) continue;
        if (memcmp(&a[i], &b[i], sizeof *a) != 0) fail_msg("%d: %a is not %a", i, a[i], b[i]);
    }
}

static void compare(Fixture *f) {
    Program *p = fixture_try(f);
    if (!p) {
        fixture_free(f);
        return;
    }
    Machine *m = machine_new(p);
    Compiled c = compile(p);
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
        if (machine_jacobian(m, t, at, vm) && jacobian(c.machine, t, at, native))
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
    for (uint64_t round = 1; round <= 6; round++) {
        uint64_t seed = round * 15485863;
        Fixture *f = fixture_new();
        Expr pool[NODES];
        make_pool(f, &seed, pool);
        for (int i = 0; i < 3; i++) f->rate[i] = pool[LEAVES + 10 + i];
        for (int i = 0; i < NODES; i++) f->output[f->output_count++] = pool[i];
        f->quad[f->quad_count++] = pool[LEAVES + 20];
        compare(f);
    }
}

static void blocks_and_tables_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    static const double xs[] = {-1, 0, 0.5, 2}, ys[] = {3, 1, 2, -1};
    static double slopes[4];
    table_monotone_slopes(4, xs, ys, slopes);
    Table line = {.count = 4, .x = xs, .y = ys};
    Table cubic = {.count = 4, .x = xs, .y = ys, .slope = slopes, .smooth = true};
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 0.5);
    Expr u = fixture_symbol(f, "u"), v = fixture_symbol(f, "v"), w = fixture_symbol(f, "w");
    Expr first = fixture_number(f, expr_add_table(d, &line));
    Expr second = fixture_number(f, expr_add_table(d, &cubic));
    // a linear block of two, then a nonlinear one that uses it
    Expr linear[] = {expr_sub(d, expr_add(d, u, expr_mul(d, y, v)), x),
                     expr_sub(d, expr_sub(d, expr_mul(d, x, u), v), fixture_number(f, 1))};
    fixture_block(f, 2, (Expr[]){u, v}, linear, true);
    Expr cube = expr_pow(d, w, fixture_number(f, 3));
    fixture_block(f, 1, &w, (Expr[]){expr_sub(d, expr_add(d, cube, w), expr_add(d, u, v))}, false);
    f->rate[0] = expr_add(d, fixture_call(f, OP_TABLE, first, w), v);
    f->rate[1] = expr_mul(d, fixture_call(f, OP_TABLE, second, x), u);
    f->output[f->output_count++] = w;
    f->quad[f->quad_count++] = fixture_call(f, OP_MOD, f->system.time, fixture_number(f, 0.3));
    compare(f);
}

// --- no allocation -------------------------------------------------------------------------------

// Allocations are counted: by a hook of the sanitizer, else by functions in place of the C
// library's own.
static volatile long heap_count; // changes behind the back of the compiler

#if defined(__SANITIZE_ADDRESS__)
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
                                              void (*on_free)(const volatile void *));

static void count_malloc(const volatile void *data, size_t size) {
    (void)data, (void)size;
    heap_count++;
}

static void ignore_free(const volatile void *data) { (void)data; }

static void count_heap(void) {
    assert_true(__sanitizer_install_malloc_and_free_hooks(count_malloc, ignore_free) != 0);
}
#elif defined(__GLIBC__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *data, size_t size);

void *malloc(size_t size) {
    heap_count++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    heap_count++;
    return __libc_calloc(count, size);
}

void *realloc(void *data, size_t size) {
    heap_count++;
    return __libc_realloc(data, size);
}

static void count_heap(void) {}
#else
static void count_heap(void) { skip(); }
#endif

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
