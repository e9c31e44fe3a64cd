// Modes of a linear model in a page: their list, and the mechanism that swings in the one that is chosen.
//
// Of each mode the page has the poses of PHASES equal phases of a swing; between them the browser takes the trigonometric
// polynomial through them (web/src/modes.ts).
#ifndef BONDYN_PAGE_MODES_H
#define BONDYN_PAGE_MODES_H

#include "analysis/experiment.h"
#include "page/scene.h"

enum { MODE_PHASES = 8 };

typedef struct {
    Arena arena;
    Scene scene;
    Watch watch;
    int *first; // per mode: the row of its first phase; 0: it moves no body
    double **
        value; // per expression that is watched: row 0 is the point itself, then the phases of each mode
    Run shown; // these rows
} PageModes;

// Needs: findings with poles. No bodies, or no poses: shown.results.row_count is 0.
PageModes page_modes(const Model *m, const LinearPlan *plan, const Findings *f);
void page_modes_free(PageModes *p);
void modes_html(Text *out, const PageModes *p, const Poles *poles, const Meshes *meshes);

#endif
