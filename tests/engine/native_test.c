// Native code against the virtual machine, bit by bit; its cache, and everything that can go wrong
// on the way to it.
#include "agree.h"

#include "base/digest.h"
#include "base/files.h"
#include "engine/native.h"
#include "engine/native_cache.h"
#include "engine/native_order.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char folder[64], native[96]; // cache of its own
    NativeOptions options;
} Cache;

static void cache_open(Cache *c) {
    strcpy(c->folder, "/tmp/bondyn_native_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->native, sizeof c->native, "%s/native", c->folder);
    c->options = (NativeOptions){.jacobian = true, .folder = c->folder};
}

// The names of files that end so; how many there are.
static int cache_files(const Cache *c, const char *ending, char *path, size_t size) {
    DIR *d = opendir(c->native);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t length = strlen(e->d_name), end = strlen(ending);
        if (length < end || strcmp(e->d_name + length - end, ending) != 0 || e->d_name[0] == '.')
            continue;
        if (path) snprintf(path, size, "%s/%s", c->native, e->d_name);
        count++;
    }
    if (d) closedir(d);
    return count;
}

static void cache_close(Cache *c) {
    char path[400];
    chmod(c->native, 0700);
    while (cache_files(c, ".so", path, sizeof path)) assert_int_equal(unlink(path), 0);
    rmdir(c->native);
    assert_int_equal(rmdir(c->folder), 0); // and nothing else was left behind
}

enum { ROOM = 4096 };

static void compare_at(Machine *vm, Machine *native, double t, const double *at) {
    static double x[ROOM], y[ROOM];
    const Program *p = vm->program;
    bool good = machine_derivative(vm, t, at, x, x + ROOM / 2);
    assert_int_equal(machine_derivative(native, t, at, y, y + ROOM / 2), good);
    if (!good) return;
    assert_bits(x, y, p->state_count);
    assert_bits(x + ROOM / 2, y + ROOM / 2, p->quad_count);
    assert_true(machine_derivative(native, t, at, y, NULL));
    assert_bits(x, y, p->state_count);
    if (machine_outputs(vm, t, at, x) && machine_outputs(native, t, at, y))
        assert_bits(x, y, p->output_count);
    if (p->has_jacobian && machine_jacobian(vm, t, at, x) && machine_jacobian(native, t, at, y))
        assert_bits(x, y, p->nonzero_count);
    if (machine_switches(vm, t, at, x) && machine_switches(native, t, at, y))
        assert_bits(x, y, p->switch_count);
}

static void compare(const Program *p, const NativeOptions *o) {
    Native *n = native_start(p, o);
    if (native_wait(n) != NATIVE_READY) fail_msg("%s", native_words(n));
    Machine *vm = machine_new(p), *native = machine_new(p);
    machine_use(native, n);
    double at[64];
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < p->state_count; i++) at[i] = sin(i + 0.37 * k) * (1 + i % 8);
        vm->hold = native->hold = k % 3 == 2;
        compare_at(vm, native, 0.1 * k, at);
    }
    machine_free(vm);
    machine_free(native);
    native_free(n);
}

static void random_programs_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Cache c;
    cache_open(&c);
    for (uint64_t round = 1; round <= 5; round++) {
        Fixture *f = random_system(round * 32452843);
        Program *p = fixture_try(f);
        if (p) compare(p, &c.options);
        program_free(p);
        fixture_free(f);
    }
    cache_close(&c);
}

static void blocks_and_tables_agree(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = system_with_blocks_and_tables();
    Cache c;
    cache_open(&c);
    Program *p = fixture_program(f);
    compare(p, &c.options);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// Long enough for several parts, with values that cross them.
static Fixture *long_system(int length) {
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 0.5), a = x, b = y;
    Expr angle = fixture_call(f, OP_SIN, x, 0);
    for (int i = 0; i < length; i++) {
        Expr next = expr_add(d, expr_mul(d, a, b), fixture_number(f, 0.25 + i * 1e-3));
        b = expr_div(d, expr_add(d, a, angle),
                     expr_add(d, expr_mul(d, next, next), fixture_call(f, OP_ABS, y, 0)));
        a = next;
        if (i % 50 == 0) f->output[f->output_count < 60 ? f->output_count++ : 59] = a;
    }
    f->rate[0] = fixture_call(f, OP_ATAN, a, 0);
    f->rate[1] = fixture_call(f, OP_ATAN, b, 0);
    f->quad[f->quad_count++] = expr_mul(d, a, b);
    return f;
}

