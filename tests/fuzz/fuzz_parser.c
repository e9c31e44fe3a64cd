// Any bytes into the parser: it has to come back, with a tree or with remarks.
#include "base/report.h"
#include "lang/parser.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Report report = {0};
    Text printed = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    uint32_t source = sources_add(sources, "fuzz.bond", (const char *)data, size);
    parse_file(&arena, names, sources, source, &report);
    report_print(&printed, &report, sources);
    parse_expression_text(&arena, names, sources, source, &report);
    parse_setting_text(&arena, names, sources, source, &report);
    text_free(&printed);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
    return 0;
}
