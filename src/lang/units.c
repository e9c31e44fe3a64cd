// Units are read by a small grammar over a table of known words:
//
//     unit = factor {("." | "*" | "/") factor}        from the left: J/kg/K
//     factor = ("1" | word | "(" unit ")") [power]
//     power = ["^"] ["+" | "-"] digits | "^" "(" digits ["/" digits] ")"
//
// A word is looked up as it is first, then with an SI prefix cut off, so `min` is a minute and `mm`
// a millimetre.
#include "lang/units.h"

#include "base/names.h"
#include <math.h>
#include <string.h>

// --- known words --------------------------------------------------------------------------------

typedef struct {
    char text[8];
    bool prefixed; // takes SI prefixes
    int8_t kg, m, s, A, K, mol, cd;
    double scale, offset;
} Known;

#define PI 3.14159265358979323846

static const Known known[] = {
    //         prefix kg  m   s   A   K mol cd
    {"g", true, 1, 0, 0, 0, 0, 0, 0, 1e-3, 0},
    {"t", false, 1, 0, 0, 0, 0, 0, 0, 1e3, 0},
    {"lb", false, 1, 0, 0, 0, 0, 0, 0, 0.45359237, 0},
    {"slug", false, 1, 0, 0, 0, 0, 0, 0, 0.45359237 * 9.80665 / 0.3048, 0},
    {"m", true, 0, 1, 0, 0, 0, 0, 0, 1, 0},
    {"in", false, 0, 1, 0, 0, 0, 0, 0, 0.0254, 0},
    {"ft", false, 0, 1, 0, 0, 0, 0, 0, 0.3048, 0},
    {"s", true, 0, 0, 1, 0, 0, 0, 0, 1, 0},
    {"min", false, 0, 0, 1, 0, 0, 0, 0, 60, 0},
    {"h", false, 0, 0, 1, 0, 0, 0, 0, 3600, 0},
    {"A", true, 0, 0, 0, 1, 0, 0, 0, 1, 0},
    {"K", true, 0, 0, 0, 0, 1, 0, 0, 1, 0},
    {"degC", false, 0, 0, 0, 0, 1, 0, 0, 1, 273.15},
    {"mol", true, 0, 0, 0, 0, 0, 1, 0, 1, 0},
    {"cd", true, 0, 0, 0, 0, 0, 0, 1, 1, 0},
    {"rad", true, 0, 0, 0, 0, 0, 0, 0, 1, 0},
    {"deg", false, 0, 0, 0, 0, 0, 0, 0, PI / 180, 0},
    {"grad", false, 0, 0, 0, 0, 0, 0, 0, PI / 200, 0},
    {"rev", false, 0, 0, 0, 0, 0, 0, 0, 2 * PI, 0},
    {"percent", false, 0, 0, 0, 0, 0, 0, 0, 0.01, 0},
    {"%", false, 0, 0, 0, 0, 0, 0, 0, 0.01, 0},
    {"Hz", true, 0, 0, -1, 0, 0, 0, 0, 1, 0},
    {"rpm", false, 0, 0, -1, 0, 0, 0, 0, 2 * PI / 60, 0},
    {"N", true, 1, 1, -2, 0, 0, 0, 0, 1, 0},
    {"lbf", false, 1, 1, -2, 0, 0, 0, 0, 0.45359237 * 9.80665, 0},
    {"Pa", true, 1, -1, -2, 0, 0, 0, 0, 1, 0},
    {"bar", true, 1, -1, -2, 0, 0, 0, 0, 1e5, 0},
    {"psi", false, 1, -1, -2, 0, 0, 0, 0, 0.45359237 * 9.80665 / (0.0254 * 0.0254), 0},
    {"cP", false, 1, -1, -1, 0, 0, 0, 0, 1e-3, 0},
    {"cSt", false, 0, 2, -1, 0, 0, 0, 0, 1e-6, 0},
    {"L", true, 0, 3, 0, 0, 0, 0, 0, 1e-3, 0},
    {"l", true, 0, 3, 0, 0, 0, 0, 0, 1e-3, 0},
    {"J", true, 1, 2, -2, 0, 0, 0, 0, 1, 0},
    {"Wh", true, 1, 2, -2, 0, 0, 0, 0, 3600, 0},
    {"W", true, 1, 2, -3, 0, 0, 0, 0, 1, 0},
    {"hp", false, 1, 2, -3, 0, 0, 0, 0, 550 * 0.45359237 * 9.80665 * 0.3048, 0},
    {"C", true, 0, 0, 1, 1, 0, 0, 0, 1, 0},
    {"V", true, 1, 2, -3, -1, 0, 0, 0, 1, 0},
    {"ohm", true, 1, 2, -3, -2, 0, 0, 0, 1, 0},
    {"S", true, -1, -2, 3, 2, 0, 0, 0, 1, 0},
    {"F", true, -1, -2, 4, 2, 0, 0, 0, 1, 0},
    {"H", true, 1, 2, -2, -2, 0, 0, 0, 1, 0},
    {"Wb", true, 1, 2, -2, -1, 0, 0, 0, 1, 0},
    {"T", true, 1, 0, -2, -1, 0, 0, 0, 1, 0},
    {"G", false, 1, 0, -2, -1, 0, 0, 0, 1e-4, 0}, // gauss
};
enum { KNOWN_COUNT = sizeof known / sizeof known[0] };

