// Expressions to instructions.
//
// A function is written root by root: depth first over the operands of each node (view.c), with a
// stack of its own, every node once. Values that another function prepares are not entered.
#include "engine/build.h"

#include <math.h>

// --- what the builder knows of each node ---------------------------------------------------------

void builder_set_role(Builder *b, Expr symbol, SymbolRole role) {
    int index = expr_symbol_index(b->dag, symbol);
    while (b->role.count <= index) array_push(&b->role, ((SymbolRole){SYMBOL_UNSOLVED, 0, 0}));
    b->role.data[index] = role;
}

static int symbol_level(Builder *b, Expr e) {
    int index = expr_symbol_index(b->dag, e);
    while (b->role.count <= index) array_push(&b->role, ((SymbolRole){SYMBOL_UNSOLVED, 0, 0}));
    SymbolRole role = b->role.data[index];
    switch (role.kind) {
    case SYMBOL_PARAM: return LEVEL_STATIC;
    case SYMBOL_TIME: return LEVEL_TIME;
    case SYMBOL_UNKNOWN: return role.block;
    case SYMBOL_STATE:
    case SYMBOL_HELD:
    case SYMBOL_UNSOLVED: break;
    }
    return LEVEL_STATE;
}

static Place symbol_home(const Builder *b, Expr e) {
    SymbolRole role = b->role.data[expr_symbol_index(b->dag, e)];
    switch (role.kind) {
    case SYMBOL_TIME: return PLACE(SPACE_TIME, 0);
    case SYMBOL_STATE: return PLACE(SPACE_STATE, role.index);
    case SYMBOL_HELD: return PLACE(SPACE_HELD, role.index);
    case SYMBOL_UNKNOWN: return PLACE(SPACE_UNKNOWN, role.index);
    case SYMBOL_PARAM:
    case SYMBOL_UNSOLVED: break;
    }
    return NO_PLACE;
}

// A function with side effects is called where it stands, even if it depends on parameters alone.
static bool is_impure(const Dag *d, Expr e) {
    if (expr_op(d, e) != OP_MATRIX) return false;
    MatrixShape s = expr_matrix_kind(d, e)->shape;
    return s.function == MATRIX_EXTERNAL && s.external->impure;
}

// Arguments are older than their node, so one rising pass sees them first.
void builder_grow(Builder *b) {
    for (Expr e = (Expr)b->level.count; e <= dag_size(b->dag); e++) {
        int level = LEVEL_STATIC;
        Place home = NO_PLACE;
        if (e > 0 && expr_op(b->dag, e) == OP_SYMBOL) {
            level = symbol_level(b, e);
            home = symbol_home(b, e);
        } else if (e > 0) {
            int count = expr_arg_count(b->dag, e);
            if (is_impure(b->dag, e)) level = LEVEL_STATE;
            for (int i = 0; i < count; i++) {
                int below = b->level.data[expr_arg(b->dag, e, i)];
                if (below > level) level = below;
            }
        }
        array_push(&b->level, level);
        array_push(&b->home, home);
        array_push(&b->place, NO_PLACE);
        array_push(&b->uses, 0);
        array_push(&b->ready, 0);
    }
}

int builder_level(Builder *b, Expr e) {
    builder_grow(b);
    return b->level.data[e];
}

// --- places --------------------------------------------------------------------------------------

static Place constant_place(Builder *b, Expr e) {
    Place *home = &b->home.data[e];
    if (*home == NO_PLACE) {
        array_push(&b->constant, expr_value(b->dag, e));
        *home = PLACE(SPACE_CONSTANT, b->constant.count - 1);
    }
    return *home;
}

static Expr param_value(const Builder *b, Expr symbol) {
    return b->system->model->var[b->role.data[expr_symbol_index(b->dag, symbol)].index].value;
}

static bool is_param(const Builder *b, Expr e) {
    return expr_op(b->dag, e) == OP_SYMBOL &&
           b->role.data[expr_symbol_index(b->dag, e)].kind == SYMBOL_PARAM;
}

