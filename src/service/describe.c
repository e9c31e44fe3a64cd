// See describe.h.
#include "service/describe.h"

#include <string.h>

// The word that declares it: "model", "table".
static const char *class_word(const AstClass *c) {
    static const char *const words[] = {"model",  "element", "experiment", "function", "table",
                                        "domain", "const",   "import",     "mechanism"};
    return c->lagrangian ? "lagrangian" : words[c->kind];
}

// The word that declares it: "param", "joint".
static const char *item_word(const AstItem *i) {
    switch (i->kind) {
    case ITEM_PARAM: return "param";
    case ITEM_CONST: return "const";
    case ITEM_PORT: return "port";
    case ITEM_INPUT: return "input";
    case ITEM_OUTPUT: return "output";
    case ITEM_VAR: return "var";
    case ITEM_JOINT: return i->expr_count ? "joint" : "coordinate";
    case ITEM_BODY: return "body";
    case ITEM_FRAME: return "frame";
    case ITEM_TIE: return "constraint";
    case ITEM_VELOCITY: return "velocity";
    case ITEM_COMPONENT: return i->set ? "param" : "component";
    default: return "";
    }
}

static void print_size(Text *t, const Names *n, const AstItem *i) {
    for (int k = 0; k < i->size_count; k++) {
        text_char(t, k ? ',' : '[');
        ast_print(t, n, i->size[k]);
    }
    if (i->size_count) text_char(t, ']');
}

static void print_dimension(Text *t, const Names *n, const AstExpr *e) {
    if (!e) return;
    text_char(t, '[');
    ast_print(t, n, e);
    text_char(t, ']');
}

static void print_args(Text *t, const Names *n, const AstArg *args, int count) {
    for (int i = 0; i < count; i++) {
        text_add(t, i ? ", " : "(");
        if (args[i].name) text_printf(t, "%s = ", name_text(n, args[i].name));
        ast_print(t, n, args[i].value);
    }
    if (count) text_char(t, ')');
}

static void describe_component(Text *t, const Names *n, const AstItem *i) {
    if (i->set) text_printf(t, "param %s", name_text(n, i->name));
    if (i->set) print_size(t, n, i);
    if (i->set) text_add(t, ": ");
    if (i->junction >= 0)
        text_char(t, i->junction ? '1' : '0');
    else
        ast_print(t, n, i->path);
    print_dimension(t, n, i->set ? NULL : i->dimension);
    if (!i->set) text_printf(t, " %s", name_text(n, i->name));
    if (!i->set) print_size(t, n, i);
    print_args(t, n, i->args, i->arg_count);
    if (i->left) {
        text_add(t, " = ");
        ast_print(t, n, i->left);
    }
}

static void describe_value(Text *t, const Names *n, const AstItem *i) {
    text_printf(t, "%s %s", item_word(i), name_text(n, i->name));
    print_size(t, n, i);
    if (i->has_unit) text_printf(t, " {%s}", name_text(n, i->unit_text));
    if (i->discrete) text_add(t, " discrete");
    if (!i->left) return;
    text_add(t, i->kind == ITEM_VAR || i->discrete ? " initial " : " = ");
    ast_print(t, n, i->left);
}

void describe_item(Text *t, const Names *n, const AstItem *i) {
    switch (i->kind) {
    case ITEM_COMPONENT: describe_component(t, n, i); break;
    case ITEM_PARAM:
    case ITEM_CONST:
    case ITEM_INPUT:
    case ITEM_OUTPUT:
    case ITEM_VAR: describe_value(t, n, i); break;
    case ITEM_PORT:
        text_printf(t, "port %s", name_text(n, i->name));
        print_size(t, n, i);
        text_add(t, ": ");
        ast_print(t, n, i->path);
        print_dimension(t, n, i->dimension);
        if (i->out) text_add(t, " out");
        break;
    case ITEM_JOINT:
    case ITEM_TIE:
        text_printf(t, "%s %s ", item_word(i), name_text(n, i->name));
        if (i->path) ast_print(t, n, i->path);
        for (int k = 0; k < i->expr_count; k++) {
            text_add(t, k ? " -> " : ": ");
            ast_print(t, n, i->exprs[k]);
        }
        break;
    case ITEM_FRAME:
        text_printf(t, "frame %s", name_text(n, i->name));
        if (i->expr_count) text_add(t, " on ");
        if (i->expr_count) ast_print(t, n, i->exprs[0]);
        break;
    default: text_printf(t, "%s %s", item_word(i), name_text(n, i->name));
    }
}