static const struct {
    char letter;
    double scale;
} prefixes[] = {{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'c', 1e-2},
                {'d', 1e-1},  {'h', 1e2},   {'k', 1e3},  {'M', 1e6},  {'G', 1e9},  {'T', 1e12}};

static const Known *find_known(const char *word, size_t length) {
    for (int i = 0; i < KNOWN_COUNT; i++)
        if (strncmp(known[i].text, word, length) == 0 && !known[i].text[length]) return &known[i];
    return NULL;
}

static Unit unit_of(const Known *k, double prefix) {
    const int8_t powers[BASE_COUNT] = {k->kg, k->m, k->s, k->A, k->K, k->mol, k->cd};
    Unit u = {.dim = DIM_ONE, .scale = k->scale * prefix, .offset = k->offset};
    if (k->text[0] == 'g' && !k->text[1]) u.scale = prefix / 1000; // so that kg is exactly 1
    for (int i = 0; i < BASE_COUNT; i++) u.dim.power[i] = (int8_t)(powers[i] * POWER_ONE);
    return u;
}

static bool find_unit(const char *word, size_t length, Unit *unit) {
    const Known *k = length < sizeof k->text ? find_known(word, length) : NULL;
    if (k) {
        *unit = unit_of(k, 1);
        return true;
    }
    if (length < 2 || length > sizeof k->text) return false;
    k = find_known(word + 1, length - 1);
    if (!k || !k->prefixed) return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (prefixes[i].letter != word[0]) continue;
        *unit = unit_of(k, prefixes[i].scale);
        return true;
    }
    return false;
}

// --- reading ------------------------------------------------------------------------------------

typedef struct {
    const char *at, *end;
    const char *bad; // the first place that cannot be read, or NULL
    size_t bad_length;
    int depth;
} Reader;

static bool refuse(Reader *r, const char *bad, size_t length) {
    if (!r->bad) r->bad = bad, r->bad_length = length;
    return false;
}

static void skip_space(Reader *r) {
    while (r->at < r->end && strchr(" \t\r\n\f\v", *r->at) && *r->at) r->at++;
}