// A parameter whose value is an expression of others stands for that expression.
static Expr follow_params(Builder *b, Expr e) {
    for (int most = b->system->model->var_count; is_param(b, e); most--) {
        Expr value = param_value(b, e);
        if (!value || expr_is_number(b->dag, value, NULL)) break;
        if (most < 0) {
            Name name = expr_symbol_name(b->dag, expr_symbol_index(b->dag, e));
            if (!b->failed)
                report_error(b->report, E_PARAM_CIRCLE, POS_NONE, "parameter '%s' leads to itself",
                             name_text(dag_names(b->dag), name));
            b->failed = true;
            break;
        }
        e = value;
    }
    return e;
}

static Place param_place(Builder *b, Expr e) {
    Place *home = &b->home.data[e];
    if (*home == NO_PLACE) {
        array_push(&b->param, b->role.data[expr_symbol_index(b->dag, e)].index);
        *home = PLACE(SPACE_PARAM, b->param.count - 1);
    }
    return *home;
}

static Place prepared_place(Builder *b, Expr e) {
    Place *home = &b->home.data[e];
    if (*home == NO_PLACE) {
        array_push(&b->prepared, e);
        *home = PLACE(SPACE_PREPARED, b->prepared.count - 1);
    }
    return *home;
}

// The place of a value that is ready when the present function runs.
Place outer_place(Builder *b, Expr e) {
    if (b->level.data[e] == LEVEL_STATIC) {
        e = follow_params(b, e);
        if (expr_op(b->dag, e) == OP_NUMBER) return constant_place(b, e);
        return is_param(b, e) ? param_place(b, e) : prepared_place(b, e);
    }
    Place *home = &b->home.data[e];
    if (*home == NO_PLACE) {
        array_push(&b->input, e);
        *home = PLACE(SPACE_INPUT, b->input.count - 1);
    }
    return *home;
}

// A block remembers which outer values must be computed before it.
static void note_need(Builder *b, Expr e) {
    if (b->block_number < 0 || b->level.data[e] == LEVEL_STATIC || b->place.data[e] != NO_PLACE)
        return;
    Space space = PLACE_SPACE(b->home.data[e]);
    if (space != SPACE_INPUT && space != SPACE_UNKNOWN) return;
    array_push(&b->block.data[b->block_number].need, e);
    b->place.data[e] = b->home.data[e]; // noted once per function
    array_push(&b->touched, e);
}

static Place place_of(Builder *b, Expr e) {
    if (!is_outer(b, e)) return b->place.data[e];
    Place place = outer_place(b, e);
    note_need(b, e);
    return place;
}

static Place new_work(Builder *b) {
    if (b->draft->work >= (1u << PLACE_BITS) - 1) {
        if (!b->failed) report_error(b->report, E_TOO_LARGE, POS_NONE, "too many temporaries");
        b->failed = true;
        return PLACE(SPACE_WORK, 0);
    }
    return PLACE(b->block_number < 0 ? SPACE_WORK : SPACE_INNER, b->draft->work++);
}

// Where the value of e goes: the place that other functions expect, or a temporary.
static Place target_of(Builder *b, Expr e) {
    Place home = b->home.data[e];
    return home != NO_PLACE ? home : new_work(b);
}

// --- instructions --------------------------------------------------------------------------------

static Place emit(Builder *b, Expr origin, TapeOp op, Place to, Place x, Place y) {
    Instruction c = {.op = (uint16_t)op, .to = to, .a = x, .b = y};
    array_push(&b->draft->code, c);
    array_push(&b->draft->origin, origin);
    return to;
}

static Place emit_new(Builder *b, Expr origin, TapeOp op, Place x, Place y) {
    return emit(b, origin, op, new_work(b), x, y);
}

static Place operand(Builder *b, int i) { return place_of(b, b->view.operand.data[i]); }

// The product of some operands; the last multiplication goes into `to` (NO_PLACE: a temporary).
static Place emit_chain(Builder *b, Expr e, int first, int count, Place to) {
    Place value = operand(b, first);
    for (int i = 1; i < count; i++) {
        Place target = i == count - 1 && to != NO_PLACE ? to : new_work(b);
        value = emit(b, e, TAPE_MUL, target, value, operand(b, first + i));
    }
    return value;
}

// numerators/denominators without the sign; into `to` if that is given and anything is computed.
static Place emit_item(Builder *b, Expr e, Item item, Place to) {
    if (item.denominators == 0) return emit_chain(b, e, item.first, item.numerators, to);
    Place below = emit_chain(b, e, item.first + item.numerators, item.denominators, NO_PLACE);
    if (to == NO_PLACE) to = new_work(b);
    if (item.numerators == 0) return emit(b, e, TAPE_RECIPROCAL, to, below, NO_PLACE);
    Place above = emit_chain(b, e, item.first, item.numerators, NO_PLACE);
    return emit(b, e, TAPE_DIV, to, above, below);
}

