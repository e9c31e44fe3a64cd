// Recent sizes of states that fall: those that are found side by side against the rule itself.
#include "../test.h"

#include "solve/job.h"
#include <math.h>

enum { STATES = 45 }; // a whole block, and a part of one

typedef struct {
    Sizes s;
    double list[12][STATES], x[STATES];
    int group[STATES];
} Subject;

// All states were at `last` and had the size 1; then they fall to 0.7 .. 0.98 of that.
static void fall(Subject *k, bool roughly) {
    *k = (Subject){0};
    Sizes *s = &k->s;
    double **const field[] = {&s->recent, &s->rest,  &s->fall, &s->last,    &s->most, &s->top,
                              &s->floor,  &s->first, &s->size, &s->nothing, &s->point};
    for (size_t f = 0; f < sizeof field / sizeof *field; f++) *field[f] = k->list[f];
    s->group = k->group;
    s->kept_falling = 0.99;
    s->step = 1;
    for (int i = 0; i < STATES; i++) {
        s->last[i] = i % 2 ? 3 : -3;
        s->recent[i] = s->top[i] = 10;
        k->x[i] = s->last[i] * (0.7 + 0.28 * i / (STATES - 1));
    }
    recent_step(s, STATES, k->x, true, roughly);
}

// Of an implicit method a size falls with the power 2/3, and to 0.8 of itself at most.
static void sizes_fall_by_the_rule(void **state) {
    (void)state;
    Subject exact, rough;
    fall(&exact, false);
    fall(&rough, true);
    for (int i = 0; i < STATES; i++) {
        double ratio = 0.7 + 0.28 * i / (STATES - 1), wanted = 10 * fmax(0.8, pow(ratio, 2.0 / 3));
        assert_near(exact.s.recent[i], wanted, 1e-12);
        assert_near(rough.s.recent[i], wanted, 10 * 2e-5); // as two_thirds says
        assert_near(exact.s.last[i], exact.x[i], 0);
        assert_near(rough.s.last[i], rough.x[i], 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes_fall_by_the_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
