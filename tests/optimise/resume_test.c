// A search that is killed and made again goes on where it was, and ends at the same result bit by
// bit.
#include "../pipeline.h"
#include "../test.h"

#include "optimise/optimise.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Two valleys over a, so that global searches have something to do; b has its best in the middle of
// its range.
static const char *const valleys =
    "model M\n  param a = 0.3, b = 0.2\n  var x initial 1\n  der(x) = -b*x\nend\n"
    "experiment Free of M\n  stop 1 {s}\n  minimise (a^2 - 1)^2 + 0.1*a + (x(end) - 0.5)^2\n"
    "  over a from -2 to 2, b from 0 to 3\nend\n"
    "experiment Tied of M\n  stop 1 {s}\n  minimise (a^2 - 1)^2 + 0.1*a + (x(end) - 0.5)^2\n"
    "  over a from -2 to 2, b from 0 to 3\n  subject to x(end) + a < 0.2\nend\n";

static const char *const data =
    "table measured(t {s}) {1} linear\n  0, 1.01\n  0.25, 0.80\n  0.5, 0.63\n  0.75, 0.49\n"
    "  1, 0.38\n  1.5, 0.23\n  2, 0.15\nend\n"
    "model M\n  param k = 0.4, x0 = 2\n  var x initial x0\n  der(x) = -k*x - 0.01*x^3\nend\n"
    "experiment Given of M\n  stop 2 {s}\n  fit x to measured(time) within 0.01\n"
    "  over k from 0 to 9, x0 from 0 to 5\nend\n"
    "experiment Found of M\n  stop 2 {s}\n  fit x to measured(time)\n"
    "  over k from 0 to 9, x0 from 0 to 5\nend\n";

typedef struct {
    Built b;
    char folder[64], file[96];
    RunOptions options;
    SearchPlan plan;
    SearchCase searched;
    bool fit;
} Case;

static void open_case(Case *c, const char *text, const char *experiment) {
    *c = (Case){.fit = strstr(text, "  fit ") != NULL};
    LangOptions with = build_open(&c->b, NULL);
    Syntax *syntax = lang_load_text(&c->b.tree, c->b.names, c->b.sources, "test.bond", text,
                                    strlen(text), &with, &c->b.report);
    PipelineOptions p = {.lang = with, .experiment = experiment, .last = STAGE_SYSTEM};
    if (!pipeline_build(&c->b.pipeline, syntax, &p, &c->b.report)) {
        Text t = {0};
        report_print(&t, &c->b.report, c->b.sources);
        fail_msg("%s", text_get(&t));
    }
    strcpy(c->folder, "/tmp/bondyn_resume_XXXXXX");
    assert_non_null(mkdtemp(c->folder));
    snprintf(c->file, sizeof c->file, "%s/search.part", c->folder);
    c->options = (RunOptions){.engine = ENGINE_VM};
    c->searched = (SearchCase){c->b.pipeline.system, c->b.pipeline.experiment, NULL};
    c->plan =
        (SearchPlan){.cases = &c->searched,
                     .count = 1,
                     .options = &c->options,
                     .starts = 1,
                     .seed = 1,
                     .workers = 1,
                     .file = c->file,
                     .key = "a key of sixty-four letters, as digests have it, and this is one"};
}

static void close_case(Case *c) {
    remove(c->file);
    rmdir(c->folder);
    build_free(&c->b);
}

static Found *run_case(Case *c) {
    Found *f = c->fit ? fit_run(&c->plan, &c->b.report) : search_run(&c->plan, &c->b.report);
    if (!f) {
        Text t = {0};
        report_print(&t, &c->b.report, c->b.sources);
        fail_msg("%s", text_get(&t));
    }
    return f;
}

static long file_size(const Case *c) {
    struct stat about;
    return stat(c->file, &about) == 0 ? (long)about.st_size : -1;
}

// In the child: the file has grown enough, and the search is shot.
static long enough;
static const Case *shot;
static void shoot(void *context, double fraction) {
    (void)context, (void)fraction;
    if (file_size(shot) >= enough) raise(SIGKILL);
}