static void long_tapes_are_cut(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Cache c;
    cache_open(&c);
    Fixture *f = long_system(1200);
    Program *p = fixture_program(f);
    assert_true(p->rate_code > 2 * PART_STATEMENTS);
    Order o;
    order_open(&o, p, &p->derivative, p->rate_code, p->state_count, 4, NO_LOOPS, PART_STATEMENTS);
    assert_true(o.part.count >= 4 && o.slots > 0);
    for (int i = 0; i < o.part.count; i++) assert_true(o.part.data[i].count <= PART_STATEMENTS);
    order_close(&o);
    c.options.jacobian = false;
    compare(p, &c.options);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// w + chain(w)/100 = sum of sines: sines that the rates need before the block and behind it wait in
// slots, and the chain is so long that the residual has slots of its own.
static Fixture *system_with_long_residual(void) {
    enum { SINES = 12, LENGTH = 700 };
    Fixture *f = fixture_new();
    Dag *d = f->dag;
    Expr x = fixture_state(f, "x", 1), y = fixture_state(f, "y", 0.5), w = fixture_symbol(f, "w");
    Expr sum = y, a = w, angle = fixture_call(f, OP_SIN, w, 0), sine[SINES];
    for (int i = 0; i < SINES; i++) {
        sine[i] = fixture_call(f, OP_SIN, expr_mul(d, x, fixture_number(f, i + 1)), 0);
        sum = expr_add(d, sum, expr_mul(d, sine[i], fixture_number(f, 0.1 + i)));
    }
    for (int i = 0; i < LENGTH; i++) {
        Expr under = expr_add(d, expr_mul(d, a, a), fixture_number(f, 1 + i * 1e-3));
        a = expr_add(d, expr_mul(d, a, fixture_number(f, 0.5)), expr_div(d, angle, under));
    }
    Expr left = expr_add(d, w, expr_mul(d, a, fixture_number(f, 0.01)));
    fixture_block(f, 1, &w, (Expr[]){expr_sub(d, left, sum)}, false);
    f->rate[0] = f->rate[1] = w;
    for (int i = 0; i < SINES; i++)
        f->rate[i % 2] = expr_add(d, f->rate[i % 2], expr_mul(d, sine[i], sine[(i + 1) % SINES]));
    return f;
}

static void blocks_leave_slots_alone(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = system_with_long_residual();
    Cache c;
    cache_open(&c);
    Program *p = fixture_program(f);
    assert_true(p->block[0].residual.count > PART_STATEMENTS);
    c.options.jacobian = false;
    compare(p, &c.options);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// More results than one part may hand over.
static void many_results_are_cut(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    enum { MANY = 2000 };
    Fixture *f = fixture_new_of(MANY + 8);
    Expr x = fixture_state(f, "x", 1);
    f->rate[0] = expr_neg(f->dag, x);
    for (int i = 0; i < MANY; i++)
        f->output[f->output_count++] = expr_mul(f->dag, fixture_number(f, 1 + i), x);
    Cache c;
    cache_open(&c);
    Program *p = fixture_program(f);
    Order o;
    order_open(&o, p, &p->outputs, p->outputs.count, p->outputs.result_count, 4, NO_LOOPS,
               QUICK_STATEMENTS);
    for (int i = 0; i < o.part.count; i++)
        assert_true(o.part.data[i].end_result - o.part.data[i].first_result <= QUICK_STATEMENTS);
    order_close(&o);
    compare(p, &c.options);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// The most values that a function of the text computes, of those whose names begin so.
static int longest_function(const char *text, const char *name) {
    int longest = 0, count = 0;
    bool inside = false;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "static void ", 12) == 0) {
            inside = strncmp(line + 12, name, strlen(name)) == 0;
            count = 0;
        }
        count += inside && strncmp(line, "    const double ", 17) == 0;
        if (count > longest) longest = count;
    }
    return longest;
}

// A Jacobian is compiled with few passes and in smaller parts, the rates are not; the bits are the
// same.
static void long_jacobians_are_compiled_quickly(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Cache c;
    cache_open(&c);
    Fixture *f = long_system(300);
    Program *p = fixture_program(f);
    Text text = {0};
    assert_true(p->has_jacobian && native_quick(&p->jacobian));
    native_text(&text, p, true, 4, ROLL_NEVER);
    int rates = longest_function(text_get(&text), "rates_");
    int jacobian = longest_function(text_get(&text), "jacobian_");
    assert_true(rates > QUICK_STATEMENTS && rates <= PART_STATEMENTS);
    assert_true(jacobian > 0 && jacobian <= QUICK_STATEMENTS);
    const char *quick = strstr(text_get(&text), "push_options");
    assert_true(quick && quick > strstr(text_get(&text), "int bondyn_rates("));
    c.options.jacobian = true;
    compare(p, &c.options);
    text_free(&text);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// --- cache ---------------------------------------------------------------------------------------

static NativeState start(const Program *p, const NativeOptions *o, char *words, size_t size) {
    Native *n = native_start(p, o);
    NativeState s = native_wait(n);
    snprintf(words, size, "%s", native_words(n));
    native_free(n);
    return s;
}

static void damage(const char *path, long at) {
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    int byte = fgetc(file);
    fseek(file, -1, SEEK_CUR);
    fputc(byte ^ 0x40, file);
    fclose(file);
}

static void cache_keeps_and_mends(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Cache c;
    cache_open(&c);
    Fixture *f = random_system(77);
    Program *p = fixture_program(f);
    char words[256], path[400] = "";
    c.options.only_cached = true;
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_FAILED);
    c.options.only_cached = false;
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_READY);
    assert_non_null(strstr(words, "compiled in"));
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_READY);
    assert_string_equal(words, "native code from the cache");
    assert_int_equal(cache_files(&c, ".so", path, sizeof path), 1);
    static const long place[] = {100, 5000, -20, -80};
    for (int i = 0; i < 4; i++) {
        damage(path, place[i]);
        assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_READY);
        assert_non_null(strstr(words, "compiled in"));
    }
    assert_int_equal(truncate(path, 3000), 0);
    compare(p, &c.options);
    assert_int_equal(cache_files(&c, ".so", NULL, 0), 1);
    assert_int_equal(cache_files(&c, "", NULL, 0), 1); // no compiler's folder is left
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

