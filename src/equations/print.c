// The reduced equations as people read them, as LaTeX and as JSON.
//
//     parameters
//       m = 1 {kg}    mass
//     equations
//       der(mass.p) = drive.e - d*v.f - spring.q*k
//     where
//       v.f = mass.p/m
//     solve for a, b:
//       0 = ...
#include "equations/listing.h"

// --- text ---------------------------------------------------------------------------------------

static void text_params(Text *out, Listing *l) {
    const Model *m = l->system->model;
    if (l->params.count > 0) text_add(out, "parameters\n");
    for (int i = 0; i < l->params.count; i++) {
        const Var *v = &m->var[l->params.data[i]];
        text_add(out, "  ");
        listing_name(out, l, l->params.data[i]);
        text_add(out, " = ");
        listing_param_value(out, l, l->params.data[i]);
        if (v->text) text_printf(out, "    %s", name_text(m->names, v->text));
        text_char(out, '\n');
    }
}

static bool value_is_named(Listing *l, int var) {
    Text name = {0};
    listing_name(&name, l, var);
    return listing_names(l, &name, l->system->value[var]);
}

static void text_states(Text *out, Listing *l) {
    const System *s = l->system;
    if (s->state_count == 0) return;
    text_add(out, "equations\n");
    for (int i = 0; i < s->state_count; i++) {
        if (listing_rate_is_named(l, i)) continue;
        text_add(out, "  ");
        listing_der(out, l, i);
        text_add(out, " = ");
        listing_expr(out, l, s->rate[i]);
        text_char(out, '\n');
    }
}

// Without states the values are the result.
static void text_values(Text *out, Listing *l) {
    const System *s = l->system;
    if (s->state_count > 0) return;
    text_add(out, "values\n");
    for (int v = 0; v < s->model->var_count; v++) {
        VarKind kind = s->model->var[v].kind;
        if (kind == VAR_PARAM || kind == VAR_TIME || s->value[v] == s->model->var[v].symbol ||
            value_is_named(l, v))
            continue;
        text_add(out, "  ");
        listing_name(out, l, v);
        text_add(out, " = ");
        listing_expr(out, l, s->value[v]);
        text_char(out, '\n');
    }
}

static void text_definitions(Text *out, Listing *l) {
    if (l->definition.count > 0) text_add(out, "where\n");
    for (int i = 0; i < l->definition.count; i++) {
        text_printf(out, "  %s = ", l->definition.data[i].name);
        listing_definition(out, l, i);
        text_char(out, '\n');
    }
}

static void text_blocks(Text *out, Listing *l) {
    const System *s = l->system;
    for (int b = 0; b < s->block_count; b++) {
        const Block *block = &s->block[b];
        text_add(out, "solve for ");
        for (int i = 0; i < block->size; i++) {
            if (i > 0) text_add(out, ", ");
            listing_expr(out, l, block->unknown[i]);
        }
        text_add(out, ":\n");
        for (int i = 0; i < block->size; i++) {
            text_add(out, "  0 = ");
            listing_expr(out, l, block->residual[i]);
            text_char(out, '\n');
        }
    }
}

// --- LaTeX --------------------------------------------------------------------------------------

static void latex_system(Text *out, Listing *l) {
    text_add(out, "\\begin{aligned}\n");
    for (int i = 0; i < l->line.count; i++) {
        listing_left(out, l, i);
        text_add(out, " &= ");
        listing_right(out, l, i);
        text_add(out, " \\\\\n");
    }
    text_add(out, "\\end{aligned}\n");
}

// --- JSON ---------------------------------------------------------------------------------------

static void json_expr(Text *out, Listing *l, Expr e) {
    Text text = {0};
    listing_expr(&text, l, e);
    text_json(out, text_get(&text));
    text_free(&text);
}

static void json_name(Text *out, const Model *m, Name name) {
    text_json(out, name ? name_text(m->names, name) : "");
}

static void json_params(Text *out, Listing *l) {
    const Model *m = l->system->model;
    text_add(out, "\"parameters\":[");
    for (int i = 0; i < l->params.count; i++) {
        const Var *v = &m->var[l->params.data[i]];
        text_add(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        json_name(out, m, v->path);
        text_add(out, ",\"value\":");
        double value;
        if (v->value && expr_is_number(m->dag, v->value, &value))
            text_number(out, value);
        else if (v->value)
            json_expr(out, l, v->value);
        else
            text_add(out, "null");
        text_add(out, ",\"unit\":");
        json_name(out, m, v->unit);
        text_add(out, ",\"description\":");
        json_name(out, m, v->text);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void json_states(Text *out, Listing *l) {
    const System *s = l->system;
    text_add(out, ",\"states\":[");
    for (int i = 0; i < s->state_count; i++) {
        int v = s->state_var[i];
        text_add(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        text_json(out, system_state_name(s, i));
        text_add(out, ",\"unit\":");
        json_name(out, s->model, v >= 0 ? s->model->var[v].unit : 0);
        text_add(out, ",\"start\":");
        json_expr(out, l, s->start[i]);
        text_add(out, ",\"rate\":");
        json_expr(out, l, s->rate[i]);
        text_add(out, "}");
    }
    text_add(out, "]");
}

static void json_definitions(Text *out, Listing *l) {
    text_add(out, ",\"definitions\":[");
    for (int i = 0; i < l->definition.count; i++) {
        Text text = {0};
        listing_definition(&text, l, i);
        text_add(out, i > 0 ? ",{\"name\":" : "{\"name\":");
        text_json(out, l->definition.data[i].name);
        text_add(out, ",\"value\":");
        text_json(out, text_get(&text));
        text_add(out, "}");
        text_free(&text);
    }
    text_add(out, "]");
}

static void json_list(Text *out, Listing *l, const Expr *e, int n) {
    text_add(out, "[");
    for (int i = 0; i < n; i++) {
        if (i > 0) text_add(out, ",");
        json_expr(out, l, e[i]);
    }
    text_add(out, "]");
}

static void json_blocks(Text *out, Listing *l) {
    const System *s = l->system;
    text_add(out, ",\"blocks\":[");
    for (int b = 0; b < s->block_count; b++) {
        text_printf(out, "%s{\"linear\":%s,\"unknowns\":", b > 0 ? "," : "",
                    s->block[b].linear ? "true" : "false");
        json_list(out, l, s->block[b].unknown, s->block[b].size);
        text_add(out, ",\"residuals\":");
        json_list(out, l, s->block[b].residual, s->block[b].size);
        text_add(out, "}");
    }
    text_add(out, "]");
}

void equations_print(Text *out, const System *s, EquationsStyle style) {
    Listing l;
    listing_open(&l, s, style == EQUATIONS_LATEX ? PRINT_LATEX : PRINT_TEXT);
    if (style == EQUATIONS_TEXT) {
        text_params(out, &l);
        text_states(out, &l);
        text_values(out, &l);
        text_definitions(out, &l);
        text_blocks(out, &l);
    } else if (style == EQUATIONS_LATEX)
        latex_system(out, &l);
    else {
        text_add(out, "{\"model\":");
        json_name(out, s->model, s->model->name);
        text_add(out, ",");
        json_params(out, &l);
        json_states(out, &l);
        json_definitions(out, &l);
        json_blocks(out, &l);
        text_add(out, "}\n");
    }
    listing_close(&l);
}
