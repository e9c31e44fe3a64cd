// What a run leaves behind: columns of numbers with names and units, files, plots, an energy audit,
// and the verdict on the model's expectations.
#ifndef BONDYN_RESULTS_RESULTS_H
#define BONDYN_RESULTS_RESULTS_H

#include "results/audit.h"
#include "results/columns.h"
#include "results/plot.h"
#include "results/run.h"

#endif