// Gives true if it was killed; false: it came to its end before.
static bool run_and_kill(Case *c, long bytes) {
    pid_t child = fork();
    if (child == 0) {
        enough = bytes;
        shot = c;
        c->plan.progress = shoot;
        Found *f = c->fit ? fit_run(&c->plan, &c->b.report) : search_run(&c->plan, &c->b.report);
        _exit(f ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL;
    assert_int_equal(WEXITSTATUS(status), 0);
    return false;
}

static void same_bits(double a, double b) {
    if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
        fail_msg("%.17g is not %.17g", a, b);
}

static void same_found(const Found *a, const Found *b) {
    assert_int_equal(a->count, b->count);
    for (int i = 0; i < a->count; i++) {
        same_bits(a->free[i].value, b->free[i].value);
        same_bits(a->free[i].half, b->free[i].half);
    }
    same_bits(a->objective, b->objective);
    same_bits(a->deviation, b->deviation);
    same_bits(a->first_deviation, b->first_deviation);
    for (int i = 0; a->correlation && i < a->count * a->count; i++)
        same_bits(a->correlation[i], b->correlation[i]);
    for (int k = 0; k < a->limits; k++) same_bits(a->limit[k].left, b->limit[k].left);
    assert_int_equal(a->runs, b->runs);
    assert_int_equal(a->starts, b->starts);
    assert_int_equal(a->agreed, b->agreed);
    assert_string_equal(a->why, b->why);
}

// Killed again and again, each time a little later; the last one comes to the end.
static void try_case(Case *c) {
    enum { MOST_KILLS = 2 };
    Found *whole = run_case(c);
    assert_int_equal(file_size(c), -1);
    int kills = 0;
    long before = 0;
    while (run_and_kill(c, before + 400)) {
        long now = file_size(c);
        assert_true(now > before);
        if (kills++ % 2) assert_int_equal(truncate(c->file, now - 13), 0); // half an entry
        before = now;
        if (kills == MOST_KILLS) break;
    }
    assert_true(kills > 0);
    Found *again = run_case(c);
    if (kills == MOST_KILLS) assert_true(again->kept > 0 && again->kept <= again->runs);
    same_found(whole, again);
    assert_int_equal(file_size(c), -1);
    found_free(whole);
    found_free(again);
}

#ifdef __SANITIZE_ADDRESS__
enum { STRIDE = 4 }; // one of each kind
#else
enum { STRIDE = 1 };
#endif

// Methods with slopes, without them, and those that search globally, with their random numbers.
static void every_method(void **state) {
    (void)state;
    static const struct {
        const char *method, *experiment;
    } list[] = {{NULL, "Free"},         {"mma", "Free"},    {"bobyqa", "Free"},
                {"neldermead", "Free"}, {"direct", "Free"}, {"crs", "Free"},
                {NULL, "Tied"},         {"cobyla", "Tied"}, {"isres", "Tied"}};
    for (int i = 0; i < (int)(sizeof list / sizeof *list); i += STRIDE) {
        Case c;
        open_case(&c, valleys, list[i].experiment);
        c.plan.method = list[i].method;
        try_case(&c);
        close_case(&c);
    }
}

// What is found depends on the starts, not on how many processes share them or what they did
// before.
static void many_starts(void **state) {
    (void)state;
    static const char *const method[] = {NULL, "crs"};
    for (int i = 0; i < 2; i++) {
        Case c;
        open_case(&c, valleys, "Free");
        c.plan.method = method[i];
        c.plan.starts = i ? 3 : 7;
        c.plan.workers = 3;
        try_case(&c);
        Found *three = run_case(&c);
        c.plan.workers = 1;
        Found *one = run_case(&c);
        same_found(three, one);
        c.plan.seed = 2;
        Found *other = run_case(&c);
        assert_true(other->runs != one->runs);
        found_free(three);
        found_free(one);
        found_free(other);
        close_case(&c);
    }
}

static void fits(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        Case c;
        open_case(&c, data, given ? "Given" : "Found");
        try_case(&c);
        close_case(&c);
    }
}

// Interrupted, a fit tells what it has, and goes on.
static volatile int cancel;
static int calls;
static void interrupt(void *context, double fraction) {
    (void)context, (void)fraction;
    if (++calls == 2) cancel = 1;
}

static void interrupted(void **state) {
    (void)state;
    for (int fit = 0; fit < 2; fit++) {
        Case c;
        open_case(&c, fit ? data : valleys, fit ? "Given" : "Free");
        Found *whole = run_case(&c);
        calls = cancel = 0;
        c.options.cancel = c.plan.cancel = &cancel;
        c.plan.progress = interrupt;
        Found *half = c.fit ? fit_run(&c.plan, &c.b.report) : search_run(&c.plan, &c.b.report);
        if (fit) assert_true(half && half->interrupted && half->runs < whole->runs);
        assert_true(file_size(&c) > 64);
        cancel = 0;
        c.plan.progress = NULL;
        c.b.report.errors = 0;
        Found *again = run_case(&c);
        assert_true(again->kept > 0);
        same_found(whole, again);
        found_free(whole);
        found_free(half);
        found_free(again);
        close_case(&c);
    }
}

// The journal of another search, or no journal at all, is not taken for ours.
static void other_journals(void **state) {
    (void)state;
    Case c;
    open_case(&c, valleys, "Free");
    Found *whole = run_case(&c);
    assert_true(run_and_kill(&c, 400));
    c.plan.key = "another key of sixty-four letters; it is of a model that changed";
    Found *other = run_case(&c);
    assert_int_equal(other->kept, 0);
    same_found(whole, other);
    found_free(other);
    FILE *f = fopen(c.file, "wb");
    for (int i = 0; i < 5000; i++) fputc((i * 7919) >> 3, f);
    fclose(f);
    other = run_case(&c);
    assert_int_equal(other->kept, 0);
    same_found(whole, other);
    found_free(other);
    found_free(whole);
    close_case(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method), cmocka_unit_test(many_starts),    cmocka_unit_test(fits),
        cmocka_unit_test(interrupted),  cmocka_unit_test(other_journals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
