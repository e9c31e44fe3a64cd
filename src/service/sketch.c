// A model that cannot be built yet, drawn from its text alone: boxes and half-arrows without
// strokes.
#include "graph/picture.h"
#include "service/draw.h"
#include <string.h>

typedef struct {
    Draft draft;
    ARRAY(PictureNode) node;
    ARRAY(PictureLine) line;
} Sketch;

static bool names_source(const char *type) {
    return strcmp(type, "Se") == 0 || strcmp(type, "Sf") == 0 || strcmp(type, "MSe") == 0 ||
           strcmp(type, "MSf") == 0;
}

static void add_component(Sketch *k, const AstItem *i) {
    Draft *d = &k->draft;
    Arena *out = &d->arena;
    const char *name = name_text(d->names, i->name);
    Text type = {0};
    if (i->path) ast_print(&type, d->names, i->path);
    PictureNode n = {.kind = NODE_COMP, .comp = -1, .path = name, .subtitle = ""};
    n.junction = i->junction >= 0;
    n.source = names_source(text_get(&type));
    n.text = i->text ? name_text(d->names, i->text) : NULL;
    n.title =
        n.junction ? (i->junction ? "1" : "0") : arena_printf(out, "%s: %s", text_get(&type), name);
    if (n.junction) n.subtitle = name;
    DraftArguments a = draft_arguments(d, i);
    Span value = a.value.end ? a.value : a.argument.count ? a.argument.data[0].value : (Span){0, 0};
    if (value.end > value.at && value.end - value.at < 30)
        n.subtitle = arena_copy_text(out, d->text + value.at, value.end - value.at);
    array_free(&a.argument);
    text_free(&type);
    array_push(&k->node, n);
}

static int node_of(const Sketch *k, Span end) {
    for (int i = 0; i < k->node.count; i++)
        if (span_is_of(&k->draft, end, k->node.data[i].path)) return i;
    return -1;
}

// "motor.shaft": the name behind the component's
static const char *port_of(Sketch *k, Span end) {
    const char *text = k->draft.text;
    for (uint32_t at = end.at; at < end.end; at++)
        if (text[at] == '.')
            return arena_copy_text(&k->draft.arena, text + at + 1, end.end - at - 1);
    return "";
}

static void add_bonds(Sketch *k) {
    DraftBonds bonds = draft_bonds(&k->draft);
    for (int i = 0; i < bonds.count; i++) {
        int from = node_of(k, bonds.data[i].from), to = node_of(k, bonds.data[i].to);
        if (from < 0 || to < 0) continue;
        PictureLine line = {.from = from, .to = to, .bond = i, .last = i, .dim = 1};
        line.tail = port_of(k, bonds.data[i].from);
        line.head = port_of(k, bonds.data[i].to);
        array_push(&k->line, line);
    }
    array_free(&bonds);
}

bool draw_sketch(Text *out, const Document *d, const char *model, const GraphPlace *place,
                 int place_count, Text *name) {
    Sketch k = {0};
    draft_open(&k.draft, text_get(&d->text), d->text.length, model);
    bool good = k.draft.class;
    if (good) {
        for (const AstItem *i = k.draft.class->items; i; i = i->next)
            if (i->kind == ITEM_COMPONENT && !i->set) add_component(&k, i);
        add_bonds(&k);
        Picture p = {.node = k.node.data,
                     .node_count = k.node.count,
                     .line = k.line.data,
                     .line_count = k.line.count};
        GraphView view = GRAPH_WHOLE;
        view.place = place;
        view.place_count = place_count;
        text_add(name, name_text(k.draft.names, k.draft.class->name));
        picture_svg(out, &p, text_get(name), &view);
    }
    array_free(&k.node);
    array_free(&k.line);
    draft_close(&k.draft);
    return good;
}
