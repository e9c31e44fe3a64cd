// How an operation of the tape is written in native C, for one run or for a run per SIMD lane.
//
//     one run    const double t3 = r[12] * 0.5;
//     lanes      const BondynLanes t3 = r[12] * each(0.5);    the same for 2, 4 or 8 runs at once
//
// What vectors have no operation for goes lane by lane through the text for one run, and every
// operation rounds for itself: a lane gives the bits that its run would give alone.
#ifndef BONDYN_ENGINE_NATIVE_FORMS_H
#define BONDYN_ENGINE_NATIVE_FORMS_H

#include "engine/program.h"

// A form such as "A + B" or "T - A * B": letters are the operands. NULL: a function, by its name;
// over lanes bondyn_lanes_ before that.
const char *native_form(TapeOp op, bool lanes);
const char *native_relation(bool or_equal, bool lanes); // of a switch: A below zero
void native_vectors(Text *out, int lanes);              // BondynLanes, its trigonometry
void native_lane_helpers(Text *out);                    // what the forms for lanes call
void native_lane_tables(Text *out);                     // behind the tables
// Steps of integrators over one run or over lanes. Needs, for one run: rates without blocks.
void native_steps(Text *out, const Program *p, bool lanes);

#endif
