// A run as one page for the browser: self-contained, to be sent to somebody who has no Bondyn.
#ifndef BONDYN_PAGE_REPORT_H
#define BONDYN_PAGE_REPORT_H

#include "page/scene.h"

typedef struct {
    const System *system;
    const Run *run;       // made with the watch list of report_plan
    const Scene *scene;   // from report_plan
    const Meshes *meshes; // of its shapes; Nullable
    const char *source;   // text of the model's file; Nullable
    int first_param;      // parameters in the watch list
    const char
        *number; // a script beside the page that says which one it is; NULL: it stays as it is
} ReportPage;

// What the run has to watch: the scene, then the values of the parameters.
Scene report_plan(Arena *out, const Model *m, Watch *watch, int *first_param);
void report_html(Text *out, const ReportPage *page);

#endif
