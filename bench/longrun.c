// Long runs: time and memory of `bondyn run` against the number of steps, every step a row on the
// disk and a point of two plots. The memory does not grow.
#include "apart.h"
#include "bench.h"

#include <fcntl.h>

static const char model[] = "model Swing\n"
                            "  I mass(1 {kg})\n"
                            "  C spring(0.25, q0 = 0.1 {m})\n"
                            "  1 v\n"
                            "  v -> mass, spring\n"
                            "end\n"
                            "experiment Long of Swing\n"
                            "  stop 1 {s}\n"
                            "  every 1e-3 {s}\n"
                            "  solver rk4 step 1e-3 {s}\n"
                            "  record mass.p, spring.q\n"
                            "  plot mass.p, spring.q\n"
                            "  plot mass.p vs spring.q\n"
                            "end\n";

typedef struct {
    const char *folder;
    const char *form; // "--csv" or "--h5"
    double steps;
} Sample;

typedef struct {
    double seconds, bytes;
} Measured;

static void run_once(const void *sample, void *result) {
    const Sample *s = sample;
    char file[200], stop[40];
    snprintf(file, sizeof file, "%s/long.bond", s->folder);
    snprintf(stop, sizeof stop, "%.0f", s->steps * 1e-3);
    double start = now_seconds();
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        execl(BONDYN_PROGRAM, "bondyn", "run", file, "--engine", "vm", "--stop", stop, s->form,
              "--out", s->folder, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    if (status) _exit(1);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    *(Measured *)result = (Measured){now_seconds() - start, 1024.0 * (double)used.ru_maxrss};
}

static bool write_model(const char *folder) {
    char file[200];
    snprintf(file, sizeof file, "%s/long.bond", folder);
    FILE *f = fopen(file, "w");
    return f && fputs(model, f) >= 0 && fclose(f) == 0;
}

// More than 10^7 steps, when somebody asks: bench_longrun 1e8
int main(int count, char **words) {
    double most = count > 1 ? atof(words[1]) : 1e7;
    char folder[] = "/tmp/bondyn_long_XXXXXX", command[100];
    if (!mkdtemp(folder) || !write_model(folder)) return 1;
    printf("long runs, every step recorded and drawn\n%10s %6s %10s %10s %8s\n", "steps", "file",
           "seconds", "us/step", "MB");
    for (double steps = 1e4; steps <= most; steps *= 10)
        for (int form = 0; form < 2; form++) {
            Sample s = {folder, form ? "--h5" : "--csv", steps};
            Measured m;
            if (!measure_apart(run_once, &s, &m, sizeof m))
                return fprintf(stderr, "long run failed\n"), 1;
            printf("%10.0f %6s %10.3f %10.3f %8.1f\n", steps, s.form + 2, m.seconds,
                   1e6 * m.seconds / steps, m.bytes / 1e6);
            fflush(stdout);
        }
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) != 0;
}
