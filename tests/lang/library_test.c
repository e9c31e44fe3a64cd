// What is said of a name that no imported file defines: every definition of the library is found by
// its head alone.
#include "../test.h"

#include "base/files.h"
#include "lang/builder.h"
#include "lang/library.h"
#include "lang/parser.h"
#include <stdio.h>
#include <string.h>

static int missed;

static void look_for(const Syntax *s, const char *stem, const char *name) {
    Report r = {0};
    Remark *m = report_error(&r, L_UNKNOWN_CLASS, POS_NONE, "unknown");
    Suggestion none = suggest_for(name);
    Text text = {0}, wanted = {0};
    text_printf(&wanted, "`import %s`", stem);
    bool said = library_help(s, name, COMPONENT_CLASSES, &none, &r, m);
    report_print(&text, &r, s->sources);
    if (!said || !strstr(text_get(&text), "the library has it") ||
        !strstr(text_get(&text), text_get(&wanted))) {
        print_error("%s of %s: %s\n", name, stem, text_get(&text));
        missed++;
    }
    text_free(&text);
    text_free(&wanted);
    report_free(&r);
}

static void test_every_head(void **state) {
    (void)state;
    Arena arena = {0};
    Report report = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    Syntax s = {.sources = sources, .library = BONDYN_SOURCE "/library"};
    int count = 0, seen = 0;
    char **path = folder_files(&arena, s.library, ".bond", &count);
    for (int i = 0; i < count; i++) {
        size_t length;
        char *text = file_read(&arena, path[i], &length, &report, POS_NONE);
        uint32_t source = sources_add(sources, path[i], text, length);
        const AstFile *file = parse_file(&arena, names, sources, source, &report);
        for (const AstClass *c = file->classes; c; c = c->next) {
            if (!(COMPONENT_CLASSES >> c->kind & 1)) continue;
            if (seen++ % 5 == 0)
                look_for(&s, path_stem(&arena, path[i]), name_text(names, c->name));
        }
    }
    assert_int_equal(report.errors, 0);
    assert_true(seen > 500);
    assert_int_equal(missed, 0);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_head)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