static bool take(Reader *r, char c) {
    if (r->at >= r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '_' ||
           (unsigned char)c >= 0x80;
}

// At most 1000, which no power reaches.
static int read_digits(Reader *r) {
    int n = 0;
    while (r->at < r->end && is_digit(*r->at)) {
        n = n * 10 + (*r->at++ - '0');
        if (n > 1000) n = 1000;
    }
    return n;
}

static bool at_digit(const Reader *r) { return r->at < r->end && is_digit(*r->at); }

// power = ["^"] ["+" | "-"] digits | "^" "(" ["-"] digits ["/" digits] ")"
static bool read_power(Reader *r, double *power) {
    const char *start = r->at;
    *power = 1;
    bool caret = take(r, '^'), bracket = caret && take(r, '(');
    bool minus = take(r, '-');
    bool sign = minus || take(r, '+');
    if (!at_digit(r)) return caret || sign ? refuse(r, start, (size_t)(r->at - start)) : true;
    *power = read_digits(r);
    if (bracket && take(r, '/')) {
        int divisor = read_digits(r);
        if (!divisor) return refuse(r, start, (size_t)(r->at - start));
        *power /= divisor;
    }
    if (bracket && !take(r, ')')) return refuse(r, start, (size_t)(r->at - start));
    if (minus) *power = -*power;
    return true;
}

static bool raise(Unit *u, double power) {
    bool exact = true;
    if (power == 1) return true;
    u->dim = dim_power(u->dim, power, &exact);
    u->scale = pow(u->scale, power);
    u->offset = 0;
    return exact && u->dim.known;
}

static bool read_unit(Reader *r, Unit *u);

static bool read_word(Reader *r, Unit *u) {
    const char *start = r->at;
    while (r->at < r->end && is_word(*r->at)) r->at++;
    if (r->at == start) return refuse(r, start, start < r->end ? 1 : 0);
    return find_unit(start, (size_t)(r->at - start), u) ||
           refuse(r, start, (size_t)(r->at - start));
}

static bool read_group(Reader *r, Unit *u) {
    enum { DEEPEST = 20 };
    if (r->depth >= DEEPEST) return refuse(r, r->at, 1);
    r->depth++;
    bool good = read_unit(r, u);
    r->depth--;
    skip_space(r);
    return good && (take(r, ')') || refuse(r, r->at, r->at < r->end));
}

static bool read_factor(Reader *r, Unit *u) {
    skip_space(r);
    const char *start = r->at;
    double power;
    *u = (Unit){.dim = DIM_ONE, .scale = 1};
    bool good = take(r, '1') || (take(r, '(') ? read_group(r, u) : read_word(r, u));
    if (!good || !read_power(r, &power)) return false;
    return raise(u, power) || refuse(r, start, (size_t)(r->at - start));
}

// A product of units has no zero point of its own: W/degC is W/K.
static bool combine(Unit *u, Unit factor, bool divide) {
    u->dim = divide ? dim_divide(u->dim, factor.dim) : dim_multiply(u->dim, factor.dim);
    u->scale = divide ? u->scale / factor.scale : u->scale * factor.scale;
    u->offset = 0;
    return u->dim.known && isnormal(u->scale);
}

static bool read_unit(Reader *r, Unit *u) {
    if (!read_factor(r, u)) return false;
    for (;;) {
        skip_space(r);
        const char *start = r->at;
        bool divide = take(r, '/');
        if (!divide && !take(r, '.') && !take(r, '*')) return true;
        Unit factor;
        if (!read_factor(r, &factor)) return false;
        if (!combine(u, factor, divide)) return refuse(r, start, 1);
    }
}

bool unit_parse(const char *text, size_t length, Unit *unit, const char **bad, size_t *bad_length) {
    Reader r = {.at = text, .end = text + length};
    bool good = read_unit(&r, unit);
    skip_space(&r);
    if (good && r.at < r.end) good = refuse(&r, r.at, 0);
    *bad = r.bad ? r.bad : r.at;
    *bad_length = r.bad_length;
    return good && isnormal(unit->scale);
}

// --- suggestions --------------------------------------------------------------------------------

// Common spellings from elsewhere.
static const struct {
    const char *word, *unit;
} spellings[] = {
    {"\xce\xa9", "ohm"},
    {"\xe2\x84\xa6", "ohm"},
    {"Ohm", "ohm"},
    {"k\xce\xa9", "kohm"},
    {"\xc2\xb5m", "um"},
    {"\xce\xbcm", "um"},
    {"\xc2\xb5"
     "F",
     "uF"},
    {"\xce\xbc"
     "F",
     "uF"},
    {"\xc2\xb5"
     "H",
     "uH"},
    {"\xc2\xb5s", "us"},
    {"\xc2\xb0"
     "C",
     "degC"},
    {"\xc2\xb0", "deg"},
    {"celsius", "degC"},
    {"degree", "deg"},
    {"degrees", "deg"},
    {"sec", "s"},
    {"second", "s"},
    {"seconds", "s"},
    {"hr", "h"},
    {"hour", "h"},
    {"Nm", "N.m"},
    {"Ns", "N.s"},
    {"Nms", "N.m.s"},
    {"Pas", "Pa.s"},
    {"kgm", "kg.m"},
    {"volt", "V"},
    {"amp", "A"},
    {"newton", "N"},
    {"meter", "m"},
    {"metre", "m"},
    {"radian", "rad"},
    {"RPM", "rpm"},
    {"KG", "kg"},
    {"Kg", "kg"},
    {"hz", "Hz"},
    {"HP", "hp"},
    {"Liter", "L"},
    {"liter", "L"},
    {"litre", "L"},
    {"As", "A.s"},
    {"Ah", "A.h"},
    {"Vs", "V.s"},
    {"pa", "Pa"},
    {"gram", "g"},
    {"lbs", "lb"},
    {"inch", "in"},
    {"foot", "ft"},
    {"feet", "ft"},
    {"mol\xc3\xa9", "mol"},
    {"grams", "g"},
    {"Km", "km"},
    {"Sec", "s"},
    {"kPA", "kPa"},
    {"MPA", "MPa"},
    {"degF", "degC"},
};

// What people write with a prefix; the bare words are in the table above.
static const char *const written[] = {
    "kg",  "cm",  "mm",   "km",   "um", "ms",  "us",  "mA",  "kN",   "MN", "mN", "kPa",
    "MPa", "GPa", "mbar", "kJ",   "MJ", "kWh", "kW",  "MW",  "mV",   "kV", "mF", "uF",
    "nF",  "pF",  "kohm", "Mohm", "mH", "uH",  "kHz", "MHz", "mrad", "mL", "mT", "kmol"};

static void consider(const char *word, const char *candidate, int *distance, const char **best) {
    int d = name_distance(word, candidate, 2);
    if (d < *distance) *distance = d, *best = candidate;
}

const char *unit_suggest(const char *word, size_t length) {
    char copy[32];
    if (length >= sizeof copy) return NULL;
    memcpy(copy, word, length);
    copy[length] = 0;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
        if (strcmp(copy, spellings[i].word) == 0) return spellings[i].unit;
    const char *best = NULL;
    int distance = length <= 2 ? 2 : 3; // one change in a short word, two in a longer one
    for (int i = 0; i < KNOWN_COUNT; i++) consider(copy, known[i].text, &distance, &best);
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++)
        consider(copy, written[i], &distance, &best);
    return best;
}

