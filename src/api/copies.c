// A model to write into: names and expressions are copied, under the same numbers; the rest is
// shared.
#include "api/handles.h"

void copy_open(Copy *c, const BdModel *m) {
    const Pipeline *p = &m->p;
    *c = (Copy){.names = names_copy(m->names),
                .model = *p->model,
                .graph = *p->graph,
                .system = *p->system};
    c->model.names = c->names;
    c->model.dag = dag_copy(p->model->dag, c->names);
    c->graph.model = &c->model;
    c->system.model = &c->model;
    c->system.graph = &c->graph;
    c->system.dag = c->model.dag;
}

void copy_close(Copy *c) {
    model_free_expressions(&c->model);
    names_free(c->names);
    *c = (Copy){0};
}