static Place emit_product(Builder *b, Expr e) {
    Item item = b->view.item.data[0];
    Place to = target_of(b, e);
    Place value = emit_item(b, e, item, item.sign > 0 ? to : NO_PLACE);
    if (item.sign < 0) return emit(b, e, TAPE_NEG, to, value, NO_PLACE);
    return value == to ? to : emit(b, e, TAPE_COPY, to, value, NO_PLACE);
}

// sum = so_far + item, where so_far counts with its own sign. A positive item turns a negative sum.
static int emit_more(Builder *b, Expr e, Place sum, Place so_far, int sign, Item item) {
    bool turn = sign < 0 && item.sign > 0, product = item.denominators == 0 && item.numerators > 1;
    if (product && so_far == sum && !turn) {
        int last = item.first + item.numerators - 1;
        Place others = emit_chain(b, e, item.first, item.numerators - 1, NO_PLACE);
        emit(b, e, item.sign == sign ? TAPE_MULADD : TAPE_MULSUB, sum, others, operand(b, last));
        return sign;
    }
    Place value = emit_item(b, e, item, NO_PLACE);
    if (turn)
        emit(b, e, TAPE_SUB, sum, value, so_far);
    else
        emit(b, e, item.sign == sign ? TAPE_ADD : TAPE_SUB, sum, so_far, value);
    return turn ? 1 : sign;
}

// The items come in the order in which they are ready.
static Place emit_sum(Builder *b, Expr e) {
    int count = b->view.item.count;
    Item start = b->view.item.data[0];
    Place sum = target_of(b, e);
    Place so_far = emit_item(b, e, start, sum);
    int sign = start.sign;
    for (int i = 1; i < count; i++) {
        sign = emit_more(b, e, sum, so_far, sign, b->view.item.data[i]);
        so_far = sum;
    }
    if (sign < 0) return emit(b, e, TAPE_NEG, sum, so_far, NO_PLACE);
    return so_far == sum ? sum : emit(b, e, TAPE_COPY, sum, so_far, NO_PLACE);
}

// x^n for whole n >= 1 from the bits of n.
static Place emit_whole_power(Builder *b, Expr e, Place x, int n) {
    Place result = NO_PLACE;
    for (; n; n >>= 1) {
        if (n & 1) result = result == NO_PLACE ? x : emit_new(b, e, TAPE_MUL, result, x);
        if (n > 1) x = emit_new(b, e, TAPE_SQUARE, x, NO_PLACE);
    }
    return result;
}

enum { LARGEST_WHOLE_POWER = 16 };

// x^(k/4) for k = 1, 2, 3 by roots alone: those of processors are exact to the last bit and take a tenth of
// the time of pow, and no library has a say in them.
static Place emit_root(Builder *b, Expr e, Place x, int quarters) {
    Place root = emit_new(b, e, TAPE_SQRT, x, NO_PLACE);
    if (quarters == 2) return root;
    Place fourth = emit_new(b, e, TAPE_SQRT, root, NO_PLACE);
    return quarters == 1 ? fourth : emit_new(b, e, TAPE_MUL, fourth, root);
}

// Is x^exponent made of products and square roots? Fourth roots only where the slope at zero, which comes out of
// their slopes, stays that of the power: x^(5/4) has one there, x times the slope of its root has none.
static bool has_roots(double exponent) {
    double size = fabs(exponent), whole = floor(size), quarters = 4 * (size - whole);
    if (!(size <= LARGEST_WHOLE_POWER) || size == 0 || quarters != floor(quarters)) return false;
    return quarters == 0 || quarters == 2 || exponent < 0 || exponent == 0.25;
}

