// documentation/index.html: graph, equations and variables of the model.
#include "fmi/inside.h"

#include "page/formulas.h"

static void cell(Text *out, const char *text) {
    text_add(out, "<td>");
    text_xml(out, text ? text : "");
    text_add(out, "</td>");
}

static void write_variables(Text *out, const FmuWriting *u, FmuKind kind, const char *title) {
    if (u->first[kind] == u->first[kind + 1]) return;
    text_printf(
        out, "<h2>%s</h2>\n<table>\n<tr><th>name</th><th>value</th><th>unit</th><th></th></tr>\n",
        title);
    for (int i = u->first[kind]; i < u->first[kind + 1]; i++) {
        const FmuVariable *v = &u->variable[i];
        Text value = {0};
        if (kind == FMU_PARAM || kind == FMU_INPUT) text_number(&value, v->start);
        text_add(out, "<tr>");
        cell(out, v->name);
        cell(out, text_get(&value));
        cell(out, v->unit);
        cell(out, v->var > 0 ? name_text(u->model->names, u->model->var[v->var].text) : "");
        text_add(out, "</tr>\n");
        text_free(&value);
    }
    text_add(out, "</table>\n");
}

void fmu_page(Text *out, FmuWriting *u) {
    const Model *m = u->model;
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    text_xml(out, name_text(m->names, m->name));
    text_add(out, "</title>\n<style>body{font:16px sans-serif;margin:2em;max-width:70em}"
                  "td,th{text-align:left;padding:0 1em 0 0}svg{max-width:100%;height:auto}</style>"
                  "</head><body>\n<h1>");
    text_xml(out, name_text(m->names, m->name));
    text_add(out, "</h1>\n<p>");
    text_xml(out, name_text(m->names, m->text));
    text_add(out, "</p>\n<h2>Bond graph</h2>\n");
    graph_svg(out, u->system->graph);
    text_add(out, "<h2>Equations</h2>\n");
    formulas_html(out, u->system);
    write_variables(out, u, FMU_PARAM, "Parameters");
    write_variables(out, u, FMU_INPUT, "Inputs");
    write_variables(out, u, FMU_STATE, "States");
    text_add(out, "</body></html>\n");
}
