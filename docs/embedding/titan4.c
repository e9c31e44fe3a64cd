/* The hydraulic manipulator of examples/titan4 from C: load, run with another supply pressure, look at a result. */
#include <bondyn.h>
#include <stdio.h>
#include <stdlib.h>

static bool show(void *context, double fraction) {
    (void)context;
    fprintf(stderr, "\r%3.0f %%", 100 * fraction);
    return true; /* go on */
}

int main(int count, char **word) {
    if (count < 2) return fprintf(stderr, "usage: %s titan4.bond [SECONDS]\n", word[0]), 2;
    BdReport *report = bd_report_new();
    BdModel *model = bd_load(word[1], NULL, report);
    BdRunOptions options = bd_default_run_options();
    BdSetting pressure = {"P_s", 187e5}; /* Pa */
    options.set = &pressure;
    options.set_count = model && bd_find(model, BD_PARAMETER, "P_s") >= 0;
    options.stop = count > 2 ? atof(word[2]) : 5;
    options.progress = show;
    BdRun *run = model ? bd_run(model, &options, report) : NULL;
    if (run) {
        BdSummary s = bd_summary(run);
        printf("%d states, %s, %ld steps, energy %s\n", bd_count(model, BD_STATE), s.solver, s.steps,
               s.balanced ? "balanced" : "NOT BALANCED");
        printf("q[1] = %.6f rad at %g s\n", bd_final(run, "q[1]"), s.reached);
    }
    if (!run) fputs(bd_report_text(report), stderr);
    int code = run && bd_status(run) == BD_DONE ? 0 : 1;
    bd_run_free(run);
    bd_model_free(model);
    bd_report_free(report);
    return code;
}
