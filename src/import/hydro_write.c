// Coefficients as text of the language: tables to be read and plotted, and models that are made of
// them.
//
//     const NAME_A_inf = [...]                       for `added_mass` of the body
//     table NAME_A33(w {rad/s}) {kg} linear ...   added mass and damping, what is not zero
//     table NAME_X3(w {rad/s}, beta {deg}) ...    wave force per metre: X with the elevation,
//                                                 Y a quarter of a period ahead
//     model NAME_restoring, NAME_radiation, NAME_waves, NAME_water (all of them)
#include "import/hydro_data.h"

#include <ctype.h>
#include <math.h>

typedef struct {
    Text *out;
    const Hydro *h;
    const char *name;
} Writer;

// A number with as many digits as the files have.
static void number(Text *out, double x) {
    text_printf(out, "%.10g", x == 0 ? 0 : x); // no -0
}

static void matrix(Writer *w, const char *what, const double *m, const char *remark) {
    text_printf(w->out, "const %s_%s = [", w->name, what);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            if (j)
                text_add(w->out, ", ");
            else if (i)
                text_add(w->out, ";\n    ");
            number(w->out, m[i * 6 + j]);
        }
    text_printf(w->out, "] // %s\n", remark);
}

static void vector(Text *out, const char *name, const double *x, int n, const char *unit) {
    text_printf(out, "%s = (", name);
    for (int i = 0; i < n; i++) {
        if (i) text_add(out, ", ");
        number(out, x[i]);
    }
    text_printf(out, ")%s", unit);
}

// --- tables --------------------------------------------------------------------------------------

static bool is_zero(const Hydro *h, int e) {
    for (int k = 0; k < h->point.count; k++)
        if (h->point.data[k].A[e] != 0 || h->point.data[k].B[e] != 0) return false;
    return true;
}

static void coefficient(Writer *w, char letter, int e) {
    static const char *const unit[2][3] = {{"kg", "kg.m", "kg.m2"}, {"N.s/m", "N.s", "N.m.s"}};
    int i = e / 6, j = e % 6;
    text_printf(w->out, "table %s_%c%d%d(w {rad/s}) {%s} linear\n", w->name, letter, i + 1, j + 1,
                unit[letter == 'B'][(i >= 3) + (j >= 3)]);
    for (int k = 0; k < w->h->point.count; k++) {
        const HydroPoint *p = &w->h->point.data[k];
        text_add(w->out, "  ");
        number(w->out, p->w);
        text_add(w->out, ", ");
        number(w->out, letter == 'A' ? p->A[e] : p->B[e]);
        text_char(w->out, '\n');
    }
    text_add(w->out, "end\n\n");
}

static void wave_table(Writer *w, char letter, int axis) {
    const Hydro *h = w->h;
    bool two = h->headings > 1;
    text_printf(w->out, "table %s_%c%d(w {rad/s}%s) linear\n", w->name, letter, axis + 1,
                two ? ", beta {deg}" : "");
    if (two) {
        text_add(w->out, "   ");
        for (int b = 0; b < h->headings; b++) {
            text_add(w->out, ", ");
            number(w->out, h->wave.data[b].beta);
        }
        text_char(w->out, '\n');
    }
    for (int k = 0; k < h->waves; k++) {
        const HydroWave *row = &h->wave.data[k * h->headings];
        text_add(w->out, "  ");
        number(w->out, row->w);
        for (int b = 0; b < h->headings; b++) {
            text_add(w->out, ", ");
            number(w->out, letter == 'X' ? row[b].re[axis] : row[b].im[axis]);
        }
        text_char(w->out, '\n');
    }
    text_add(w->out, "end\n\n");
}

// --- models --------------------------------------------------------------------------------------

static void restoring(Writer *w) {
    text_printf(w->out,
                "model %s_restoring \"hydrostatic stiffness of heave, roll and pitch about the "
                "origin of the tables\" "
                "extends Waterplane(\n    C = %s_C[3:5,3:5])\nend\n\n",
                w->name, w->name);
}

