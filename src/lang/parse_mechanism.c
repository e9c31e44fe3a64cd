// What stands in mechanisms: joints, bodies, frames, constraints, gravity, and mechanisms mounted
// on them.
//
//     joint q1 revolute z: base -> link1 at (1.2, 0, 0.4) {m} rotated z 90 {deg}, x 90 {deg}
//           name kind axis parent  child clauses
//
// Behind the head a statement is a row of clauses, each a word with its value. They are kept in
// order as arguments named by the word; one turn of `rotated` becomes two, rotated (its axis) and
// by (its angle). Parameters, constants, inputs, loops and conditions are those of models.
#include "lang/parse.h"

#include <string.h>

typedef enum {
    CLAUSE_VALUE,
    CLAUSE_TURNS,
    CLAUSE_START,
    CLAUSE_DH,
    CLAUSE_DRIVEN,
    CLAUSE_LIMITS,
    CLAUSE_RIGID,
    CLAUSE_TEXT,
    CLAUSE_MARK // the word alone
} ClauseForm;

typedef struct {
    const char *word;
    ClauseForm form;
} Clause;

static const Clause joint_clauses[] = {
    {"at", CLAUSE_VALUE},      {"rotated", CLAUSE_TURNS}, {"dh", CLAUSE_DH},
    {"mdh", CLAUSE_DH},        {"initial", CLAUSE_START}, {"rate", CLAUSE_VALUE},
    {"driven", CLAUSE_DRIVEN}, {"limits", CLAUSE_LIMITS}, {"stiffness", CLAUSE_VALUE},
    {"damping", CLAUSE_VALUE}, {"rigid", CLAUSE_RIGID},   {NULL, CLAUSE_VALUE}};
static const Clause body_clauses[] = {
    {"mass", CLAUSE_VALUE},       {"cg", CLAUSE_VALUE},      {"inertia", CLAUSE_VALUE},
    {"added_mass", CLAUSE_VALUE}, {"box", CLAUSE_VALUE},     {"cylinder", CLAUSE_VALUE},
    {"sphere", CLAUSE_VALUE},     {"tube", CLAUSE_VALUE},    {"density", CLAUSE_VALUE},
    {"at", CLAUSE_VALUE},         {"rotated", CLAUSE_TURNS}, {"published", CLAUSE_MARK},
    {NULL, CLAUSE_VALUE}};
static const Clause tie_clauses[] = {
    {"length", CLAUSE_VALUE}, {"radius", CLAUSE_VALUE}, {NULL, CLAUSE_VALUE}};
static const Clause place_clauses[] = {
    {"at", CLAUSE_VALUE}, {"rotated", CLAUSE_TURNS}, {NULL, CLAUSE_VALUE}};

// --- clauses -------------------------------------------------------------------------------------

static void add_clause(Parser *p, ArgList *list, const char *word, AstExpr *value, Token t) {
    array_push(list, ((AstArg){name_of(p->names, word), value, p_pos(p, t)}));
}

static bool at_letter_axis(const Parser *p) {
    return p_at_word(p, "x") || p_at_word(p, "y") || p_at_word(p, "z");
}

static bool at_axis(const Parser *p) {
    return p_at(p, TOKEN_OPEN) || p_at(p, TOKEN_MINUS) ||
           (p_at(p, TOKEN_NAME) && !p_at_word(p, "pitch"));
}

// axis = ["-"] ("x" | "y" | "z") | bracket | path
static AstExpr *parse_axis(Parser *p) {
    Token start = p->token;
    if (p_at(p, TOKEN_OPEN)) return parse_bracket(p);
    bool minus = p_accept(p, TOKEN_MINUS);
    if (at_letter_axis(p)) {
        AstExpr *e = p_new_expr(p, AST_STRING, start);
        e->name = minus ? name_printf(p->names, "-%s", name_text(p->names, p->token.name))
                        : p->token.name;
        p_advance(p);
        return e;
    }
    if (!minus && p_at(p, TOKEN_NAME)) return parse_path(p, "an axis");
    Remark *m = p_fail_expected(p, "an axis");
    p_help(p, m, "write x, y, z, -x ... or a vector: (0, 1, 1)");
    return p_new_expr(p, AST_NUMBER, start);
}

