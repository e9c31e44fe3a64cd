// See timing.h.
#include "timing.h"

#include "bench.h"
#include <stdbool.h>

enum { BLOCKS = 400, LEAST = 30, MOST_TRIES = 6000 };
#define BLOCK_SECONDS 50e-6
#define DISTURBED     1.06

// The compiler must believe that the values are needed, in registers.
#if defined(__x86_64__)
#define KEEP(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define KEEP(x) __asm__ volatile("" : "+w"(x))
#else
#define KEEP(x) (void)(x)
#endif
#define KEEP6(a, b, c, d, e, f)                                                                    \
    do {                                                                                           \
        KEEP(a);                                                                                   \
        KEEP(b);                                                                                   \
        KEEP(c);                                                                                   \
        KEEP(d);                                                                                   \
        KEEP(e);                                                                                   \
        KEEP(f);                                                                                   \
    } while (0)

// Twelve chains of multiplications, enough for every unit of the processor. Gives: how many.
static int multiply_much(int rounds) {
    double a = 1, b = 1, c = 1, d = 1, e = 1, f = 1, g = 1, h = 1, i = 1, j = 1, k = 1, l = 1;
    double by = 1.0000001;
    KEEP(by);
    for (int n = 0; n < rounds; n++) {
        a *= by, b *= by, c *= by, d *= by, e *= by, f *= by;
        g *= by, h *= by, i *= by, j *= by, k *= by, l *= by;
        KEEP6(a, b, c, d, e, f);
        KEEP6(g, h, i, j, k, l);
    }
    return 12 * rounds;
}

static double guard(double *fastest) {
    double start = now_seconds();
    multiply_much(600);
    double time = now_seconds() - start;
    if (time < *fastest) *fastest = time;
    return time;
}

double time_multiply(void) {
    double best = 1e9;
    for (int i = 0; i < 2000; i++) {
        double start = now_seconds();
        int count = multiply_much(2000);
        double each = (now_seconds() - start) / count;
        if (each < best) best = each;
    }
    return 1e9 * best;
}

static int calls_per_block(const Timed *t, int states) {
    double best = 1e9;
    for (int i = 0; i < 20; i++) {
        double start = now_seconds();
        for (int k = 0; k < states; k++) t->call(t->context, k);
        double each = (now_seconds() - start) / states;
        if (each < best) best = each;
    }
    int calls = (int)(BLOCK_SECONDS / best);
    return calls < 1 ? 1 : calls;
}

static bool time_block(Timed *t, int calls, int states, double *fastest, double *ns) {
    if (guard(fastest) > DISTURBED * *fastest) return false;
    for (int k = 0; k < 4; k++) t->call(t->context, k % states);
    double start = now_seconds();
    for (int k = 0; k < calls; k++) t->call(t->context, k % states);
    *ns = 1e9 * (now_seconds() - start) / calls;
    return guard(fastest) <= DISTURBED * *fastest;
}

void time_together(Timed *task, int count, int states) {
    enum { MOST_TASKS = 8 };
    static double sample[MOST_TASKS][BLOCKS];
    int calls[MOST_TASKS];
    double fastest = 1e9;
    for (int i = 0; i < 300; i++) guard(&fastest);
    for (int i = 0; i < count; i++) {
        calls[i] = calls_per_block(&task[i], states);
        task[i].kept = task[i].lost = 0;
    }
    bool more = true;
    for (int tries = 0; more && tries < MOST_TRIES; tries++) {
        more = false;
        for (int i = 0; i < count; i++) {
            Timed *t = &task[i];
            if (t->kept == BLOCKS) continue;
            more = true;
            if (time_block(t, calls[i], states, &fastest, &sample[i][t->kept]))
                t->kept++;
            else
                t->lost++;
        }
    }
    for (int i = 0; i < count; i++)
        task[i].ns = task[i].kept >= LEAST ? median(sample[i], task[i].kept) : 0;
}