static Place emit_power(Builder *b, Expr e) {
    Place base = operand(b, 0), exponent_place = NO_PLACE, to;
    double exponent;
    bool known = expr_is_number(b->dag, b->view.operand.data[1], &exponent);
    if (!known || !has_roots(exponent)) {
        exponent_place = operand(b, 1);
        return emit(b, e, TAPE_OP_POWER, target_of(b, e), base, exponent_place);
    }
    int whole = (int)fabs(exponent), quarters = (int)(4 * (fabs(exponent) - whole));
    Place value = whole > 0 ? emit_whole_power(b, e, base, whole) : NO_PLACE;
    if (quarters > 0) {
        Place root = emit_root(b, e, base, quarters);
        value = value == NO_PLACE ? root : emit_new(b, e, TAPE_MUL, root, value);
    }
    if (exponent < 0) return emit(b, e, TAPE_RECIPROCAL, target_of(b, e), value, NO_PLACE);
    // the last instruction may write to the home of e instead of a temporary
    to = b->home.data[e];
    return to == NO_PLACE && value != base
               ? value
               : emit(b, e, TAPE_COPY, target_of(b, e), value, NO_PLACE);
}

static int switch_of(const Builder *b, Expr relation) {
    int low = 0, high = b->relation.count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (b->relation.data[middle] < relation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < b->relation.count && b->relation.data[low] == relation ? low : -1;
}

static Place emit_relation(Builder *b, Expr e, Op op) {
    Place left = operand(b, 0), right = operand(b, 1);
    int number = switch_of(b, e);
    if (number < 0) return emit(b, e, (TapeOp)op, target_of(b, e), left, right);
    Place difference = emit_new(b, e, TAPE_SUB, left, right);
    Place to = emit(b, e, TAPE_SWITCH, target_of(b, e), difference, (uint32_t)number);
    array_last(&b->draft->code).aux = op == OP_LESS_EQUAL;
    return to;
}

static Place emit_if(Builder *b, Expr e) {
    Place condition = operand(b, 0), then = operand(b, 1), otherwise = operand(b, 2);
    Place to = emit(b, e, TAPE_COPY, target_of(b, e), otherwise, NO_PLACE);
    return emit(b, e, TAPE_SELECT, to, condition, then);
}

static Place emit_table(Builder *b, Expr e, Op op) {
    double number = expr_value(b->dag, expr_arg(b->dag, e, 0));
    Place x = operand(b, 0), to = emit(b, e, (TapeOp)op, target_of(b, e), x, (uint32_t)number);
    int holder = switch_of(b, pieces_of(b, e));
    if (holder >= 0 && holder < UINT16_MAX)
        array_last(&b->draft->code).aux = (uint16_t)(holder + 1);
    return to;
}

// floor and ceil, held during a step; mod(x, y) = x - y floor(x/y).
static Place emit_steps(Builder *b, Expr e, Op op) {
    int holder = switch_of(b, e);
    bool two = b->view.operand.count > 1;
    Place x = operand(b, 0), y = two ? operand(b, 1) : NO_PLACE;
    if (holder < 0) return emit(b, e, (TapeOp)op, target_of(b, e), x, y);
    Place whole = two ? emit_new(b, e, TAPE_DIV, x, y) : x;
    whole = emit_new(b, e, op == OP_CEIL ? TAPE_OP_CEIL : TAPE_OP_FLOOR, whole, NO_PLACE);
    if (!two) return emit(b, e, TAPE_HELD, target_of(b, e), whole, (uint32_t)holder);
    whole = emit_new(b, e, TAPE_HELD, whole, (uint32_t)holder);
    Place rest = emit_new(b, e, TAPE_MUL, y, whole);
    return emit(b, e, TAPE_SUB, target_of(b, e), x, rest);
}

static void settle(Builder *b, Expr e, Place place) {
    if (b->place.data[e] == NO_PLACE) array_push(&b->touched, e);
    b->place.data[e] = place;
}

// sin and cos of one argument stand side by side, so that they can share work.
static void emit_partner(Builder *b, Expr e, Op op) {
    Expr argument = expr_arg(b->dag, e, 0);
    Op other = op == OP_SIN ? OP_COS : OP_SIN;
    Expr partner = expr_call(b->dag, other, &argument, 1);
    builder_grow(b);
    if (expr_op(b->dag, partner) != other || expr_arg(b->dag, partner, 0) != argument) return;
    if (b->uses.data[partner] == 0 || b->place.data[partner] != NO_PLACE) return;
    Place x = place_of(b, argument);
    settle(b, partner, emit(b, partner, (TapeOp)other, target_of(b, partner), x, NO_PLACE));
    b->ready.data[partner] = b->ready.data[e];
}

static Place emit_symbol(Builder *b, Expr e) {
    SymbolRole role = b->role.data[expr_symbol_index(b->dag, e)];
    bool foreign =
        role.kind == SYMBOL_UNKNOWN && role.block != b->block_number && !b->unknowns_given;
    if (role.kind == SYMBOL_UNSOLVED || (foreign && b->block_number >= 0)) {
        report_unsolved(b, e);
        return constant_place(b, expr_number(b->dag, 0));
    }
    if (role.kind == SYMBOL_PARAM) return b->view.operand.count ? operand(b, 0) : param_place(b, e);
    if (!foreign) return b->home.data[e];
    emit(b, e, TAPE_BLOCK, NO_PLACE, NO_PLACE, (uint32_t)role.block);
    BlockDraft *block = &b->block.data[role.block];
    for (int i = 0; i < block->size; i++)
        settle(b, block->unknown[i], b->home.data[block->unknown[i]]);
    return b->home.data[e];
}

// Inputs go to their places, from where the function is computed. A place per node: all functions
// of the program share it, as each computes before it reads.
static Place emit_matrix(Builder *b, Expr e) {
    MatrixShape shape = expr_matrix_kind(b->dag, e)->shape;
    int inputs = matrix_input_count(shape);
    Place *home = &b->home.data[e];
    if (*home == NO_PLACE) {
        *home = PLACE(SPACE_MATRIX, b->matrix_places);
        b->matrix_places += (uint32_t)inputs + (uint32_t)matrix_output_count(shape);
        array_push(&b->matrix, e);
    }
    Place first = *home;
    for (int i = 0; i < inputs; i++)
        emit(b, e, TAPE_COPY, first + (Place)i, operand(b, i), NO_PLACE);
    uint32_t number = 0;
    while (b->matrix.data[number] != e) number++;
    emit(b, e, TAPE_BLOCK, NO_PLACE, NO_PLACE, FIRST_MATRIX + number);
    return first;
}

static Place emit_entry(Builder *b, Expr e) {
    Expr matrix = expr_arg(b->dag, e, 0);
    MatrixShape shape = expr_matrix_kind(b->dag, matrix)->shape;
    int at = matrix_input_count(shape) + (int)expr_value(b->dag, expr_arg(b->dag, e, 1));
    Place from = b->home.data[matrix] + (Place)at, to = b->home.data[e];
    return to == NO_PLACE ? from : emit(b, e, TAPE_COPY, to, from, NO_PLACE);
}

// Needs: b->view of e, its operands computed.
static Place emit_node(Builder *b, Expr e) {
    Op op = expr_op(b->dag, e);
    switch (op) {
    case OP_NUMBER: return constant_place(b, e);
    case OP_SYMBOL: return emit_symbol(b, e);
    case OP_SUM: return emit_sum(b, e);
    case OP_PRODUCT: return emit_product(b, e);
    case OP_POWER: return emit_power(b, e);
    case OP_LESS:
    case OP_LESS_EQUAL: return emit_relation(b, e, op);
    case OP_IF: return emit_if(b, e);
    case OP_TABLE:
    case OP_TABLE_SLOPE: return emit_table(b, e, op);
    case OP_MATRIX: return emit_matrix(b, e);
    case OP_ENTRY: return emit_entry(b, e);
    case OP_FLOOR:
    case OP_CEIL:
    case OP_MOD: return emit_steps(b, e, op);
    default: break;
    }
    bool two = b->view.operand.count > 1;
    Place y = two ? operand(b, 1) : NO_PLACE, x = operand(b, 0);
    return emit(b, e, (TapeOp)op, target_of(b, e), x, y);
}

// --- functions -----------------------------------------------------------------------------------

void function_begin(Builder *b, Draft *draft, int level, int block) {
    builder_grow(b);
    b->draft = draft;
    b->from = level;
    b->block_number = block;
}

static void use(Builder *b, Expr e, int times) {
    if (is_outer(b, e)) return;
    uint8_t *uses = &b->uses.data[e];
    if (*uses == 0) {
        array_push(&b->stack, e);
        array_push(&b->touched, e);
    }
    *uses = (uint8_t)(*uses + times > 255 ? 255 : *uses + times);
}

static void use_symbol_parts(Builder *b, Expr e) {
    view_node(b, e);
    for (int i = 0; i < b->view.operand.count; i++) use(b, b->view.operand.data[i], 2);
}

// Counts how often each node is used, before anything is written: what is used once may be computed
// inside its only user.
void function_roots(Builder *b, const Expr *root, int count) {
    builder_grow(b);
    for (int i = 0; i < count; i++) {
        use(b, root[i], 2);
        while (b->stack.count) {
            Expr e = array_pop(&b->stack);
            int arguments = expr_arg_count(b->dag, e);
            for (int k = 0; k < arguments; k++) use(b, expr_arg(b->dag, e, k), 1);
            if (expr_op(b->dag, e) == OP_SYMBOL) use_symbol_parts(b, e);
        }
    }
}

static bool is_settled(const Builder *b, Expr e) {
    Place place = b->place.data[e];
    return is_outer(b, e) || (place != NO_PLACE && place != OPEN_PLACE);
}

static void open_node(Builder *b, Expr e) {
    settle(b, e, OPEN_PLACE);
    view_node(b, e);
    for (int i = b->view.operand.count - 1; i >= 0; i--) {
        Expr operand_node = b->view.operand.data[i];
        if (is_settled(b, operand_node)) continue;
        if (b->place.data[operand_node] == OPEN_PLACE) { // only parameters can do that
            if (!b->failed)
                report_error(b->report, E_PARAM_CIRCLE, POS_NONE,
                             "parameters depend on each other in a circle");
            b->failed = true;
            continue;
        }
        array_push(&b->stack, operand_node);
    }
}

static void close_node(Builder *b, Expr e) {
    view_node(b, e);
    Op op = expr_op(b->dag, e);
    int ready = op == OP_SUM || op == OP_PRODUCT ? view_arrange(b) : view_time(b, op);
    Place place = emit_node(b, e);
    b->place.data[e] = place;
    b->ready.data[e] = ready;
    if (op == OP_SIN || op == OP_COS) emit_partner(b, e, op);
}

static void visit(Builder *b, Expr root) {
    array_push(&b->stack, root);
    while (b->stack.count && !b->failed) {
        Expr e = array_last(&b->stack);
        if (is_settled(b, e)) {
            b->stack.count--;
        } else if (b->place.data[e] == OPEN_PLACE) {
            close_node(b, e);
            b->stack.count--;
        } else {
            open_node(b, e);
        }
    }
    b->stack.count = 0;
}

// A state or time, or a sum or product of such with constants.
static bool is_plain_angle(const Builder *b, Expr e) {
    Op op = expr_op(b->dag, e);
    if (b->level.data[e] > LEVEL_STATE || is_outer(b, e)) return false;
    if (op == OP_SYMBOL) return true;
    if (op != OP_SUM && op != OP_PRODUCT) return false;
    int count = expr_arg_count(b->dag, e);
    for (int i = 0; i < count; i++) {
        Expr part = expr_arg(b->dag, e, i);
        if (!is_outer(b, part) && expr_op(b->dag, part) != OP_SYMBOL) return false;
    }
    return true;
}

static bool is_angle_function(const Builder *b, Expr e) {
    Op op = expr_op(b->dag, e);
    return (op == OP_SIN || op == OP_COS) && b->uses.data[e] && !is_outer(b, e) &&
           is_plain_angle(b, expr_arg(b->dag, e, 0));
}

void function_angles(Builder *b, int from, int end) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = from; i < end && !b->failed; i++) {
            Expr e = b->touched.data[i];
            if (is_angle_function(b, e)) visit(b, pass == 0 ? expr_arg(b->dag, e, 0) : e);
        }
}

void function_add(Builder *b, Expr root) {
    builder_grow(b);
    visit(b, root);
    Place place = b->failed ? PLACE(SPACE_TIME, 0) : place_of(b, root);
    array_push(&b->draft->result, place);
}

// Temporaries find their final registers; what was noted about nodes is forgotten.
void function_end(Builder *b) {
    for (int i = 0; i < b->touched.count; i++) {
        b->place.data[b->touched.data[i]] = NO_PLACE;
        b->uses.data[b->touched.data[i]] = 0;
    }
    b->touched.count = 0;
    if (b->failed) return;
    bool inner = b->block_number >= 0;
    uint32_t count = draft_reuse(b->draft, inner ? SPACE_INNER : SPACE_WORK);
    uint32_t *most = inner ? &b->inner_count : &b->work_count;
    if (count > *most) *most = count;
}
