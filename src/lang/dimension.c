// How many scalars a built-in element has, and what its argument looks like before variables exist.
//
//   I[3] body(J)    written: 3                R hull(D)     D is 6 x 6: 6
//   TF arm(J)       J is 3 x 2: p1 has 2, p2 has 3 (f2 = m f1)
#include "lang/build.h"

static bool dimension_error(Builder *b, const Instance *i, const Value *v, const char *help) {
    Remark *m = complain(b, L_WRONG_SHAPE, ast_start(i->argument),
                         "the argument of '%s' is %s, which does not fit", text_of(b, i->path),
                         shape_text(b, v->rows, v->cols));
    remark_help(b->r, m, "%s", help);
    return false;
}

static bool dimension_from_argument(Builder *b, Instance *i, const Value *v) {
    CompKind kind = i->builtin->kind;
    int written = i->dim;
    bool scalar = v->rows * v->cols == 1;
    if (kind == COMP_SE || kind == COMP_SF) {
        if (v->cols != 1 || (written && v->rows != written && !(v->is & IS_ZERO)))
            return dimension_error(b, i, v,
                                   "a source wants a scalar, or a vector of its dimension");
        i->dim = written ? written : v->rows;
    } else if (scalar) {
        i->dim = written ? written : 1;
    } else if (kind == COMP_TF || kind == COMP_GY) {
        if (written && (v->rows != written || v->cols != written))
            return dimension_error(b, i, v,
                                   "with a written dimension n the argument is a scalar "
                                   "or n x n");
        i->dim = v->cols;
        i->dim2 = v->rows;
        return true;
    } else {
        if (v->cols == 1) return dimension_error(b, i, v, "write diag(...) for a diagonal matrix");
        if (v->rows != v->cols || (written && v->rows != written))
            return dimension_error(b, i, v,
                                   "a scalar or a square matrix of the element's "
                                   "dimension is wanted");
        i->dim = v->rows;
    }
    i->dim2 = i->dim;
    return true;
}

// A constant argument must be a finite number, and one that is divided by must not be 0.
static bool argument_is_sound(Builder *b, Lower *l, const Instance *i, const Value *v) {
    if (v->is & VARIES) return true;
    Constant c;
    Pos pos = ast_start(i->argument);
    const char *name = text_of(b, i->path), *argument = i->builtin->argument;
    if (!value_numbers(l, v, &c, &b->tmp)) {
        complain_not_finite(b, pos, "%s of '%s'", argument, name);
        return false;
    }
    bool divides = i->builtin->kind == COMP_C || i->builtin->kind == COMP_I;
    if (divides && c.rows * c.cols == 1 && c.one == 0) {
        Remark *m = complain(b, L_NOT_A_NUMBER, pos, "%s of '%s' is 0", argument, name);
        remark_help(b->r, m,
                    "leave the element out instead; decimals are written with a point: 0.01");
        return false;
    }
    return true;
}

static bool check_modulation(Builder *b, const Instance *i, const Value *v) {
    CompKind kind = i->builtin->kind;
    bool fixed = kind == COMP_SE || kind == COMP_SF || kind == COMP_TF || kind == COMP_GY;
    if (!fixed || i->builtin->modulated || !(v->is & HAS_VARIABLE)) return true;
    Remark *m = complain(b, L_MODULATED, ast_start(i->argument),
                         "the argument of %s '%s' depends on variables of the model",
                         i->builtin->type, text_of(b, i->path));
    remark_help(b->r, m, "write M%s %s: the modulated form takes any expression", i->builtin->type,
                text_of(b, i->name));
    return false;
}

static bool look_at_argument(Builder *b, int instance) {
    Lower l = lower_shapes(b);
    const Instance before = b->instance.data[instance];
    Value v = lower(&l, before.argument, argument_env(b, &before));
    Instance *i = &b->instance.data[instance];
    if (!value_ok(&v) || !dimension_from_argument(b, i, &v)) return false;
    i->argument_dim = v.dim;
    i->argument_is = v.is;
    bool source = i->builtin->kind == COMP_SE || i->builtin->kind == COMP_SF;
    i->own_symbol = !source && v.rows * v.cols == 1 && !(v.is & CARRIED);
    return argument_is_sound(b, &l, i, &v) && check_modulation(b, i, &v);
}

static void set_terminals(Builder *b, int instance) {
    const Instance *i = &b->instance.data[instance];
    b->terminal.data[i->first_terminal].dim = i->dim;
    if (i->builtin->ports == 2) b->terminal.data[i->first_terminal + 1].dim = i->dim2;
}

bool instance_dimension(Builder *b, int instance) {
    Instance *i = &b->instance.data[instance];
    if (!i->builtin || i->dim_is >= FOUND) return i->dim_is != WRONG;
    if (i->dim_is == UNDER_WAY) {
        Remark *m = complain(b, L_BAD_SIZE, i->item->pos, "the dimension of '%s' depends on itself",
                             text_of(b, i->path));
        remark_help(b->r, m, "write it: %s[1] %s", i->builtin->type, text_of(b, i->name));
        return false;
    }
    i->dim_is = UNDER_WAY;
    bool good = true;
    if (i->argument) good = look_at_argument(b, instance);
    i = &b->instance.data[instance];
    if (!i->dim) i->dim = 1;
    if (!i->dim2) i->dim2 = i->dim;
    i->dim_is = good ? FOUND : WRONG;
    set_terminals(b, instance);
    return good;
}

void find_dimensions(Builder *b) {
    for (int i = 0; i < b->instance.count && !b->stop; i++)
        if (b->instance.data[i].builtin) instance_dimension(b, i);
    b->node_count = 0;
    for (int t = 0; t < b->terminal.count && !b->stop; t++) {
        Terminal *x = &b->terminal.data[t];
        if (!x->dim) x->dim = 1;
        if (!count_scalars(b, x->dim, terminal_pos(b, x))) return;
        x->node = b->node_count;
        b->node_count += x->dim;
    }
}
