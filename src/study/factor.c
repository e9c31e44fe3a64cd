#include "study/factor.h"

#include "base/array.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 1000000 };

typedef struct {
    Arena *out;
    const Model *m;
    const char *text, *at;
    Report *r;
} Reader;

static const struct {
    const char *word;
    FactorKind kind;
    int numbers;
} distributions[] = {{"uniform", FACTOR_UNIFORM, 2},
                     {"normal", FACTOR_NORMAL, 2},
                     {"lognormal", FACTOR_LOGNORMAL, 2},
                     {"triangular", FACTOR_TRIANGULAR, 3}};

// --- words and numbers ---------------------------------------------------------------------------

static bool bad_factor(Reader *r, const char *why) {
    Remark *m = report_error(r->r, V_BAD_FACTOR, POS_NONE, "'%s': %s", r->text, why);
    remark_help(r->r, m,
                "write \"k = 10 .. 100 in 10 {N/m}\", \"k = 10, 20, 50 {N/m}\" or \"k = "
                "normal(50, 5) {N/m}\"");
    return false;
}

static void skip_blanks(Reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

static bool take(Reader *r, const char *word) {
    skip_blanks(r);
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

static bool read_number(Reader *r, double *x) {
    skip_blanks(r);
    char copy[64]; // "1 .. 3": the number ends before two points
    size_t n = 0;
    while (n + 1 < sizeof copy && r->at[n] &&
           (isdigit((unsigned char)r->at[n]) || strchr("+-eE", r->at[n]) ||
            (r->at[n] == '.' && r->at[n + 1] != '.')))
        n++;
    memcpy(copy, r->at, n);
    copy[n] = 0;
    char *end;
    *x = strtod(copy, &end);
    if (end == copy || !isfinite(*x)) return bad_factor(r, "a number is missing");
    r->at += end - copy;
    return true;
}

// --- the parts -----------------------------------------------------------------------------------

static bool find_parameter(Reader *r, Factor *f) {
    const char *end = strchr(r->at, '=');
    if (!end) return bad_factor(r, "there is no '='");
    size_t n = (size_t)(end - r->at);
    while (n > 0 && isspace((unsigned char)r->at[n - 1])) n--;
    f->name = arena_copy_text(r->out, r->at, n);
    r->at = end + 1;
    f->var = model_find(r->m, f->name);
    if (f->var < 0 || r->m->var[f->var].kind != VAR_PARAM) {
        Remark *m = report_error(r->r, V_NO_PARAMETER, POS_NONE, "the model has no parameter '%s'",
                                 f->name);
        remark_help(r->r, m, "`bondyn signals FILE` lists the parameters with their paths");
        return false;
    }
    const Var *v = &r->m->var[f->var];
    if (!v->structural && v->value && expr_is_number(r->m->dag, v->value, NULL)) return true;
    Remark *m = report_error(r->r, V_FIXED_PARAMETER, v->pos, "the parameter '%s' %s", f->name,
                             v->structural ? "decides the structure of the model"
                                           : "is computed from other parameters");
    remark_help(r->r, m,
                v->structural ? "run the model with --set, once for each value"
                              : "vary those that it is computed from");
    return false;
}

static bool read_range(Reader *r, double first, Factor *f) {
    double last, count;
    if (!read_number(r, &last)) return false;
    if (!take(r, "in")) return bad_factor(r, "behind the range stands how many values: in 10");
    if (!read_number(r, &count)) return false;
    if (count < 2 || count > MOST_LEVELS || count != floor(count))
        return bad_factor(r, "a range has 2 values or more, and at most a million");
    bool log = take(r, "log");
    if (log && !(first * last > 0))
        return bad_factor(r, "a range in equal ratios neither holds 0 nor goes through it");
    f->level_count = (int)count;
    f->level = ARENA_ARRAY(r->out, double, f->level_count);
    for (int i = 0; i < f->level_count; i++)
        f->level[i] = log ? first * pow(last / first, (double)i / (f->level_count - 1))
                          : first + (last - first) * i / (f->level_count - 1);
    if (log) f->level[f->level_count - 1] = last;
    return true;
}

static bool read_levels(Reader *r, Factor *f) {
    ARRAY(double) level = {0};
    double x;
    bool good = read_number(r, &x);
    if (good && take(r, "..")) return read_range(r, x, f);
    if (good) array_push(&level, x);
    while (good && take(r, ",")) {
        good = read_number(r, &x);
        if (good) array_push(&level, x);
    }
    f->level_count = level.count;
    f->level = ARENA_ARRAY(r->out, double, level.count);
    if (level.count) memcpy(f->level, level.data, (size_t)level.count * sizeof *level.data);
    array_free(&level);
    return good;
}

static bool check_distribution(Reader *r, const Factor *f) {
    switch (f->kind) {
    case FACTOR_UNIFORM: return f->a < f->b || bad_factor(r, "the first number is the smaller one");
    case FACTOR_NORMAL: return f->b > 0 || bad_factor(r, "the deviation must be positive");
    case FACTOR_LOGNORMAL:
        return (f->a > 0 && f->b > 0) || bad_factor(r, "median and deviation must be positive");
    case FACTOR_TRIANGULAR:
        return (f->a <= f->b && f->b <= f->c && f->a < f->c) ||
               bad_factor(r, "the order is least, likeliest, most");
    case FACTOR_LEVELS: break;
    }
    return true;
}

static bool read_distribution(Reader *r, Factor *f, int which) {
    double x[3] = {0};
    f->kind = distributions[which].kind;
    if (!take(r, "(")) return bad_factor(r, "a '(' is missing behind the distribution");
    for (int i = 0; i < distributions[which].numbers; i++) {
        if (i && !take(r, ",")) return bad_factor(r, "the distribution needs more numbers");
        if (!read_number(r, &x[i])) return false;
    }
    if (!take(r, ")")) return bad_factor(r, "a ')' is missing behind the distribution");
    f->a = x[0];
    f->b = x[1];
    f->c = x[2];
    return check_distribution(r, f);
}

static bool read_unit(Reader *r, Factor *f) {
    const Var *v = &r->m->var[f->var];
    f->unit = "";
    f->scale = 1;
    skip_blanks(r);
    if (*r->at == 0) return true; // as `--set "k = 2"`: plain numbers are SI
    const char *close = strchr(r->at, '}');
    if (*r->at != '{' || !close || close[1 + strspn(close + 1, " ")])
        return bad_factor(r, "something stands behind the values that is no unit");
    Unit unit;
    const char *bad;
    size_t n;
    if (!unit_parse(r->at + 1, (size_t)(close - r->at - 1), &unit, &bad, &n))
        return bad_factor(r, "the unit is unknown");
    if (!dim_fits(unit.dim, v->dim)) return bad_factor(r, "the unit does not fit the parameter");
    f->unit = arena_copy_text(r->out, r->at + 1, (size_t)(close - r->at - 1));
    f->scale = unit.scale;
    f->offset = unit.offset;
    return true;
}

static bool read_values(Reader *r, Factor *f) {
    for (size_t i = 0; i < sizeof distributions / sizeof distributions[0]; i++)
        if (take(r, distributions[i].word))
            return read_distribution(r, f, (int)i) && read_unit(r, f);
    return read_levels(r, f) && read_unit(r, f);
}

bool factor_read(Arena *out, const Model *m, const char *text, Factor *f, Report *report) {
    Reader r = {out, m, text, text, report};
    *f = (Factor){.kind = FACTOR_LEVELS};
    skip_blanks(&r);
    return find_parameter(&r, f) && read_values(&r, f);
}

const char *factor_release(Arena *out, const Model *m, const char *text) {
    Report unheard = {0};
    Reader r = {out, m, text, text, &unheard};
    Factor f = {.kind = FACTOR_LEVELS};
    const char *set = NULL;
    skip_blanks(&r);
    bool plain = find_parameter(&r, &f);
    const Var *v = !plain && f.name && f.var >= 0 ? &m->var[f.var] : NULL;
    bool computed = v && v->kind == VAR_PARAM && !v->structural && v->value;
    bool entry = computed && f.name[strlen(f.name) - 1] == ']'; // of a vector, set as a whole
    if (computed && !entry && read_values(&r, &f)) {
        Unit own = {.scale = 1};
        const char *unit = name_text(m->names, v->unit), *bad;
        size_t n;
        if (*unit && !unit_parse(unit, strlen(unit), &own, &bad, &n)) own = (Unit){.scale = 1};
        double value = (factor_si(&f, factor_quantile(&f, 0.5)) - own.offset) / own.scale;
        set = *unit ? arena_printf(out, "%s = %.17g {%s}", f.name, value, unit)
                    : arena_printf(out, "%s = %.17g", f.name, value);
    }
    report_free(&unheard);
    return set;
}

// --- quantiles -----------------------------------------------------------------------------------

double factor_si(const Factor *f, double written) { return written * f->scale + f->offset; }

static double normal_below(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }

// The x with normal_below(x) = u: a rational start (error below 5e-4, Hastings), then Newton.
double normal_quantile(double u) {
    double tail = u < 0.5 ? u : 1 - u, t = sqrt(-2 * log(tail));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    x = -x; // the lower tail, where erfc is exact
    for (int i = 0; i < 4; i++) {
        double density = exp(-x * x / 2) * 0.39894228040143267794;
        if (density > 0) x -= (normal_below(x) - tail) / density;
    }
    return u < 0.5 ? x : -x;
}

// P(|T| < t) for n degrees of freedom, a finite sum in the angle a = atan(t/sqrt(n)):
//     odd    2/pi (a + sin a (cos a + 2/3 cos^3 a + 2*4/(3*5) cos^5 a + ... to cos^(n-2)))
//     even   sin a (1 + 1/2 cos^2 a + 1*3/(2*4) cos^4 a + ... to cos^(n-2))
static double student_within(double t, int n) {
    double a = atan(t / sqrt(n)), c = cos(a), term = n % 2 ? c : 1, sum = 0;
    for (int k = n % 2 ? 1 : 0; k <= n - 2; k += 2) {
        sum += term;
        term *= c * c * (k + 1) / (k + 2);
    }
    return n % 2 ? 2 / acos(-1) * (a + sin(a) * sum) : sin(a) * sum;
}

double student_half_width(double part, int freedom) {
    double z = normal_quantile((1 + part) / 2), low = 0, high = 1e6;
    if (freedom > 500) // the first terms in 1/n: an error below 3e-8
        return z + (z * z * z + z) / (4.0 * freedom) +
               (5 * pow(z, 5) + 16 * z * z * z + 3 * z) / (96.0 * freedom * freedom);
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        *(student_within(middle, freedom) < part ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

double factor_quantile(const Factor *f, double u) {
    double a = f->a, b = f->b, c = f->c;
    switch (f->kind) {
    case FACTOR_LEVELS: return f->level[(int)fmin(floor(u * f->level_count), f->level_count - 1)];
    case FACTOR_UNIFORM: return a + (b - a) * u;
    case FACTOR_NORMAL: return a + b * normal_quantile(u);
    case FACTOR_LOGNORMAL: return a * exp(b * normal_quantile(u));
    case FACTOR_TRIANGULAR:
        return u * (c - a) < b - a ? a + sqrt(u * (c - a) * (b - a))
                                   : c - sqrt((1 - u) * (c - a) * (c - b));
    }
    return NAN;
}
