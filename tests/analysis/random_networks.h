// Networks that are drawn: junctions joined by bonds, transformers and gyrators, with storages, losses and sources on them, some
// resistances negative. Every bond has an effort and a flow, and what junctions and elements say of them is one linear
// system at a complex s: transfer functions and the characteristic polynomial (its determinant), without states.
#ifndef BONDYN_TESTS_RANDOM_NETWORKS_H
#define BONDYN_TESTS_RANDOM_NETWORKS_H

#include "analysis/dense.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { JUNCTIONS = 7, BONDS = 48, UNKNOWNS = 2 * BONDS };

typedef struct {
    char kind; // I, C, R, or e and f: a source of effort or flow
    double value;
    int bond;
} Part;

typedef struct {
    unsigned seed;
    int junctions, bonds, parts, inputs, pairs;
    char junction[JUNCTIONS];                 // 0 or 1
    int at[BONDS], sign[BONDS], other[BONDS]; // junctions of a bond; other: -1, or where it ends
    Part part[BONDS];
    int input[2]; // parts
    struct {
        bool gyrator;
        double m;
        int first, second;
    } pair[2 * JUNCTIONS];
    Text text;
} Network;

static double draw(Network *w) {
    w->seed = w->seed * 1664525u + 1013904223u;
    return (w->seed >> 8) / 16777216.0;
}

static int pick(Network *w, int count) { return (int)(draw(w) * (count - 1e-9)); }
static double size_of(Network *w) { return exp(4.6 * (draw(w) - 0.5)); }

// sign: the flow goes into the junction
static int bond_at(Network *w, int junction, int sign, int other) {
    w->at[w->bonds] = junction;
    w->sign[w->bonds] = sign;
    w->other[w->bonds] = other;
    return w->bonds++;
}

static void join(Network *w, int a, int b) {
    bool same = w->junction[a] == w->junction[b];
    int kind =
        pick(w, same ? 3 : 4); // two junctions of a kind are hardly ever joined by a mere bond
    if (kind >= 2) {
        bond_at(w, a, -1, b);
        text_printf(&w->text, "  j%d -> j%d\n", a, b);
        return;
    }
    double m = size_of(w) * (pick(w, 4) ? 1 : -1);
    int k = w->pairs++;
    w->pair[k].gyrator = kind == 1;
    w->pair[k].m = m;
    w->pair[k].first = bond_at(w, a, -1, -1);
    w->pair[k].second = bond_at(w, b, 1, -1);
    text_printf(&w->text, "  %s t%d(%.17g)\n  j%d -> t%d -> j%d\n", kind == 1 ? "GY" : "TF", k, m,
                a, k, b);
}

static void hang(Network *w, int junction) {
    static const char kinds[] = "ICRICRef";
    int k = w->parts++;
    Part *p = &w->part[k];
    p->kind = kinds[pick(w, w->inputs < 2 ? 8 : 6)];
    p->value = size_of(w) * (p->kind == 'R' && !pick(w, 10) ? -1 : 1);
    bool source = p->kind == 'e' || p->kind == 'f';
    p->bond = bond_at(w, junction, source ? 1 : -1, -1);
    if (source) {
        text_printf(&w->text, "  input u%d = 0\n  MS%c p%d = u%d\n  p%d -> j%d\n", w->inputs,
                    p->kind, k, w->inputs, k, junction);
        w->input[w->inputs++] = k;
    } else {
        text_printf(&w->text, "  %c p%d(%.17g)\n  j%d -> p%d\n", p->kind, k, p->value, junction, k);
    }
}

static void network_draw(Network *w, unsigned seed) {
    *w = (Network){.seed = seed * 2654435761u + 12345};
    for (int k = 0; k < 5; k++) draw(w);
    text_add(&w->text, "model M\n");
    w->junctions = 1 + pick(w, JUNCTIONS);
    for (int i = 0; i < w->junctions; i++) {
        w->junction[i] = (char)('0' + pick(w, 2));
        text_printf(&w->text, "  %c j%d\n", w->junction[i], i);
    }
    for (int i = 1; i < w->junctions; i++) join(w, pick(w, i), i);
    if (w->junctions > 2 && !pick(w, 3)) join(w, w->junctions - 1, pick(w, w->junctions - 1));
    for (int i = 0; i < w->junctions; i++)
        for (int k = 1 + pick(w, 3); k > 0; k--) hang(w, i);
    text_add(&w->text, "end\n");
}