static void radiation(Writer *w) {
    const Hydro *h = w->h;
    int n = h->mode.count;
    text_printf(w->out,
                "model %s_radiation \"memory of radiated waves: %d modes, which miss %.1f %% of "
                "the tables\" "
                "extends RadiationModes(\n    n = %d, ",
                w->name, n, 100 * h->misfit, n);
    double *x = ARENA_ARRAY(h->arena, double, n + 1);
    for (int i = 0; i < n; i++) x[i] = h->mode.data[i].w;
    vector(w->out, "w", x, n, " {rad/s},\n    ");
    for (int i = 0; i < n; i++) x[i] = h->mode.data[i].zeta;
    vector(w->out, "zeta", x, n, ",\n    Q = [");
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < n; k++) {
            if (k)
                text_add(w->out, ", ");
            else if (i)
                text_add(w->out, ";\n      ");
            number(w->out, h->mode.data[k].q[i]);
        }
    text_add(w->out, "])\nend\n\n");
}

static void waves(Writer *w) {
    const Hydro *h = w->h;
    double low = h->wave.data[0].w, high = h->wave.data[h->wave.count - 1].w;
    double from = h->wave.data[0].beta, to = h->wave.data[h->headings - 1].beta;
    const char *beta = h->headings > 1 ? ", beta" : "";
    text_printf(
        w->out,
        "model %s_waves \"force and moment of a sea on the vessel, from its tables\"\n"
        "  param sea: SeaState\n"
        "  const m = if sea.regular then 1 else sea.n\n"
        "  const beta {rad} = mod(sea.heading, 2*pi)\n"
        "  input at[3] {m} = (0, 0, 0) {m} \"where the vessel is: waves come to it there\"\n"
        "  port p: any[6] out\n  output force[6]\n  var F[m,6]\n  for i in 1:m\n"
        "    WaveComponent part[i](sea = sea, i = i, s = at[1]*cos(sea.heading) + "
        "at[2]*sin(sea.heading))\n",
        w->name);
    for (int k = 1; k <= 6; k++)
        text_printf(w->out,
                    "    F[i,%d] = (%s_X%d(part[i].w%s)*part[i].c + "
                    "%s_Y%d(part[i].w%s)*part[i].d)/(1 {m})\n",
                    k, w->name, k, beta, w->name, k, beta);
    text_add(w->out, "  end\n  for k in 1:6\n    force[k] = sum(F[1:m,k])\n  end\n  MSe[6] push = "
                     "force\n  push -> p\n  assert ");
    number(w->out, low);
    text_add(w->out, " {rad/s} <= (if sea.regular then 1 else sea.low)*2*pi/sea.Tp and ");
    number(w->out, high);
    text_printf(w->out,
                " {rad/s} >= (if sea.regular then 1 else sea.high)*2*pi/sea.Tp,\n"
                "    \"the tables of wave forces do not cover the spectrum: they are from %g to %g "
                "rad/s, its waves from low to high times "
                "2 pi/Tp; add frequencies to the tables, or narrow `low` and `high` of the sea\"\n",
                low, high);
    text_add(w->out, "  assert beta >= ");
    number(w->out, from - 1e-9);
    text_add(w->out, " {deg} and beta <= ");
    number(w->out, to + 1e-9);
    text_printf(
        w->out,
        " {deg}, \"the tables of wave forces are for headings from %g to %g degrees\"\nend\n\n",
        from, to);
}