// --- dimensions ---------------------------------------------------------------------------------

// Products and quotients of dimensions. A power out of range is nothing that anybody means: the
// result is unknown.
static Dim dim_combine(Dim a, Dim b, int sign) {
    if (!a.known || !b.known) return DIM_UNKNOWN;
    for (int i = 0; i < BASE_COUNT; i++) {
        int power = a.power[i] + sign * b.power[i];
        if (power > INT8_MAX || power < INT8_MIN) return DIM_UNKNOWN;
        a.power[i] = (int8_t)power;
    }
    return a;
}

Dim dim_multiply(Dim a, Dim b) { return dim_combine(a, b, 1); }
Dim dim_divide(Dim a, Dim b) { return dim_combine(a, b, -1); }

Dim dim_power(Dim a, double exponent, bool *exact) {
    *exact = true;
    if (!a.known) return a;
    for (int i = 0; i < BASE_COUNT; i++) {
        double power = a.power[i] * exponent, rounded = round(power);
        if (!(fabs(power - rounded) < 1e-9) || fabs(rounded) > INT8_MAX) {
            *exact = false;
            return DIM_UNKNOWN;
        }
        a.power[i] = (int8_t)rounded;
    }
    return a;
}

bool dim_equal(Dim a, Dim b) { return memcmp(a.power, b.power, sizeof a.power) == 0; }
bool dim_fits(Dim a, Dim b) { return !a.known || !b.known || dim_equal(a, b); }
bool dim_is_one(Dim a) { return a.known && dim_equal(a, DIM_ONE); }