// turns = axis sum {"," axis sum}
static void parse_turns(Parser *p, ArgList *list, const char *axis, const char *angle) {
    do {
        Token start = p->token;
        AstExpr *e = parse_axis(p);
        add_clause(p, list, axis, e, start);
        start = p->token;
        add_clause(p, list, angle, parse_sum(p), start);
    } while (p_accept(p, TOKEN_COMMA));
}

// dh = {("a" | "alpha" | "d" | "theta") sum}
static void parse_dh(Parser *p, ArgList *list, const char *word, Token start) {
    static const char *const name[] = {"a", "alpha", "d", "theta"};
    AstExpr *mark = p_new_expr(p, AST_NUMBER, start);
    add_clause(p, list, word, mark, start);
    for (int i = 0; i < 4;) {
        Token t = p->token;
        for (i = 0; i < 4 && !p_accept_word(p, name[i]);) i++;
        if (i == 4) return;
        add_clause(p, list, name[i], parse_sum(p), t);
        i = 0;
    }
}

// start = ["about"] (sum | ["at" sum] ["rotated" turns | "attitude" sum])
static void parse_start(Parser *p, ArgList *list, Token start) {
    if (p_accept_word(p, "about"))
        add_clause(p, list, "initial_about", p_new_expr(p, AST_NUMBER, start), start);
    bool place = p_accept_word(p, "at");
    if (place) add_clause(p, list, "initial_at", parse_sum(p), start);
    Token t = p->token;
    if (p_accept_word(p, "rotated"))
        parse_turns(p, list, "initial_rotated", "initial_by");
    else if (p_accept_word(p, "attitude"))
        add_clause(p, list, "initial_attitude", parse_sum(p), t);
    else if (!place)
        add_clause(p, list, "initial", parse_sum(p), start);
}

// driven = "by" sum
static void parse_driven(Parser *p, ArgList *list, Token start) {
    if (!p_accept_word(p, "by")) {
        Remark *m = p_fail_expected(p, "'by'");
        p_help(p, m, "write driven by 0.2 {rad}*sin(2 {rad/s}*time)");
    }
    add_clause(p, list, "driven", parse_sum(p), start);
}

// limits = sum ".." sum
static void parse_limits(Parser *p, ArgList *list, Token start) {
    add_clause(p, list, "limits", parse_sum(p), start);
    Token t = p->token;
    if (!p_accept(p, TOKEN_DOTS)) {
        Remark *m = p_fail_expected(p, "'..' and the upper limit");
        p_help(p, m, "write limits -90 {deg} .. 120 {deg}");
    }
    add_clause(p, list, "limits_to", parse_sum(p), t);
}

// rigid = ["restitution" sum]
static void parse_rigid(Parser *p, ArgList *list, Token start) {
    AstExpr *e = p_new_expr(p, AST_NUMBER, start); // 0: it does not bounce
    if (p_accept_word(p, "restitution")) e = parse_sum(p);
    add_clause(p, list, "rigid", e, start);
}

// text = string
static void parse_text(Parser *p, ArgList *list, const char *word, Token start) {
    AstExpr *e = p_new_expr(p, AST_STRING, p->token);
    if (!p_at(p, TOKEN_STRING)) {
        Remark *m = p_fail_expected(p, "a file in quotes");
        p_help(p, m, "write %s \"arm.stl\"", word);
    }
    e->name = p_accept_string(p);
    add_clause(p, list, word, e, start);
}

static void refuse_twice(Parser *p, const ArgList *list, Token t, const char *word) {
    Name name = name_of(p->names, word);
    for (int i = 0; i < list->count; i++) {
        if (list->data[i].name != name) continue;
        Remark *m = p_fail(p, M_CLAUSE, t, "'%s' is given twice", word);
        if (m) remark_note(p->report, m, list->data[i].pos, "the first one stands here");
        p_help(p, m, "keep one of them");
        return;
    }
}

