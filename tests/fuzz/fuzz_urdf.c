// Any bytes as a robot description: refused with remarks, or written as text that the parser takes.
#include "import/urdf.h"
#include "lang/parser.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = {0};
    Report report = {0};
    Text text = {0}, printed = {0};
    Names *names = names_new();
    Sources *sources = sources_new();
    uint32_t source = sources_add(sources, "fuzz.urdf", (const char *)data, size);
    UrdfOptions options = {0};
    bool good = urdf_import(&text, sources, source, &options, &report);
    if (good == (report.errors > 0)) abort();
    if (good) {
        source = sources_add(sources, "fuzz.bond", text_get(&text), text.length);
        parse_file(&arena, names, sources, source, &report);
        if (report.errors) abort(); // what is written must be readable
    }
    report_print(&printed, &report, sources);
    text_free(&text);
    text_free(&printed);
    report_free(&report);
    sources_free(sources);
    names_free(names);
    arena_free(&arena);
    return 0;
}
