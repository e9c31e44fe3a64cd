// What the machine and native code agree upon.
#ifndef BONDYN_ENGINE_NATIVE_CODE_H
#define BONDYN_ENGINE_NATIVE_CODE_H

// Compiled here and written into every native text, so that both sides see the same struct.
#define NATIVE_CALL(...) __VA_ARGS__
#define NATIVE_CALL_STRUCT(MACRO)                                                                  \
    MACRO(typedef struct {                                                                         \
        double *r;                                                                                 \
        double *s;                                                                                 \
        const unsigned char *truth;                                                                \
        const double *piece;                                                                       \
        long hold;                                                                                 \
        int (*solve)(void *machine, unsigned block, unsigned lanes);                               \
        void *machine;                                                                             \
        unsigned active;                                                                           \
        unsigned fresh;                                                                            \
    } BondynCall;)
#define NATIVE_CALL_WORDS(...) #__VA_ARGS__ "\n\n"
#define NATIVE_CALL_TEXT       NATIVE_CALL_STRUCT(NATIVE_CALL_WORDS)

// r: registers of the machine. s: room for values between parts. truth, piece, hold: states of
// switches, pieces of functions, and whether they count. solve: an implicit block; its unknowns go
// to their registers; 0: there is no solution. Over lanes every double is a vector of them, a lane
// per run, and so is the state of a switch; solve is asked for a set of lanes (a bit for each) that
// need care, and `active` is the set of lanes whose unknowns may change, `fresh` that of lanes
// whose rates at the begin of a step are not known yet.
NATIVE_CALL_STRUCT(NATIVE_CALL)

typedef int NativeFunction(BondynCall *c, double *result); // 0: a block has no solution
typedef int NativeQuads(BondynCall *c, double *rate, double *quad);
// A step of h from y to `to`: states, then quadratures; work: four times as much. Gives: a bit for
// each lane in which `to` is not finite.
typedef int NativeStep(BondynCall *c, double time, double h, const double *y, double *to,
                       double *work);
// A step over lanes with a time and a length per lane, see rk78.def.
typedef int NativeAttempt(BondynCall *c, const double *time, const double *h, const double *y,
                          double *next, double *error, double *k);
typedef int NativeInside(BondynCall *c, const double *time, const double *h, const double *end,
                         const double *y, const double *next, double *k, double *polynomial);

typedef struct { // of one loaded library
    NativeFunction *rates, *outputs, *switches;
    NativeFunction *jacobian;        // NULL: not compiled
    NativeFunction *guards, *memory; // NULL: laws do not switch
    NativeQuads *quads;
    NativeFunction *const *residual, *const *matrix; // per implicit block
    NativeStep *euler, *heun, *rk4;                  // NULL: one run, and there are such blocks
    NativeAttempt *rk78;                             // over lanes only, and so:
    NativeInside *rk78_more;
    unsigned slots;
    int lanes; // runs at a time
} NativeCode;

#endif
