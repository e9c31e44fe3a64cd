// The energy audit.
//
//      supplied        energy that a source gave, from point to point
//      returned        energy that a source took back: what is in one is not netted with the other
//      dissipated      energy into a resistor
//                      (supplied and dissipated: also of a storage whose state an event changes)
//      stored          change of a storage's energy: in closed form if known, else the energy in
//      residual        supplied - returned - dissipated - stored; zero when every law conserves
//                      power and the integration is exact
//
// Energies are integrals of powers, W(t), carried along by the solver. Because junctions conserve
// power exactly, a residual is always the sum of residuals of single components:
//
//      storage         W - change of the closed form, without what events changed
//      lossless        the energy that went in or out, summed over the steps between points
//      resistor        the energy that it handed out
//
// The measure for a residual is the energy that there was:
//
//      scale           what each source had given since the start, at most
//                      + what was dissipated + what was stored, at most
//
// It does not grow with the periods of a swing: a swing that has died out has lost its energy,
// however often that changed places before. Laws of components without a store are also held to
// the throughput, half the sum of |change of W| over all components and all points, so that a
// large store at rest excuses none of them. In a mechanism potential energy becomes kinetic, and
// kinetic energy passes from one velocity to the next, in a field from state to state, without
// passing a bond; that counts too.
//
// Whose fault a residual is: of a storage its power less the rate of its closed form, both at the
// same point, is made by its law, of a resistor power that comes out of it; what is left of the
// residual is the error of the integration. What of a resistor is that is held to what storages
// are.
#include "results/audit.h"

#include "base/json.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- taking -------------------------------------------------------------------------------------

static bool is_audited(const System *s, int comp) {
    if (s->model->comp[comp].role == ROLE_NONE || !s->power[comp]) return false;
    if (s->model->choice_count > 0) return true; // another mode may bring power
    return s->model->comp[comp].role == ROLE_STORE ||
           !expr_is_number(s->dag, s->power[comp], NULL) || expr_value(s->dag, s->power[comp]) != 0;
}

void audit_open(AuditBook *book, Arena *out, const System *s) {
    int count = 0;
    for (int c = 0; c < s->model->comp_count; c++) count += is_audited(s, c);
    *book = (AuditBook){.system = s, .track = ARENA_ARRAY(out, AuditTrack, count)};
    for (int c = 0; c < s->model->comp_count; c++)
        if (is_audited(s, c))
            book->track[book->track_count++] = (AuditTrack){.comp = c,
                                                            .stored = -1,
                                                            .source = -1,
                                                            .inner = -1,
                                                            .drive = -1,
                                                            .loss = -1,
                                                            .defect = -1};
}

// The state of the books before anything has moved.
static void start(AuditBook *book, const double *output) {
    for (int i = 0; i < book->track_count; i++) {
        AuditTrack *t = &book->track[i];
        if (t->stored >= 0) t->first_stored = output[t->stored];
        if (t->inner >= 0) t->last_inner = output[t->inner];
        if (t->inner >= 0) t->first_potential = t->first_stored - t->last_inner;
        for (int k = 0; k < t->share_count; k++) t->share[k].last = output[t->share[k].output];
    }
    book->started = true;
}

// Energy that a source gives to the model, or takes from it.
static void give(AuditTrack *t, double joules) {
    *(joules > 0 ? &t->given : &t->taken) += fabs(joules);
}

static double change(double *last, double now) {
    double size = fabs(now - *last);
    *last = now;
    return size;
}

// In a field energy passes from state to state; in a mechanism from velocity to velocity, and
// kinetic energy becomes potential.
static double moved_inside(AuditTrack *t, const double *output) {
    double kinetic = t->inner >= 0 ? change(&t->last_inner, output[t->inner]) : 0, shares = 0;
    for (int i = 0; i < t->share_count; i++)
        shares += change(&t->share[i].last, output[t->share[i].output]);
    return kinetic + fmax(shares, kinetic);
}