static void parse_clause(Parser *p, ArgList *list, const Clause *c) {
    Token start = p->token;
    refuse_twice(p, list, start, c->word);
    p_advance(p);
    switch (c->form) {
    case CLAUSE_VALUE: add_clause(p, list, c->word, parse_sum(p), start); break;
    case CLAUSE_MARK: add_clause(p, list, c->word, p_new_expr(p, AST_NUMBER, start), start); break;
    case CLAUSE_TURNS: parse_turns(p, list, "rotated", "by"); break;
    case CLAUSE_START: parse_start(p, list, start); break;
    case CLAUSE_DH: parse_dh(p, list, c->word, start); break;
    case CLAUSE_DRIVEN: parse_driven(p, list, start); break;
    case CLAUSE_LIMITS: parse_limits(p, list, start); break;
    case CLAUSE_RIGID: parse_rigid(p, list, start); break;
    case CLAUSE_TEXT: parse_text(p, list, c->word, start); break;
    }
}

static bool at_clause(const Parser *p, const Clause *c) {
    return c->form == CLAUSE_START ? p_at(p, TOKEN_INITIAL) : p_at_word(p, c->word);
}

static void unknown_clause(Parser *p, const Clause *known) {
    Text words = {0};
    for (const Clause *c = known; c->word; c++)
        text_printf(&words, "%s%s", words.length ? ", " : "", c->word);
    Remark *m =
        p_fail(p, M_CLAUSE, p->token, "'%s' has no place here", name_text(p->names, p->token.name));
    p_help(p, m, "what can follow is: %s", text_get(&words));
    text_free(&words);
}

// Where the line ends and the next one begins with a clause, the statement goes on.
static void join_lines(Parser *p, const Clause *known) {
    if (!p_at(p, TOKEN_NEWLINE)) return;
    Parser ahead = *p;
    ahead.lexer.quiet = true;
    do ahead.token = lexer_next(&ahead.lexer);
    while (p_at(&ahead, TOKEN_NEWLINE));
    for (const Clause *c = known; c->word; c++)
        if (at_clause(&ahead, c)) p_skip_newlines(p);
}

// clauses = {word value} [string]
static void parse_clauses(Parser *p, AstItem *item, ArgList *list, const Clause *known) {
    while (!p->failed) {
        join_lines(p, known);
        const Clause *c = known;
        while (c->word && !at_clause(p, c)) c++;
        if (!c->word) break;
        parse_clause(p, list, c);
    }
    if (p_at(p, TOKEN_NAME)) unknown_clause(p, known);
    item->args = p_keep_args(p, list, &item->arg_count);
    if (!item->text) item->text = p_accept_string(p);
}

// --- statements ----------------------------------------------------------------------------------

static AstItem *named_item(Parser *p, ItemKind kind, const char *what) {
    p_advance(p);
    AstItem *item = p_new_item(p, kind, p->token);
    item->name = p_expect_name(p, what);
    parse_subscripts(p, &item->size, &item->size_count);
    return item;
}

static void keep_bodies(Parser *p, AstItem *item, AstExpr *first, AstExpr *second) {
    item->expr_count = second ? 2 : 1;
    item->exprs = ARENA_ARRAY(p->out, AstExpr *, 2);
    item->exprs[0] = first;
    item->exprs[1] = second;
}

// kind = path [axis [axis]] ["pitch" sum]
static void parse_kind(Parser *p, AstItem *item, ArgList *list, const char *what) {
    item->path = parse_path(p, what);
    Token t = p->token;
    if (at_axis(p)) add_clause(p, list, "axis", parse_axis(p), t);
    t = p->token;
    if (list->count && at_axis(p)) add_clause(p, list, "axis2", parse_axis(p), t);
    t = p->token;
    if (p_accept_word(p, "pitch")) add_clause(p, list, "pitch", parse_sum(p), t);
}

static void expect_token(Parser *p, TokenKind kind, const char *what, const char *help) {
    if (!p_at(p, kind)) {
        Remark *m = p_fail_expected(p, what);
        p_help(p, m, "%s", help);
    }
    p_advance(p);
}

