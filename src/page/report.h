// A run as one page for the browser: self-contained, to be sent to somebody who has no Bondyn.
#ifndef BONDYN_PAGE_REPORT_H
#define BONDYN_PAGE_REPORT_H

#include "optimise/optimise.h"
#include "page/modes.h"
#include "page/power.h"
#include "sensitivity/tornado.h"

// What the run of a page has to watch.
typedef struct {
    Scene scene;
    int first_param; // parameters in the watch list
    Watch watch;
} ReportPlan;

typedef struct {
    const System *system;
    const Experiment *experiment; // Nullable
    const Run *run;               // made with report_options; of an analysis its verdicts
    const ReportPlan *plan;
    const PagePower *power;
    const Found *found;                 // of a search that came before the run; Nullable
    const Sensitivities *sensitivities; // Nullable
    const Findings *findings;           // of an analysis: in place of plan and power
    const PageModes *modes;             // of poles
    const Meshes *meshes;               // of its shapes; Nullable
    const char *source;                 // text of the model's file; Nullable
    const char
        *number; // a script beside the page that says which one it is; NULL: it stays as it is
} ReportPage;

ReportPlan report_plan(Arena *out, const Model *m);
void report_options(const ReportPlan *plan, RunOptions *o);
void report_plan_free(ReportPlan *plan);
void report_html(Text *out, const ReportPage *page);

#endif