// Through its ports, what drives it without a bond, and what becomes heat inside.
static double moved_into(AuditTrack *t, Role role, const double *quad, double energy) {
    double driven = t->drive >= 0 ? quad[t->drive] + t->drive_impulse : 0;
    double heat = t->loss >= 0 ? quad[t->loss] : 0;
    double more = energy - t->energy, drive = driven - t->driven, loss = heat - t->heat;
    if (role == ROLE_LOSSLESS) t->against += fabs(more);
    if (role == ROLE_DISSIPATE && !(more >= 0)) t->against -= more;
    give(t, role == ROLE_SUPPLY ? -more : drive);
    t->energy = energy;
    t->driven = driven;
    t->heat = heat;
    t->most_given = fmax(t->most_given, role == ROLE_SUPPLY ? -energy : driven);
    t->moved = fmax(t->moved, fabs(energy + driven - heat) + fabs(driven) + fabs(heat));
    return fabs(more + drive - loss) + fabs(drive) + fabs(loss);
}

// Where the potential energy of a mechanism is zero means nothing: it is counted from the start.
static double size_of_stored(const AuditTrack *t) {
    if (t->inner < 0) return fabs(t->last_stored);
    return fabs(t->last_inner) + fabs(t->last_stored - t->last_inner - t->first_potential);
}

// The integral of what the law of a storage makes, or of what comes out of a resistor, by
// trapezoids from point to point.
static void add_defect(AuditTrack *t, Role role, double elapsed, const double *output) {
    if (t->defect < 0) return;
    double now = output[t->defect];
    if (role == ROLE_DISSIPATE && now < 0) now = 0;
    t->made += elapsed * (now + t->last_defect) / 2;
    t->last_defect = now;
}

void audit_point(AuditBook *book, double time, const double *quad, const double *output) {
    double moved = 0, stored = 0, size = 0, elapsed = book->started ? time - book->time : 0;
    if (!book->started) start(book, output);
    for (int i = 0; i < book->track_count; i++) {
        AuditTrack *t = &book->track[i];
        Role role = book->system->model->comp[t->comp].role;
        moved += moved_into(t, role, quad, quad[i] + t->impulse);
        moved += moved_inside(t, output) + t->gaining + t->losing;
        t->gained += t->gaining;
        t->lost += t->losing;
        t->gaining = t->losing = 0;
        add_defect(t, role, elapsed, output);
        if (t->stored < 0) continue;
        t->last_stored = output[t->stored];
        stored += fabs(t->last_stored);
        size += size_of_stored(t);
    }
    book->time = time;
    book->throughput += moved / 2;
    if (!(stored <= book->most_stored)) book->most_stored = stored; // nan stays
    if (!(size <= book->largest)) book->largest = size;
}

// A reinit changes what is stored without any power: energy lost in an impact, or put in.
void audit_event(AuditBook *book, const double *before, const double *after) {
    for (int i = 0; i < book->track_count; i++) {
        AuditTrack *t = &book->track[i];
        if (t->stored < 0) continue;
        double more = after[t->stored] - before[t->stored];
        *(more > 0 ? &t->gaining : &t->losing) += fabs(more);
    }
}

// What is prescribed jumps: the energy that a storage gets with it is the work of an impulse, of
// the drives of a mechanism or of the source that sets the velocity.
void audit_impulse(AuditBook *book, const double *before, const double *after) {
    if (!book->started) return;
    for (int i = 0; i < book->track_count; i++) {
        AuditTrack *t = &book->track[i];
        double more = t->stored < 0 ? 0 : after[t->stored] - before[t->stored];
        if (t->drive >= 0) {
            t->drive_impulse += more;
        } else if (t->source >= 0) {
            t->impulse += more;
            book->track[t->source].impulse -= more;
        } else if (t->source == UNSEEN_SOURCE) {
            *(more > 0 ? &t->gaining : &t->losing) += fabs(more);
        }
    }
}