// --- printing -----------------------------------------------------------------------------------

// What an engineer would write, in the order of preference where two mean the same.
static const char *const readable[] = {
    "N",        "Pa",    "J",    "W",       "V",         "C",        "F",         "ohm",
    "S",        "H",     "Wb",   "T",       "N.s",       "N/m",      "N.s/m",     "m/N",
    "m/(N.s)",  "N.m.s", "N.m2", "N/m2",    "N/m3",      "N.s2/m2",  "N.s3/m3",   "m3/s",
    "m3/Pa",    "Pa/m3", "Pa.s", "Pa.s/m3", "Pa.s2/m3",  "Pa.s2/m6", "m3/(Pa.s)", "Pa/s",
    "Pa/m",     "J/K",   "W/K",  "K/W",     "W/K2",      "W/m2",     "W/(m2.K)",  "W/(m.K)",
    "J/(kg.K)", "J/kg",  "J/m3", "J/mol",   "J/(mol.K)", "mol/s",    "V/s",       "V/m",
    "V/K",      "A/s",   "A/m",  "A/V2",    "V/A2",      "C/mol",    "Wb/A2",     "N/A2",
    "m/V",      "V.s/m", "N/s",  "W/s",     "K/s",       "m3/kg",    "kg/m3",     "1/Pa",
    "1/J",      "1/N",   "1/V",  "1/ohm",   "1/H",       "1/F",      "J2",        "V2",
};

static bool print_readable(Text *out, Dim d) {
    for (size_t i = 0; i < sizeof readable / sizeof readable[0]; i++) {
        Unit u;
        const char *bad;
        size_t bad_length;
        bool good = unit_parse(readable[i], strlen(readable[i]), &u, &bad, &bad_length);
        if (!good || !dim_equal(u.dim, d)) continue;
        text_add(out, readable[i]);
        return true;
    }
    return false;
}

static void print_base(Text *out, int base, int power) {
    static const char *const names[BASE_COUNT] = {"kg", "m", "s", "A", "K", "mol", "cd"};
    text_add(out, names[base]);
    if (power == POWER_ONE) return;
    if (power % POWER_ONE == 0)
        text_printf(out, "%d", power / POWER_ONE);
    else if (power % 3 == 0)
        text_printf(out, "^(%d/2)", power / 3);
    else if (power % 2 == 0)
        text_printf(out, "^(%d/3)", power / 2);
    else
        text_printf(out, "^(%d/6)", power);
}

// The powers of one sign, joined with points; returns how many.
static int print_side(Text *out, Dim d, int sign) {
    int count = 0;
    for (int i = 0; i < BASE_COUNT; i++) {
        if (d.power[i] * sign <= 0) continue;
        if (count++) text_char(out, '.');
        print_base(out, i, d.power[i] * sign);
    }
    return count;
}

void dim_print(Text *out, Dim d) {
    if (!d.known) {
        text_char(out, '?');
        return;
    }
    if (dim_is_one(d)) {
        text_char(out, '1');
        return;
    }
    if (print_readable(out, d)) return;
    Text below = {0};
    int divisors = print_side(&below, d, -1);
    if (!print_side(out, d, 1)) text_char(out, '1');
    if (divisors == 1) text_printf(out, "/%s", text_get(&below));
    if (divisors > 1) text_printf(out, "/(%s)", text_get(&below));
    text_free(&below);
}