void describe_class(Text *t, const Names *n, const AstClass *c) {
    text_printf(t, "%s %s", class_word(c), name_text(n, c->name));
    for (int i = 0; i < c->formal_count; i++) {
        text_printf(t, "%s%s", i ? ", " : "(", name_text(n, c->formals[i].name));
        if (c->formals[i].has_unit) text_printf(t, " {%s}", name_text(n, c->formals[i].unit_text));
    }
    if (c->formal_count) text_char(t, ')');
    if (c->has_unit && c->unit_text) text_printf(t, " {%s}", name_text(n, c->unit_text));
    if (c->kind == CLASS_DOMAIN) text_printf(t, " flow {%s}", name_text(n, c->flow_unit_text));
    if (c->base) {
        text_add(t, c->kind == CLASS_EXPERIMENT ? " of " : " extends ");
        ast_print(t, n, c->base);
        print_args(t, n, c->args, c->arg_count);
    }
    if (c->value && (c->kind == CLASS_CONST || !c->items)) {
        text_add(t, " = ");
        ast_print(t, n, c->value);
    }
}

typedef struct {
    Text *out;
    const Names *names;
    int count;
} Listing;

static bool list_member(void *context, const AstFile *file, const AstClass *c, const AstItem *i) {
    enum { MOST = 40 };
    (void)file;
    (void)c;
    Listing *l = context;
    bool shown = i->kind == ITEM_PORT || i->kind == ITEM_PARAM || i->kind == ITEM_INPUT ||
                 i->kind == ITEM_OUTPUT || i->set;
    if (!shown) return true;
    if (++l->count > MOST) return false;
    describe_item(l->out, l->names, i);
    if (*name_text(l->names, i->text)) text_printf(l->out, "  // %s", name_text(l->names, i->text));
    text_char(l->out, '\n');
    return true;
}

void describe_members(Text *out, const Analysis *a, Definition d) {
    Listing l = {out, a->names, 0};
    each_declaration(a, d, list_member, &l);
}

const char *describe_element(const char *type) {
    static const struct {
        const char *type, *law;
    } laws[] = {{"Se", "source of effort: `Se name = expression`, e = expression"},
                {"MSe", "source of effort that any signal may set: e = expression"},
                {"Sf", "source of flow: `Sf name = expression`, f = expression"},
                {"MSf", "source of flow that any signal may set: f = expression"},
                {"R", "resistor `R name(R)`: e = R f"},
                {"C", "capacitor, spring `C name(C, q0 = 0)`: q' = f, e = q/C"},
                {"I", "inertia, inductor `I name(I, p0 = 0)`: p' = e, f = p/I"},
                {"TF", "transformer `TF name(m)`: e1 = m e2, f2 = m f1"},
                {"MTF", "transformer with any modulus: e1 = m e2, f2 = m f1"},
                {"GY", "gyrator `GY name(r)`: e1 = r f2, e2 = r f1"},
                {"MGY", "gyrator with any modulus: e1 = r f2, e2 = r f1"},
                {"De", "sensor of effort: f = 0"},
                {"Df", "sensor of flow: e = 0"}};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
        if (strcmp(laws[i].type, type) == 0) return laws[i].law;
    return NULL;
}