static bool switches_inside(const Model *m, int comp) {
    for (int i = 0; i < m->choice_count; i++)
        if (m->choice[i].comp == comp) return true;
    return false;
}

// Laws that switch: impulses carry energy from storage to storage, and what is lost on the way is
// dissipated where the law switched. Of a storage with a closed form that is the change of it; if
// the law is one of its own (a rigid stop of a joint), what no port and no drive brought is lost
// inside.
void audit_jump(AuditBook *book, const double *before, const double *after, const double *work) {
    if (!book->started) start(book, before);
    for (int i = 0; i < book->track_count; i++) {
        AuditTrack *t = &book->track[i];
        double more = t->stored < 0 ? work[t->comp] : after[t->stored] - before[t->stored];
        bool inside = t->stored >= 0 && switches_inside(book->system->model, t->comp);
        double driven = t->drive >= 0 ? work[book->system->model->comp_count + t->comp] : 0;
        double own = inside ? more - work[t->comp] - driven : 0;
        t->impulse += more - own - driven;
        t->drive_impulse += driven;
        *(own > 0 ? &t->gaining : &t->losing) += fabs(own);
    }
}

// --- closing ------------------------------------------------------------------------------------

static AuditLine close_line(const AuditTrack *t, Role role) {
    AuditLine line = {
        .comp = t->comp, .moved = t->moved, .made = t->made, .watched = t->defect >= 0};
    switch (role) {
    case ROLE_SUPPLY:
        line.supplied = t->given;
        line.returned = t->taken;
        break;
    case ROLE_DISSIPATE:
        line.dissipated = t->energy;
        line.residual = t->against;
        break;
    case ROLE_STORE:
        line.supplied = t->gained + t->given;
        line.returned = t->taken;
        line.dissipated = t->lost + t->heat;
        line.stored =
            t->stored < 0 ? t->energy + t->driven - t->heat : t->last_stored - t->first_stored;
        line.residual = t->energy + line.supplied - line.returned - line.dissipated - line.stored;
        break;
    case ROLE_LOSSLESS: line.residual = t->against; break;
    case ROLE_NONE: break;
    }
    return line;
}

static int by_moved(const void *a, const void *b) {
    const AuditLine *x = a, *y = b;
    if (x->moved != y->moved) return x->moved > y->moved ? -1 : 1;
    return x->comp < y->comp ? -1 : x->comp > y->comp;
}

static int junction_beside(const Model *m, int comp) {
    for (int b = 0; comp >= 0 && b < m->bond_count; b++) {
        int from = m->bond[b].from.comp, to = m->bond[b].to.comp;
        int other = from == comp ? to : to == comp ? from : -1;
        if (other >= 0 && (m->comp[other].kind == COMP_0 || m->comp[other].kind == COMP_1))
            return other;
    }
    return -1;
}

#define LARGEST_BOUND 0.01

double audit_default_bound(double rtol) {
    return rtol > 0 ? fmin(fmax(1e-6, 100 * rtol), LARGEST_BOUND) : 1e-3;
}

// Is the residual of a component made by its law, and not lost or won on the way by the
// integration?
static bool is_made(const AuditLine *l, Role role) {
    if (role == ROLE_STORE || (role == ROLE_DISSIPATE && l->watched))
        return fabs(l->made) >= 0.5 * fabs(l->residual);
    return true;
}

// A storage's own residual, and with it the sum, is an error of the integration, and that knows
// energies only to a part of what is stored; so is what comes out of a resistor whose power never
// does. Other laws are held to the throughput as well, but not to what is rounding of all the
// energy there is: a machine at rest moves nothing else.
static double allowed(const Audit *a, const AuditBook *book, bool by_law, double rtol) {
    double rounding = 100 * DBL_EPSILON * a->scale;
    if (by_law) return fmax(a->bound * fmin(a->scale, a->throughput), rounding);
    double noise = 10 * rtol * book->most_stored;
    return fmax(a->bound * a->scale, fmin(noise, LARGEST_BOUND * a->scale));
}

