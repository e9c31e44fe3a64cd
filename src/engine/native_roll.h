// Loops in native code: what a tape does again and again, joint by joint.
//
// A mechanism of n joints is traced into straight-line code, n times the same steps with other
// operands. Nobody marks them: they are found again in the finished tape, so that no stage before
// needs to know of loops, and ladders of other elements are rolled just as well.
//
//     series     instructions that do the same one joint after the other: x0, x1, x2 ...
//     loop       series that are computed together, a member of each per iteration
//
//         in the tape     a0 b0 a1 b1 a2 b2 a3 b3 ...        a_i = b_{i-1}*r[i],  b_i = a_i + k_i
//         as a loop       for (i = 0; i < n; i++) { a = b*r[i]; b = a + k[i]; }
//
// A loop computes what its members would compute, with the same operands: the same bits.
#ifndef BONDYN_ENGINE_NATIVE_ROLL_H
#define BONDYN_ENGINE_NATIVE_ROLL_H

#include "engine/native_value.h"

enum { MOST_DISTANCE = 3, LEAST_ROUNDS = MOST_DISTANCE + 2, NO_LOOP = -1, NEVER_LOOP = -2 };

typedef struct {
    int first, count; // Roll.member[first ...]
    int loop;         // that computes it, or most of it; NO_LOOP, or NEVER_LOOP
    int offset;       // member m belongs to round sign*m + offset of that loop
    int column;       // where it lies in a row of slots; -1: in none
} Series;

typedef struct {
    int sign;        // 1: members in rising order, -1: in falling order
    int low, rounds; // from round `low` on
    int stage;
    int phase;       // loops and straight code of earlier phases come before
    ARRAY(int) body; // its series
} TapeLoop;

typedef struct {
    const TapeFunction *f;
    const Value *value; // per instruction
    const int *leader;  // per instruction: the first of its group of angles, or itself
    int end;            // instructions that are looked at
    ARRAY(Series) series;
    ARRAY(int) member;
    int *series_of, *place; // per instruction: series or -1, and number in it
    bool *swapped;          // per instruction: a and b stand the other way round than in its series
    ARRAY(TapeLoop) loop;
    int *phase; // per instruction outside of loops: loops of earlier phases come before it
    int phases; // the last one
} Roll;

// Where an operand of a series is found.
typedef enum {
    FROM_REGISTER, // a register per round
    FROM_ROUND,    // a value of the same round, or of `distance` rounds before
    FROM_SERIES,   // member per round of a series that is computed before
    FROM_OUTSIDE   // one value, computed before
} SourceKind;

typedef struct {
    SourceKind kind;
    int series, distance;
    int shift; // FROM_SERIES: in round t member shift + sign*t
    Ref ref;   // FROM_OUTSIDE
} Source;

// Looks at instructions before `end`, with the first `split` results.
// Needs: groups of angles, homes. The leaders may go afterwards.
void roll_open(Roll *r, const Program *p, const TapeFunction *f, const Value *value, int end,
               const Ref *result, int split, const int *leader);
void roll_close(Roll *r);

int roll_loop_of(const Roll *r, int instruction); // that computes it, or NO_LOOP
int roll_member(const Roll *r, int series, int round);
int roll_row(const Roll *r, const Series *s, int member);      // round of a loop, or its number
Ref roll_ref(const Roll *r, int series, int which, int round); // what its member reads there
Source roll_source(const Roll *r, int series, int which);

// --- inside: native_series.c, native_loops.c
bool roll_stays(const Roll *r, int instruction); // computed in a group, or read by other functions
int roll_round_of(const Roll *r, int instruction); // of a series with a loop
void roll_find_series(Roll *r, const Program *p, const Ref *result, int split);
void roll_find_loops(Roll *r);
void roll_give_up(Roll *r, TapeLoop *loop);

#endif