static void cache_is_bounded(void **state) {
    (void)state;
    Cache c;
    cache_open(&c);
    assert_int_equal(mkdir(c.native, 0700), 0);
    char path[400];
    for (int i = 0; i < 1068; i++) {
        snprintf(path, sizeof path, "%s/%04d.so", c.native, i);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
        struct timespec when[2] = {{1000 + i, 0}, {1000 + i, 0}};
        assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
    }
    cache_trim(c.native);
    assert_int_equal(cache_files(&c, ".so", NULL, 0), 1024);
    snprintf(path, sizeof path, "%s/0043.so", c.native);
    assert_false(file_exists(path)); // the oldest went
    snprintf(path, sizeof path, "%s/0044.so", c.native);
    assert_true(file_exists(path));
    cache_close(&c);
}

static void write_script(char *path, size_t size, const Cache *c, const char *text) {
    snprintf(path, size, "%s/fake_cc", c->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", text);
    fclose(file);
    chmod(path, 0700);
}

static void compilers_may_fail(void **state) {
    (void)state;
    Cache c;
    cache_open(&c);
    Fixture *f = random_system(78);
    Program *p = fixture_program(f);
    char words[256], cc[100];
    c.options.cc = "no-such-compiler-anywhere";
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_FAILED);
    assert_non_null(strstr(words, "no C compiler: no-such-compiler-anywhere"));
    c.options.cc = cc;
    write_script(cc, sizeof cc, &c, "echo 'warming up'; echo 'code.c:1: error: no'; exit 1");
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_FAILED);
    assert_non_null(strstr(words, "the C compiler failed: code.c:1: error: no"));
    write_script(cc, sizeof cc, &c, "kill -9 $$");
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_FAILED);
    assert_non_null(strstr(words, "ended by signal 9"));
    write_script(cc, sizeof cc, &c, "while [ \"$1\" != -o ]; do shift; done; echo junk > \"$2\"");
    assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_FAILED);
    assert_non_null(strstr(words, "cannot be loaded"));
    if (has_compiler()) { // warnings do no harm
        write_script(cc, sizeof cc, &c, "echo 'warning: hm' >&2; exec cc \"$@\"");
        assert_int_equal(start(p, &c.options, words, sizeof words), NATIVE_READY);
    }
    write_script(cc, sizeof cc, &c, "sleep 60"); // ended with the run, and soon
    Native *n = native_start(p, &c.options);
    assert_int_equal(native_poll(n), NATIVE_COMPILING);
    native_free(n);
    unlink(cc);
    program_free(p);
    fixture_free(f);
    cache_close(&c);
}

// A cache that cannot be written: the code is made elsewhere and not kept.
static void cache_may_be_closed(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    Fixture *f = random_system(79);
    Program *p = fixture_program(f);
    char words[256];
    NativeOptions o = {.folder = "/proc/nowhere"};
    assert_int_equal(start(p, &o, words, sizeof words), NATIVE_READY);
    assert_non_null(strstr(words, "not kept"));
    program_free(p);
    fixture_free(f);
}

static void digests_are_right(void **state) {
    (void)state;
    char hex[DIGEST_TEXT + 1]; // the examples of the standard
    digest("abc", 3, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    digest("", 0, hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    assert_string_equal(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_right),
        cmocka_unit_test(random_programs_agree),
        cmocka_unit_test(blocks_and_tables_agree),
        cmocka_unit_test(long_tapes_are_cut),
        cmocka_unit_test(blocks_leave_slots_alone),
        cmocka_unit_test(many_results_are_cut),
        cmocka_unit_test(cache_keeps_and_mends),
        cmocka_unit_test(cache_is_bounded),
        cmocka_unit_test(compilers_may_fail),
        cmocka_unit_test(cache_may_be_closed),
        cmocka_unit_test(long_jacobians_are_compiled_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
