// B(q) from composite bodies, and B x = r by the sparse factors that the tree leaves.
//
//   Ic_i = I_i + sum over children X* Ic X          inertia of all that link i carries
//   B_ki = S_k' (X* ... X*) Ic_i S_i                for every link k on the way from i to the world
//
//        0 --- 1 --- 2          B_ij is zero where neither carries the other, and in B = L' D L,
//         \                     eliminated from the leaves, L has entries only where B has.
//          3 --- 4
#include "mech/dynamics.h"

// Row of B for one velocity of a link, up to the world.
static void fill_row(Dag *d, const Tree *t, int link, int row, Six f, Expr *B) {
    for (int i = link; i >= 0; i = t->link[i].parent) {
        const Link *l = &t->link[i];
        for (int k = 0; k < link_velocities(l->kind) && l->first + k <= row; k++)
            B[row * t->nv + l->first + k] = B[(l->first + k) * t->nv + row] = link_dot(d, l, k, &f);
        if (l->parent >= 0) link_wrench_up(d, l, &f, &f);
    }
}

void composite_matrix(Arena *scratch, Dag *d, const Tree *t, Expr *B) {
    Inertia *whole = ARENA_ARRAY(scratch, Inertia, t->count);
    for (int i = 0; i < t->count; i++) whole[i] = t->link[i].inertia;
    for (int i = 0; i < t->nv * t->nv; i++) B[i] = expr_zero(d);
    for (int i = t->count - 1; i >= 0; i--) {
        const Link *l = &t->link[i];
        for (int k = 0; k < link_velocities(l->kind); k++) {
            Six s = link_axis(d, l, k), f;
            inertia_times(d, &whole[i], &s, &f);
            fill_row(d, t, i, l->first + k, f, B);
        }
        if (l->parent < 0) continue;
        Inertia up = whole[i];
        link_inertia_up(d, l, &up);
        inertia_add(d, &up, &whole[l->parent]);
    }
}

// B = L' D L from the last velocity to the first; afterwards 1/D and L stand in B.
static void factor(Dag *d, const Tree *t, Expr *B) {
    int n = t->nv;
    for (int k = n - 1; k >= 0; k--) {
        Expr *row = B + k * n, inverse = expr_div(d, expr_number(d, 1), row[k]);
        for (int i = t->before[k]; i >= 0; i = t->before[i]) {
            Expr a = expr_mul(d, row[i], inverse);
            for (int j = i; j >= 0; j = t->before[j])
                B[i * n + j] = expr_sub(d, B[i * n + j], expr_mul(d, a, row[j]));
            row[i] = a;
        }
        row[k] = inverse;
    }
}

void composite_solve(Dag *d, const Tree *t, Expr *B, const Expr *rhs, Expr *x) {
    int n = t->nv;
    factor(d, t, B);
    for (int i = 0; i < n; i++) x[i] = rhs[i];
    for (int i = n - 1; i >= 0; i--)
        for (int j = t->before[i]; j >= 0; j = t->before[j])
            x[j] = expr_sub(d, x[j], expr_mul(d, B[i * n + j], x[i]));
    for (int i = 0; i < n; i++) {
        x[i] = expr_mul(d, x[i], B[i * n + i]);
        for (int j = t->before[i]; j >= 0; j = t->before[j])
            x[i] = expr_sub(d, x[i], expr_mul(d, B[i * n + j], x[j]));
    }
}