static void add_lines(Audit *a, const AuditBook *book) {
    const Model *m = book->system->model;
    a->scale = book->largest;
    for (int i = 0; i < book->track_count; i++) {
        const AuditTrack *t = &book->track[i];
        AuditLine line = a->line[a->line_count++] = close_line(t, m->comp[t->comp].role);
        a->supplied += line.supplied;
        a->returned += line.returned;
        a->dissipated += line.dissipated;
        a->stored += line.stored;
        a->scale += t->most_given + t->gained + fabs(line.dissipated);
    }
    a->residual = a->supplied - a->returned - a->dissipated - a->stored;
}

// Is the worst residual made by a law, or lost or won on the way by the integration?
static AuditCause cause_of(const Audit *a, const Model *m) {
    if (a->worst < 0) return CAUSE_INTEGRATION;
    for (int i = 0; i < a->line_count; i++) {
        const AuditLine *l = &a->line[i];
        if (l->comp != a->worst) continue;
        return is_made(l, m->comp[l->comp].role) ? CAUSE_LAW : CAUSE_INTEGRATION;
    }
    return CAUSE_INTEGRATION;
}

void audit_close(Audit *a, Arena *out, const AuditBook *book, double bound, double rtol) {
    const Model *m = book->system->model;
    *a = (Audit){.line = ARENA_ARRAY(out, AuditLine, book->track_count),
                 .throughput = book->throughput,
                 .bound = bound,
                 .worst = -1};
    add_lines(a, book);
    double worst = 0;
    a->pass = fabs(a->residual) <= allowed(a, book, false, rtol);
    for (int i = 0; i < a->line_count; i++) {
        const AuditLine *l = &a->line[i];
        Role role = m->comp[l->comp].role;
        double size = fabs(l->residual);
        bool by_law = role != ROLE_STORE && is_made(l, role);
        a->pass = a->pass && size <= allowed(a, book, by_law, rtol);
        if (!(size <= worst)) worst = size, a->worst = l->comp;
    }
    qsort(a->line, (size_t)a->line_count, sizeof *a->line, by_moved);
    worst = fmax(worst, fabs(a->residual));
    a->relative = worst == 0 ? 0 : a->scale > 0 ? worst / a->scale : INFINITY;
    bool rounding = worst <= 100 * DBL_EPSILON * book->most_stored;
    if (a->pass && (rounding || a->relative == INFINITY)) a->relative = 0; // nothing changes places
    if (!isfinite(a->residual)) a->relative = INFINITY; // sums beyond the range of numbers
    a->worst_junction = junction_beside(m, a->worst);
    a->cause = cause_of(a, m);
}

// --- telling ------------------------------------------------------------------------------------

enum { MOST_LINES = 25 };

static const char *role_text(Role role) {
    switch (role) {
    case ROLE_SUPPLY: return "supplies";
    case ROLE_DISSIPATE: return "dissipates";
    case ROLE_STORE: return "stores";
    case ROLE_LOSSLESS: return "lossless";
    case ROLE_NONE: break;
    }
    return "none";
}

static const char *path_of(const System *s, int comp) {
    return name_text(s->model->names, s->model->comp[comp].path);
}

static void add_energy(Text *out, double joules) {
    if (joules == 0)
        text_printf(out, " %13s", "");
    else
        text_printf(out, " %13.6g", joules);
}

static void add_line(Text *out, const char *name, int width, const AuditLine *l) {
    text_printf(out, "  %-*s", width, name);
    add_energy(out, l->supplied);
    add_energy(out, l->returned);
    add_energy(out, l->dissipated);
    add_energy(out, l->stored);
    add_energy(out, l->residual);
    while (out->length && out->data[out->length - 1] == ' ') out->data[--out->length] = 0;
    text_char(out, '\n');
}

static int name_width(const Audit *a, const System *s, int lines) {
    int width = 12;
    for (int i = 0; i < lines; i++) {
        int n = (int)strlen(path_of(s, a->line[i].comp));
        if (n > width) width = n;
    }
    return width > 40 ? 40 : width;
}