static void water(Writer *w) {
    const Hydro *h = w->h;
    bool modes = h->mode.count > 0;
    text_printf(w->out,
                "model %s_water \"all of it: bond p to a frame at the origin of the tables\"\n",
                w->name);
    if (h->wave.count) text_add(w->out, "  param sea: SeaState\n");
    if (h->has_C)
        text_add(w->out,
                 "  param mg {N} = 0 {N}, cg[3] {m} = (0, 0, 0) {m} \"weight of the vessel and its "
                 "place, where gravity acts on it\"\n"
                 "  input z {m} \"of the origin, from where it floats\", R[3,3] \"attitude\"\n");
    if (h->wave.count)
        text_add(w->out, "  input at[3] {m} = (0, 0, 0) {m} \"where the vessel is\"\n");
    text_add(w->out, "  port p: any[6] out\n  1[6] v\n  v -> p\n");
    if (h->has_C)
        text_printf(
            w->out,
            "  %s_restoring restoring(z = z, R = R, mg = mg, cg = cg)\n  restoring.p -> v\n",
            w->name);
    if (modes) text_printf(w->out, "  %s_radiation radiation\n  v -> radiation.p\n", w->name);
    if (h->wave.count)
        text_printf(w->out, "  %s_waves waves(sea = sea, at = at)\n  waves.p -> v\n", w->name);
    text_add(w->out, "end\n");
}

// --- all of it -----------------------------------------------------------------------------------

static void heading(Writer *w, const char *from) {
    const Hydro *h = w->h;
    text_printf(w->out, "// Coefficients of '%s' from ", w->name);
    for (; *from; from++)
        text_char(w->out, (unsigned char)*from < ' ' || *from == 127 ? '?' : *from);
    text_add(w->out, ", by bondyn import hydro. SI; x forward, y to port, z up; moments about the "
                     "origin of the files");
    if (h->has_origin) {
        text_add(w->out, ", which is ");
        number(w->out, h->origin[0]);
        text_add(w->out, " m ahead of midships and ");
        number(w->out, h->origin[1]);
        text_add(w->out, " m above the keel");
    }
    text_add(w->out, ".\n//\n");
    if (h->point.count)
        text_printf(w->out, "//     body hull ... added_mass %s_A_inf     its origin there\n",
                    w->name);
    text_printf(w->out, "//     frame origin on hull\n//     %s_water water(", w->name);
    if (h->wave.count) text_add(w->out, "sea = sea, ");
    if (h->has_C) text_add(w->out, "z = vessel.origin.position[3], R = vessel.origin.rotation");
    text_add(w->out, ")      water.p -> vessel.origin\nimport marine_hydro\n");
    text_add(w->out, h->wave.count ? "import marine_water\n\n" : "\n");
    text_printf(w->out, "const %s_rho = ", w->name);
    number(w->out, h->options.rho);
    text_printf(w->out, " {kg/m3}, %s_g = ", w->name);
    number(w->out, h->options.g);
    text_add(w->out, " {m/s2}\n");
}

static const char *plain_name(const Hydro *h) {
    Text t = {0};
    for (const char *c = h->options.name; *c && t.length < 60; c++)
        text_char(&t, (char)(isalnum((unsigned char)*c) && (unsigned char)*c < 128 ? *c : '_'));
    const char *stem = text_get(&t);
    const char *name =
        arena_printf(h->arena, "%s%s", isalpha((unsigned char)stem[0]) ? "" : "vessel_", stem);
    text_free(&t);
    return name;
}

void hydro_write(Text *out, const Hydro *h, const char *from) {
    Writer w = {out, h, plain_name(h)};
    heading(&w, from);
    if (h->has_M) matrix(&w, "M", h->M, "mass, with that of the body alone");
    if (h->point.count)
        matrix(&w, "A_inf", h->A_infinite,
               h->has_infinite ? "added mass at infinite frequency"
                               : "added mass at infinite frequency, as the memory leaves it");
    if (h->has_C) matrix(&w, "C", h->C, "hydrostatic stiffness, with the moments of weight");
    text_char(out, '\n');
    for (int e = 0; h->point.count && e < 36; e++) {
        if (e / 6 > e % 6 || is_zero(h, e)) continue;
        coefficient(&w, 'A', e);
        coefficient(&w, 'B', e);
    }
    for (int axis = 0; h->wave.count && axis < 6; axis++)
        wave_table(&w, 'X', axis), wave_table(&w, 'Y', axis);
    if (h->has_C) restoring(&w);
    if (h->mode.count) radiation(&w);
    if (h->wave.count) waves(&w);
    water(&w);
}