// joint = "joint" name kind ":" body "->" body clauses
static AstItem *parse_joint(Parser *p) {
    AstItem *item = named_item(p, ITEM_JOINT, "the name of a joint");
    ArgList list = {0};
    parse_kind(p, item, &list, "the kind of joint: revolute, prismatic, free ...");
    expect_token(p, TOKEN_COLON, "':' and the bodies that are joined",
                 "write joint name kind axis: parent -> child");
    AstExpr *parent = parse_path(p, "the body that carries the joint, or world");
    p_expect(p, TOKEN_ARROW, "'->' and the body that the joint moves");
    keep_bodies(p, item, parent, parse_path(p, "the body that the joint moves"));
    parse_clauses(p, item, &list, joint_clauses);
    return item;
}

// ends = ":" path "->" path clauses
static void parse_ends(Parser *p, AstItem *item, ArgList *list) {
    expect_token(p, TOKEN_COLON, "':' and the places between which it acts",
                 "write constraint pin revolute z: frame_a -> frame_b");
    AstExpr *first = parse_path(p, "a frame, a body or world");
    expect_token(p, TOKEN_ARROW, "'->' and the second place",
                 "a place is a frame, a body or world: frame tip on rod at (0.3, 0, 0) {m}");
    keep_bodies(p, item, first, parse_path(p, "a frame, a body or world"));
    parse_clauses(p, item, list, tie_clauses);
}

// constraint = "constraint" name kind ends
static AstItem *parse_constraint(Parser *p) {
    AstItem *item = named_item(p, ITEM_TIE, "the name of a constraint");
    ArgList list = {0};
    parse_kind(p, item, &list, "what is constrained: revolute, point, distance, knife ...");
    parse_ends(p, item, &list);
    return item;
}

// actuator = "actuator" name ends
static AstItem *parse_actuator(Parser *p) {
    AstItem *item = named_item(p, ITEM_TIE, "the name of an actuator");
    ArgList list = {0};
    item->path = p_new_expr(p, AST_NAME, p->token);
    item->path->name = name_of(p->names, "actuator");
    parse_ends(p, item, &list);
    return item;
}

// body = "body" name clauses
static AstItem *parse_body_item(Parser *p) {
    AstItem *item = named_item(p, ITEM_BODY, "the name of a body");
    ArgList list = {0};
    item->text = p_accept_string(p);
    parse_clauses(p, item, &list, body_clauses);
    return item;
}

// place = "on" body clauses
static void parse_place(Parser *p, AstItem *item, const Clause *known) {
    ArgList list = {0};
    if (!p_accept_word(p, "on")) {
        Remark *m = p_fail_expected(p, "'on' and a body");
        p_help(p, m, "write on body at (x, y, z) {m}");
    }
    keep_bodies(p, item, parse_path(p, "a body"), NULL);
    parse_clauses(p, item, &list, known);
}

// frame = "frame" name place ["in" ("world" | "body" | path)] [string]
static AstItem *parse_frame(Parser *p) {
    AstItem *item = named_item(p, ITEM_FRAME, "the name of a frame");
    parse_place(p, item, place_clauses);
    if (p_accept(p, TOKEN_IN)) {
        item->out = p_accept_word(p, "world");
        if (!item->out && !p_accept_word(p, "body"))
            item->path = parse_path(p, "whose axes: world, body, or another frame or body");
    }
    if (!item->text) item->text = p_accept_string(p);
    return item;
}

static const Clause shape_clauses[] = {{"box", CLAUSE_VALUE},    {"cylinder", CLAUSE_VALUE},
                                       {"sphere", CLAUSE_VALUE}, {"tube", CLAUSE_VALUE},
                                       {"mesh", CLAUSE_TEXT},    {"scale", CLAUSE_VALUE},
                                       {"at", CLAUSE_VALUE},     {"rotated", CLAUSE_TURNS},
                                       {"colour", CLAUSE_VALUE}, {NULL, CLAUSE_VALUE}};

// shape = "shape" place, with one of box, cylinder, sphere, tube, mesh
static AstItem *parse_shape(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_SHAPE, p->token);
    p_advance(p);
    parse_place(p, item, shape_clauses);
    return item;
}

