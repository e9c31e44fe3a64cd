// Poses of frames, and what is seen at them.
//
//   (R, p) then (Q, q):   (R Q, p + R q)
#include "spatial/spatial.h"

#include <string.h>

void pose_identity(Dag *d, Pose *out) {
    m3_identity(d, out->R);
    v3_zero(d, out->p);
}

void pose_times(Dag *d, const Pose *a, const Pose *b, Pose *out) {
    Pose t;
    m3_apply(d, a->R, b->p, t.p);
    v3_add(d, a->p, t.p, t.p);
    m3_times(d, a->R, b->R, t.R);
    *out = t;
}

void pose_inverse_times(Dag *d, const Pose *a, const Pose *b, Pose *out) {
    Expr back[9], p[3];
    Pose t;
    m3_transpose(a->R, back);
    m3_times(d, back, b->R, t.R);
    v3_sub(d, b->p, a->p, p);
    m3_apply(d, back, p, t.p);
    *out = t;
}

// Rotations and offsets without the dust of rounding: cos(90 deg) is 0.
void pose_clean(Dag *d, Pose *p) {
    double value;
    for (int i = 0; i < 9; i++)
        if (expr_is_number(d, p->R[i], &value)) p->R[i] = expr_number(d, snap_unit(value));
    snap_numbers(d, p->p, 3, 0);
}

void twist_at(Dag *d, const Pose *frame, const Six *v, Six *out) {
    Six t;
    v3_cross(d, v->ang, frame->p, t.lin);
    v3_add(d, v->lin, t.lin, t.lin);
    m3_apply_transposed(d, frame->R, t.lin, t.lin);
    m3_apply_transposed(d, frame->R, v->ang, t.ang);
    *out = t;
}

void wrench_from(Dag *d, const Pose *frame, const Six *f, Six *out) {
    Six t;
    Expr moment[3];
    m3_apply(d, frame->R, f->lin, t.lin);
    m3_apply(d, frame->R, f->ang, t.ang);
    v3_cross(d, frame->p, t.lin, moment);
    v3_add(d, t.ang, moment, t.ang);
    *out = t;
}