// --- its equations at s -----------------------------------------------------------------------------

typedef struct {
    int n, rows;
    Complex M[UNKNOWNS][UNKNOWNS + 1]; // efforts, flows, right side
    int row_of[BONDS];                 // of a source
} Equations;

static void enter(Equations *q, int row, int column, Complex value) { q->M[row][column] += value; }

static void junction_rows(const Network *w, Equations *q, int j) {
    int first = -1, sum = q->rows++;
    int same = w->junction[j] == '0' ? 0 : w->bonds, add = w->bonds - same;
    for (int b = 0; b < w->bonds; b++) {
        if (w->at[b] != j && w->other[b] != j) continue;
        enter(q, sum, add + b, w->at[b] == j ? w->sign[b] : -w->sign[b]);
        if (first >= 0) {
            enter(q, q->rows, same + first, 1);
            enter(q, q->rows++, same + b, -1);
        }
        first = b;
    }
}

static void network_equations(const Network *w, Complex s, Equations *q) {
    memset(q, 0, sizeof *q);
    q->n = 2 * w->bonds;
    for (int j = 0; j < w->junctions; j++) junction_rows(w, q, j);
    for (int k = 0; k < w->pairs; k++) {
        int a = w->pair[k].first, b = w->pair[k].second, row = q->rows;
        bool gy = w->pair[k].gyrator;
        enter(q, row, a, 1); // e1 = m e2, f2 = m f1; or e1 = m f2, e2 = m f1
        enter(q, row, gy ? w->bonds + b : b, -w->pair[k].m);
        enter(q, row + 1, gy ? b : w->bonds + b, 1);
        enter(q, row + 1, w->bonds + a, -w->pair[k].m);
        q->rows += 2;
    }
    for (int k = 0; k < w->parts; k++) {
        const Part *p = &w->part[k];
        int e = p->bond, f = w->bonds + p->bond, row = q->rows++;
        q->row_of[p->bond] = row;
        enter(q, row, p->kind == 'f' || p->kind == 'C' ? f : e, 1);
        if (p->kind == 'I') enter(q, row, f, -s * p->value);
        if (p->kind == 'C') enter(q, row, e, -s * p->value);
        if (p->kind == 'R') enter(q, row, f, -p->value);
    }
}

// Gauss: the determinant, and the solution in the right side. 0: singular.
static Complex equations_solve(Equations *q) {
    Complex det = 1;
    for (int k = 0; k < q->n; k++) {
        int best = k;
        for (int i = k + 1; i < q->n; i++)
            if (cabs(q->M[i][k]) > cabs(q->M[best][k])) best = i;
        if (cabs(q->M[best][k]) < 1e-12) return 0;
        for (int j = 0; j <= q->n && best != k; j++) {
            Complex kept = q->M[k][j];
            q->M[k][j] = q->M[best][j];
            q->M[best][j] = kept;
        }
        det *= best == k ? q->M[k][k] : -q->M[k][k];
        for (int i = 0; i < q->n; i++) {
            Complex by = i == k ? 0 : q->M[i][k] / q->M[k][k];
            for (int j = k; j <= q->n && by != 0; j++) q->M[i][j] -= by * q->M[k][j];
        }
    }
    for (int k = 0; k < q->n; k++) q->M[k][q->n] /= q->M[k][k];
    return det;
}

// What input u does to an effort or flow of a part, and the determinant.
static Complex network_response(const Network *w, Complex s, int u, int part, bool flow,
                                Complex *det) {
    static Equations q;
    network_equations(w, s, &q);
    if (q.rows != q.n) return *det = 0;
    if (w->inputs) q.M[q.row_of[w->part[w->input[u]].bond]][q.n] = 1;
    *det = equations_solve(&q);
    return q.M[w->part[part].bond + (flow ? w->bonds : 0)][q.n];
}

#endif