static const Clause coordinate_clauses[] = {
    {"initial", CLAUSE_START}, {"rate", CLAUSE_VALUE}, {NULL, CLAUSE_VALUE}};

// The unit of a coordinate or velocity tells whether it moves like a prismatic joint (a length) or
// a revolute one (an angle).
static AstExpr *parse_motion_unit(Parser *p, Dim linear, Dim angular, const char *wrong,
                                  const char *help) {
    Token t = p->token;
    Unit unit = {0};
    Name text;
    bool known = parse_unit(p, &unit, &text), length = known && dim_equal(unit.dim, linear);
    if (!p->failed && !length && !(known && dim_equal(unit.dim, angular))) {
        Remark *m = p_fail(p, M_COORDINATE, t, "%s", wrong);
        p_help(p, m, "%s", help);
    }
    AstExpr *kind = p_new_expr(p, AST_NAME, t);
    kind->name = name_of(p->names, length ? "prismatic" : "revolute");
    return kind;
}

// coordinate = "coordinate" name unit clauses
static AstItem *parse_coordinate(Parser *p) {
    AstItem *item = named_item(p, ITEM_JOINT, "the name of a coordinate");
    ArgList list = {0};
    Dim length = {.known = true, .power = {[BASE_M] = POWER_ONE}}, angle = {.known = true};
    item->path = parse_motion_unit(p, length, angle, "a coordinate is a length or an angle",
                                   "write coordinate x {m}, or coordinate phi {rad}");
    parse_clauses(p, item, &list, coordinate_clauses);
    return item;
}

// velocity = "velocity" name unit "=" sum [string]
static AstItem *parse_velocity(Parser *p) {
    AstItem *item = named_item(p, ITEM_VELOCITY, "the name of a velocity");
    Dim angular = {.known = true, .power = {[BASE_S] = -POWER_ONE}}, linear = angular;
    linear.power[BASE_M] = POWER_ONE;
    item->path =
        parse_motion_unit(p, linear, angular, "a velocity is one of a length or of an angle",
                          "write velocity v {m/s} = ..., or velocity w {rad/s} = ...");
    p_expect(p, TOKEN_EQUALS, "'=' and the flows that make it up");
    item->left = parse_sum(p);
    item->text = p_accept_string(p);
    return item;
}

// energy = ("kinetic" | "potential" | "dissipation") sum
static AstItem *parse_energy(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_ENERGY, p->token);
    item->name = p->token.name;
    p_advance(p);
    item->left = parse_sum(p);
    return item;
}

static bool at_energy(const Parser *p) {
    return p_at_word(p, "kinetic") || p_at_word(p, "potential") || p_at_word(p, "dissipation");
}

// gravity = "gravity" ("off" | sum)
static AstItem *parse_gravity(Parser *p) {
    AstItem *item = p_new_item(p, ITEM_GRAVITY, p->token);
    p_advance(p);
    if (!p_accept_word(p, "off")) item->left = parse_sum(p);
    return item;
}

// form = "form" name
// coordinates = "coordinates" name [name]
static AstItem *parse_form(Parser *p, ItemKind kind, const char *what, const char *help) {
    p_advance(p);
    AstItem *item = p_new_item(p, kind, p->token);
    if (!p_at(p, TOKEN_NAME)) {
        Remark *m = p_fail_expected(p, what);
        p_help(p, m, "%s", help);
    }
    item->name = p_expect_name(p, what);
    if (kind == ITEM_COORDINATES && p_at(p, TOKEN_NAME))
        item->text = p_expect_name(p, "a sequence of axes");
    return item;
}

static void refuse_statement(Parser *p, Token start) {
    Remark *m = p_fail(p, M_STATEMENT, start, "this statement has no place in a mechanism");
    p_help(p, m,
           "a mechanism holds joint, body, frame, constraint, actuator, gravity, form, "
           "coordinates, param, const and input; bonds and equations stand in the model that "
           "contains it");
}

