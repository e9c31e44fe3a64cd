// Symmetric matrices of expressions that are positive definite: A = L D L' needs no pivots, so one
// sequence of operations serves every position.
//
//      D_j  = A_jj - sum L_jc^2 D_c              L_ij = (A_ij - sum L_ic D_c L_jc)/D_j
//
// Entries that are zero fold away, so blocks that share nothing cost what they cost apart.
#include "mech/factors.h"

#include "spatial/spatial.h"

void factors_find(Dag *d, int n, Expr *A) {
    for (int j = 0; j < n; j++) {
        for (int c = 0; c < j; c++) {
            Expr l = A[j * n + c];
            if (expr_is_zero(d, l)) continue;
            A[j * n + j] = expr_sub(d, A[j * n + j], expr_mul(d, expr_mul(d, l, l), A[c * n + c]));
        }
        for (int i = j + 1; i < n; i++) {
            Expr sum = A[i * n + j];
            for (int c = 0; c < j; c++) {
                if (expr_is_zero(d, A[i * n + c]) || expr_is_zero(d, A[j * n + c])) continue;
                sum = expr_sub(d, sum,
                               expr_mul(d, A[i * n + c], expr_mul(d, A[c * n + c], A[j * n + c])));
            }
            A[i * n + j] = expr_div(d, sum, A[j * n + j]);
        }
    }
}

void factors_solve(Dag *d, int n, const Expr *A, Expr *x) {
    for (int i = 0; i < n; i++)
        for (int c = 0; c < i; c++) x[i] = expr_sub(d, x[i], expr_mul(d, A[i * n + c], x[c]));
    for (int i = 0; i < n; i++) x[i] = expr_div(d, x[i], A[i * n + i]);
    for (int i = n - 1; i >= 0; i--)
        for (int c = i + 1; c < n; c++) x[i] = expr_sub(d, x[i], expr_mul(d, A[c * n + i], x[c]));
}

// --- order ---------------------------------------------------------------------------------------

// Entries of L below the diagonal when blocks are eliminated in an order; link, m*m, is used up.
static long fill_of_order(int m, bool *link, const int *size, const int *order) {
    long fill = 0;
    bool *done = link + (size_t)m * (size_t)m;
    for (int i = 0; i < m; i++) done[i] = false;
    for (int k = 0; k < m; k++) {
        int b = order[k];
        done[b] = true;
        for (int i = 0; i < m; i++) {
            if (done[i] || !link[b * m + i]) continue;
            fill += (long)size[b] * size[i];
            for (int j = 0; j < m; j++)
                if (!done[j] && link[b * m + j]) link[i * m + j] = true;
        }
    }
    return fill;
}

// The block with the fewest rows beside it goes first, and links those to each other.
static void least_degree(int m, bool *link, const int *size, int *order) {
    bool *done = link + (size_t)m * (size_t)m;
    for (int i = 0; i < m; i++) done[i] = false;
    for (int k = 0; k < m; k++) {
        int best = -1, least = 0;
        for (int b = 0; b < m; b++) {
            int degree = 0;
            for (int i = 0; !done[b] && i < m; i++)
                if (i != b && !done[i] && link[b * m + i]) degree += size[i];
            if (!done[b] && (best < 0 || degree < least)) best = b, least = degree;
        }
        order[k] = best;
        done[best] = true;
        for (int i = 0; i < m; i++)
            for (int j = 0; !done[i] && link[best * m + i] && j < m; j++)
                if (!done[j] && link[best * m + j]) link[i * m + j] = true;
    }
}

static bool *links_of(Arena *scratch, int n, const bool *full, const int *block, int m) {
    bool *link = ARENA_ARRAY(scratch, bool, ((size_t)m + 1) * (size_t)m);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) link[block[i] * m + block[j]] |= full[i * n + j];
    return link;
}

bool factors_order(Arena *scratch, int n, const bool *full, const int *block, int *order) {
    int m = block[n - 1] + 1, at = 0;
    int *size = ARENA_ARRAY(scratch, int, m), *given = ARENA_ARRAY(scratch, int, m);
    int *found = ARENA_ARRAY(scratch, int, m);
    for (int i = 0; i < n; i++) size[block[i]]++;
    for (int b = 0; b < m; b++) given[b] = b;
    least_degree(m, links_of(scratch, n, full, block, m), size, found);
    long now = fill_of_order(m, links_of(scratch, n, full, block, m), size, given);
    long then = fill_of_order(m, links_of(scratch, n, full, block, m), size, found);
    if (3 * then >= 2 * now) return false;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < n; i++)
            if (block[i] == found[k]) order[at++] = i;
    return true;
}
