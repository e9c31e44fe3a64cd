// Which row (equation) contains which column (unknown): the structure that matching and ordering
// work on, without a word about what rows and columns mean.
//
//          x1 x2 x3                    matching          order
//     f1 [ *  *  *  ]     f2 - x2, f3 - x1, f1 - x3      f2, f3, f1
//     f2 [    *     ]
//     f3 [ *  *     ]
#ifndef BONDYN_EQUATIONS_INCIDENCE_H
#define BONDYN_EQUATIONS_INCIDENCE_H

#include <stdbool.h>

typedef struct {
    int row_count, col_count;
    int *start; // row_count + 1: the columns of row r are col[start[r]] .. col[start[r + 1] - 1]
    int *col;
} Incidence;

void incidence_free(Incidence *a);

// A largest matching: col_of_row[r] and row_of_col[c] get partners or -1. Gives its size.
// Rows and columns with one choice go first (Karp-Sipser), the rest by shortest augmenting paths
// (Hopcroft-Karp): O(entries*sqrt(rows)), linear where the structure has no loops.
int incidence_match(const Incidence *a, int *col_of_row, int *row_of_col);

// A largest matching that prefers earlier rows: row r is matched exactly if it can be matched
// together with the matched rows before it.
void incidence_match_in_order(const Incidence *a, int *col_of_row, int *row_of_col);

// Strong components of the rows, where a row needs the rows that are matched with its other
// columns (Tarjan). order[] lists the rows, needed ones first; component k is order[first[k]] ..
// order[first[k + 1] - 1]. first[] has room for row_count + 1. Gives the number of components.
int incidence_components(const Incidence *a, const int *row_of_col, int *order, int *first);

// The rows that compete with an unmatched row for too few columns: alternating paths from `row`.
// rows[] and cols[] get room for row_count and col_count; one row more than columns is found.
void incidence_surplus(const Incidence *a, const int *row_of_col, int row, int *rows, int *n_rows,
                       int *cols, int *n_cols);
// The columns that an unmatched column shares too few rows with.
void incidence_shortage(const Incidence *a, const int *col_of_row, int col, int *rows, int *n_rows,
                        int *cols, int *n_cols);

#endif
