// new: a commented model that runs, as a start.
#include "verb/verb.h"

#include <ctype.h>
#include <string.h>

static const char *template_name_at(const void *of, int i) {
    return ((const Template *)of)[i].name;
}

static const Template *find_template(Session *s) {
    const char *asked = session_value(s, OPT_TEMPLATE);
    int count;
    const Template *all = template_table(&count);
    for (int i = 0; i < count; i++)
        if (!asked || strcmp(all[i].name, asked) == 0) return &all[i];
    Remark *m = report_error(&s->report, T_BAD_VALUE, POS_NONE, "there is no template '%s'", asked);
    const char *near = nearest_word(asked, count, template_name_at, all);
    if (near)
        remark_help(&s->report, m, "did you mean '%s'?", near);
    else
        remark_help(&s->report, m, "take %s", option_info(OPT_TEMPLATE)->help);
    return NULL;
}

// "my-crane 2" -> "MyCrane2": letters and digits only, every word with a capital.
static void model_name(Text *out, const char *stem) {
    bool capital = true;
    for (; *stem; stem++) {
        unsigned char c = (unsigned char)*stem;
        bool fits = c < 0x80 && isalnum(c);
        if (fits && !out->length && isdigit(c)) text_add(out, "Model");
        if (fits) text_char(out, (char)(capital ? toupper(c) : c));
        capital = !fits;
    }
    if (!out->length) text_add(out, "Model");
}

static void fill_template(Text *t, const char *text, const char *model, const char *file) {
    for (; *text; text++) {
        if (*text == '@') {
            text_add(t, model);
        } else if (strncmp(text, "FILE", 4) == 0) {
            text_add(t, file);
            text += 3;
        } else {
            text_char(t, *text);
        }
    }
}

ExitCode verb_new(Session *s) {
    const char *asked = session_argument(s, 0);
    const Template *template = find_template(s);
    if (!template) return EXIT_USAGE;
    size_t length = strlen(asked);
    bool has_end = length > 5 && strcmp(asked + length - 5, ".bond") == 0;
    const char *path = has_end ? asked : arena_printf(&s->arena, "%s.bond", asked);
    if (file_exists(path)) {
        Remark *m = report_error(&s->report, T_FILE_EXISTS, POS_NONE, "'%s' exists already", path);
        remark_help(&s->report, m, "take another name, or move the file away");
        return EXIT_INPUT;
    }
    Text text = {0}, model = {0};
    model_name(&model, path_stem(&s->arena, path));
    fill_template(&text, template->text, text_get(&model), path_base(path));
    bool good = file_write(path, text_get(&text), text.length, &s->report);
    text_free(&text);
    text_free(&model);
    if (!good) return EXIT_INPUT;
    if (s->json) {
        json_text_of(&s->out, "file", path);
    } else if (!session_has(s, OPT_QUIET)) {
        text_printf(&s->out, "written %s: %s\nrun it with: bondyn run %s\n", path, template->about,
                    path);
    }
    return EXIT_GOOD;
}