// mount = type name [args] place
// attached = "at" path: the component, and the bond from the joint or frame to it
static AstItem *parse_attached(Parser *p, AstItem *component, ItemList *list) {
    p_advance(p);
    AstItem *bond = p_new_item(p, ITEM_BOND, p->token);
    ExprList ends = {0};
    array_push(&ends, parse_path(p, "a joint or frame"));
    AstExpr *head = p_new_expr(p, AST_NAME, p->token);
    ArgList index = {0};
    for (int i = 0; i < component->size_count; i++)
        array_push(&index, ((AstArg){.value = component->size[i], .pos = component->pos}));
    head->pos = component->pos;
    head->name = component->name;
    head->depth = 2;
    if (index.count) head->args = p_keep_args(p, &index, &head->arg_count);
    array_push(&ends, head);
    component->text = p_accept_string(p);
    bond->tail_count = 1;
    bond->expr_count = ends.count;
    bond->exprs = p_keep_exprs(p, &ends);
    p_add_item(list, component);
    return bond;
}

static AstItem *parse_mount(Parser *p, ItemList *list) {
    Token start = p->token;
    AstExpr *type = parse_path(p, "a statement");
    if (!p_at(p, TOKEN_NAME)) {
        refuse_statement(p, start);
        return NULL;
    }
    AstItem *item = p_new_item(p, ITEM_COMPONENT, p->token);
    item->path = type;
    item->name = p_expect_name(p, "the name of what is mounted");
    parse_subscripts(p, &item->size, &item->size_count);
    if (p_at(p, TOKEN_OPEN)) parse_args(p, &item->args, &item->arg_count);
    if (p_at_word(p, "at")) return parse_attached(p, item, list);
    if (!p_at_word(p, "on")) {
        Remark *m = p_fail(p, M_MOUNT, start, "'%s' is not mounted on a body",
                           name_text(p->names, item->name));
        p_help(
            p, m,
            "a mechanism is mounted as Type name on body at (x, y, z) {m}; an element stands at a "
            "joint or frame, R damper(2) at q1, or is bonded to it in the model around");
        return NULL;
    }
    item->mount = p_new_item(p, ITEM_FRAME, p->token);
    parse_place(p, item->mount, place_clauses);
    item->text = item->mount->text;
    return item;
}

// mechanism-statement = joint | body | frame | constraint | actuator | gravity | form | coordinates
//                     | mount | param, const, input, for, if
bool parse_mechanism_statement(Parser *p, ItemList *list) {
    AstItem *item = NULL;
    switch (p->token.kind) {
    case TOKEN_PORT:
    case TOKEN_OUTPUT:
    case TOKEN_VAR:
    case TOKEN_INITIAL:
    case TOKEN_CAUSALITY:
    case TOKEN_STORES:
    case TOKEN_LOSSLESS:
    case TOKEN_SUPPLIES:
    case TOKEN_DISSIPATES:
    case TOKEN_DER:
    case TOKEN_NUMBER: refuse_statement(p, p->token); return true;
    case TOKEN_NAME: break;
    default: return false;
    }
    if (p_at_word(p, "joint"))
        item = parse_joint(p);
    else if (p_at_word(p, "body"))
        item = parse_body_item(p);
    else if (p_at_word(p, "frame"))
        item = parse_frame(p);
    else if (p_at_word(p, "shape"))
        item = parse_shape(p);
    else if (p_at_word(p, "constraint"))
        item = parse_constraint(p);
    else if (p_at_word(p, "actuator"))
        item = parse_actuator(p);
    else if (p_at_word(p, "coordinate"))
        item = parse_coordinate(p);
    else if (p_at_word(p, "velocity"))
        item = parse_velocity(p);
    else if (at_energy(p))
        item = parse_energy(p);
    else if (p_at_word(p, "gravity"))
        item = parse_gravity(p);
    else if (p_at_word(p, "form"))
        item = parse_form(p, ITEM_FORM, "a form: lagrange or momentum", "write form lagrange");
    else if (p_at_word(p, "coordinates"))
        item = parse_form(p, ITEM_COORDINATES, "coordinates: euler or quaternion",
                          "write coordinates euler, or coordinates euler zxz");
    else
        item = parse_mount(p, list);
    if (item && !p->failed) p_add_item(list, item);
    return true;
}
