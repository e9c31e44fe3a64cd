// Taking expressions apart, term by term. A balance of ten thousand bonds has ten thousand terms,
// so nothing here may look at the whole sum for each of them.
#include "equations/linear.h"

bool quantity_has_place(const void *context, int quantity) {
    const Work *w = context;
    return w->quantity.data[quantity].place >= 0;
}

// The wanted quantities below e go to `found`, each once.
typedef ARRAY(int) Ints;
static void find_quantities(Work *w, Expr e, bool (*wanted)(const void *, int), const void *context,
                            Ints *found) {
    found->count = 0;
    walk_start(w->walk);
    walk_add(w->walk, e);
    for (int i = 0; i < walk_count(w->walk); i++) {
        Expr x = walk_at(w->walk, i);
        int q = expr_op(w->dag, x) == OP_SYMBOL ? quantity_of(w, x) : -1;
        if (q >= 0 && wanted(context, q)) array_push(found, q);
    }
}

static int term_count(const Work *w, Expr e) {
    return expr_op(w->dag, e) == OP_SUM ? expr_arg_count(w->dag, e) : 1;
}

static Expr term_at(const Work *w, Expr e, int i) {
    return expr_op(w->dag, e) == OP_SUM ? expr_arg(w->dag, e, i) : e;
}

static int compare_terms(const void *a, const void *b) {
    const Term *x = a, *y = b;
    return (x->quantity > y->quantity) - (x->quantity < y->quantity);
}

// Terms of one quantity become one.
static void collect_terms(Work *w, Terms *terms) {
    if (terms->count == 0) return;
    qsort(terms->data, (size_t)terms->count, sizeof *terms->data, compare_terms);
    int kept = 0;
    for (int i = 0; i < terms->count; i++) {
        Term t = terms->data[i];
        if (kept > 0 && terms->data[kept - 1].quantity == t.quantity) {
            Expr *c = &terms->data[kept - 1].coefficient;
            *c = expr_add(w->dag, *c, t.coefficient);
        } else
            terms->data[kept++] = t;
    }
    terms->count = 0;
    for (int i = 0; i < kept; i++) {
        double value;
        bool zero = expr_is_number(w->dag, terms->data[i].coefficient, &value) && value == 0;
        if (!zero) terms->data[terms->count++] = terms->data[i];
    }
}

// c*x with x in the block and c made of numbers and other symbols: the usual case, at a glance.
static bool take_simple(Work *w, Expr term, Terms *terms) {
    int quantity = -1;
    if (expr_op(w->dag, term) == OP_SYMBOL) {
        quantity = quantity_of(w, term);
        if (quantity < 0 || !quantity_has_place(w, quantity)) return false;
        array_push(terms, ((Term){quantity, expr_number(w->dag, 1)}));
        return true;
    }
    Expr x = 0, beside = 0;
    if (expr_op(w->dag, term) != OP_PRODUCT) return false;
    for (int i = 0; i < expr_arg_count(w->dag, term); i++) {
        Expr f = expr_arg(w->dag, term, i);
        Op op = expr_op(w->dag, f);
        int q = op == OP_SYMBOL ? quantity_of(w, f) : -1;
        if (q >= 0 && quantity_has_place(w, q)) {
            if (x) return false;
            x = f;
            quantity = q;
        } else if (op != OP_SYMBOL && op != OP_NUMBER)
            return false;
        else
            beside = beside ? expr_mul(w->dag, beside, f) : f;
    }
    if (!x) return false;
    array_push(terms, ((Term){quantity, beside}));
    return true;
}

// One term of the sum: its linear parts go to `terms`, what is left to *rest.
static bool take_apart(Work *w, Expr term, Ints *found, Ints *inner, Terms *terms, Expr *rest) {
    if (take_simple(w, term, terms)) {
        *rest = expr_number(w->dag, 0);
        return true;
    }
    find_quantities(w, term, quantity_has_place, w, found);
    for (int i = 0; i < found->count; i++) {
        Expr coefficient, left;
        Expr x = w->quantity.data[found->data[i]].symbol;
        if (!expr_linear_in(w->dag, term, x, &coefficient, &left)) return false;
        find_quantities(w, coefficient, quantity_has_place, w, inner);
        if (inner->count > 0) return false;
        array_push(terms, ((Term){found->data[i], coefficient}));
        term = left;
    }
    *rest = term;
    return true;
}

bool linear_form(Work *w, Expr residual, Terms *terms, Expr *rest) {
    Ints found = {0}, inner = {0};
    ARRAY(Expr) rests = {0};
    bool linear = true;
    terms->count = 0;
    int n = term_count(w, residual);
    for (int i = 0; linear && i < n; i++) {
        Expr left;
        linear = take_apart(w, term_at(w, residual, i), &found, &inner, terms, &left);
        if (linear) array_push(&rests, left);
    }
    if (linear) {
        collect_terms(w, terms);
        *rest = expr_sum(w->dag, rests.data, rests.count);
    }
    array_free(&found);
    array_free(&inner);
    array_free(&rests);
    return linear;
}

void slopes(Work *w, Expr residual, bool (*wanted)(const void *context, int quantity),
            const void *context, Terms *terms) {
    Ints found = {0};
    Partials *partials = partials_new(w->dag);
    terms->count = 0;
    int n = term_count(w, residual);
    for (int i = 0; i < n; i++) {
        Expr term = term_at(w, residual, i);
        find_quantities(w, term, wanted, context, &found);
        if (found.count) partials_of(partials, term);
        for (int k = 0; k < found.count; k++) {
            Expr slope = partials_by(partials, w->quantity.data[found.data[k]].symbol);
            array_push(terms, ((Term){found.data[k], slope}));
        }
    }
    collect_terms(w, terms);
    partials_free(partials);
    array_free(&found);
}