static void print_worst(Text *out, const Audit *a, const System *s) {
    if (a->worst < 0 || (a->pass && a->relative < 1e-12)) return; // rounding has no culprit
    const Comp *c = &s->model->comp[a->worst];
    text_printf(out, "  largest own residual: '%s' (%s, %s)", path_of(s, a->worst),
                name_text(s->model->names, c->type), role_text(c->role));
    if (a->worst_junction >= 0)
        text_printf(out, ", beside junction '%s'", path_of(s, a->worst_junction));
    text_char(out, '\n');
}

void audit_print(Text *out, const Audit *a, const System *s) {
    if (a->off) {
        text_add(out, "energy audit: off\n");
        return;
    }
    if (a->line_count == 0) {
        text_add(out, "energy audit: no component takes or gives power\n");
        return;
    }
    int shown = a->line_count < MOST_LINES ? a->line_count : MOST_LINES;
    int width = name_width(a, s, shown);
    text_printf(out, "  %-*s %13s %13s %13s %13s %13s\n", width, "energy [J]", "supplied",
                "returned", "dissipated", "stored", "own residual");
    for (int i = 0; i < shown; i++) add_line(out, path_of(s, a->line[i].comp), width, &a->line[i]);
    if (a->line_count > shown)
        text_printf(out, "  ... and %d components more\n", a->line_count - shown);
    AuditLine total = {.supplied = a->supplied,
                       .returned = a->returned,
                       .dissipated = a->dissipated,
                       .stored = a->stored,
                       .residual = a->residual};
    add_line(out, "sum", width, &total);
    text_printf(out,
                "  supplied, dissipated and stored %.6g J, residual %.3g J: %.2g of it, %.2g "
                "allowed: %s\n",
                a->scale, a->residual, a->relative, a->bound,
                a->pass ? "balanced" : "NOT BALANCED");
    text_printf(out, "  throughput %.6g J\n", a->throughput);
    print_worst(out, a, s);
}

static void add_component(Text *out, const char *key, const System *s, int comp) {
    json_key(out, key);
    if (comp >= 0)
        json_quoted(out, path_of(s, comp));
    else
        json_raw(out, "null");
}

static void json_line(Text *out, const AuditLine *l, const System *s) {
    json_open(out, '{');
    json_text_of(out, "component", path_of(s, l->comp));
    json_text_of(out, "role", role_text(s->model->comp[l->comp].role));
    json_number_of(out, "supplied", l->supplied);
    json_number_of(out, "returned", l->returned);
    json_number_of(out, "dissipated", l->dissipated);
    json_number_of(out, "stored", l->stored);
    json_number_of(out, "residual", l->residual);
    json_close(out, '}');
}

void audit_json(Text *out, const Audit *a, const System *s) {
    if (a->off) {
        text_add(out, "{\"off\": true, \"pass\": true}");
        return;
    }
    json_open(out, '{');
    json_bool_of(out, "pass", a->pass);
    json_number_of(out, "supplied", a->supplied);
    json_number_of(out, "returned", a->returned);
    json_number_of(out, "dissipated", a->dissipated);
    json_number_of(out, "stored", a->stored);
    json_number_of(out, "throughput", a->throughput);
    json_number_of(out, "scale", a->scale);
    json_number_of(out, "residual", a->residual);
    json_number_of(out, "relative", a->relative);
    json_number_of(out, "bound", a->bound);
    if (!a->pass) json_text_of(out, "cause", a->cause == CAUSE_LAW ? "law" : "integration");
    add_component(out, "worst", s, a->worst);
    add_component(out, "worst_junction", s, a->worst_junction);
    json_key(out, "components");
    json_open(out, '[');
    for (int i = 0; i < a->line_count; i++) json_line(out, &a->line[i], s);
    json_close(out, ']');
    json_close(out, '}');
}
