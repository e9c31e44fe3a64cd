// Euler's method by hand, in C++: the rates of a model point by point.
#include <bondyn.h>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

int main() {
    const char *text = "model Swing\n"
                       "  I mass(2 {kg})\n"
                       "  C spring(0.02 {m/N}, q0 = 0.1 {m})\n"
                       "  1 v\n"
                       "  v -> mass, spring\n"
                       "end\n";
    std::unique_ptr<BdReport, decltype(&bd_report_free)> report(bd_report_new(), bd_report_free);
    std::unique_ptr<BdModel, decltype(&bd_model_free)> model(
        bd_load_text("swing.bond", text, std::strlen(text), nullptr, report.get()), bd_model_free);
    if (!model) return std::fputs(bd_report_text(report.get()), stderr), 1;
    std::unique_ptr<BdRun, decltype(&bd_run_free)> run(bd_open(model.get(), nullptr, report.get()), bd_run_free);
    if (!run) return std::fputs(bd_report_text(report.get()), stderr), 1;
    std::vector<double> x(bd_count(model.get(), BD_STATE)), rate(x.size());
    bd_get_states(run.get(), x.data());
    const double step = 1e-5;
    for (int k = 0; k < 100000; k++) {
        bd_set_point(run.get(), k * step, x.data());
        if (!bd_rates(run.get(), rate.data())) return 1;
        for (std::size_t i = 0; i < x.size(); i++) x[i] += step * rate[i];
    }
    std::printf("spring.q = %.4f m after 1 s\n", x[bd_find(model.get(), BD_STATE, "spring.q")]);
    return 0;
}
