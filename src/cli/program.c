// bondyn VERB ...: options anywhere, `--name value`, `--name=value`, `-n value`, switches; `--`
// ends the options.
#include "cli/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

// --- words ---------------------------------------------------------------------------------------

// The option of the verb that a word names: "--stop=3" or "-j4". False: it has none like that.
static bool find_option(const char *verb, const char *word, BdOptionInfo *info) {
    size_t length = strcspn(word, "=");
    for (int i = 0; bd_option_info(verb, i, info); i++) {
        if (word[1] != '-' && info->letter && info->letter == word[1]) return true;
        if (word[1] == '-' && strlen(info->name) == length - 2 &&
            strncmp(info->name, word + 2, length - 2) == 0)
            return true;
    }
    return false;
}

// What stands behind "=" or the letter in the same word; NULL: nothing.
static const char *value_in(const char *word) {
    size_t length = strcspn(word, "=");
    if (word[1] == '-') return word[length] == '=' ? word + length + 1 : NULL;
    return word[2] ? word + 2 + (word[2] == '=') : NULL;
}

// Takes a word that starts with '-'; *i moves on when the next word is its value. An option that
// the verb does not know is passed on unchanged, and the verb reports it.
static void take_option(Call *c, int count, char **words, int *i) {
    const char *word = words[*i];
    BdOptionInfo info;
    BdOption *to = &c->option[c->o.option_count++];
    if (!find_option(c->verb, word, &info)) {
        size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
        char *typed = c->typed[c->typed_count++] = strndup(word, length);
        *to = (BdOption){.name = typed};
        return;
    }
    *to = (BdOption){info.name, value_in(word)};
    if (info.argument && !to->value && *i + 1 < count) to->value = words[++*i];
}

static void take_words(Call *c, int count, char **words) {
    bool more = true;
    for (int i = 0; i < count; i++) {
        const char *word = words[i];
        if (more && strcmp(word, "--") == 0)
            more = false;
        else if (more && word[0] == '-' && word[1])
            take_option(c, count, words, &i);
        else
            c->argument[c->o.argument_count++] = word;
    }
}

const char *call_option(const Call *c, const char *name) {
    for (int i = c->o.option_count - 1; i >= 0; i--)
        if (strcmp(c->option[i].name, name) == 0)
            return c->option[i].value ? c->option[i].value : "";
    return NULL;
}

// --- standard output and error -------------------------------------------------------------------

static bool write_text(void *call, const char *text, size_t length) {
    Call *c = call;
    fwrite(text, 1, length, stdout);
    if (fflush(stdout) == 0 && !ferror(stdout)) return true;
    char words[200];
    snprintf(words, sizeof words, "cannot write to standard output: %s", strerror(errno));
    if (!c->o.json) bd_report_add(c->report, BD_ERROR, "T002", words, NULL);
    c->lost = true;
    return false;
}

static void write_aside(void *call, const char *text) {
    (void)call;
    fputs(text, stderr);
}

void call_tell(Call *c, bool last) {
    if (!c->o.json) terminal_messages(bd_report_tell(c->report, c->quiet, last));
}

BdOutcome call_verb(Call *c) {
    BdOutcome code = bd_verb(c->verb, &c->o, NULL, c->report);
    bool worse = code == BD_INTERRUPTED || code == BD_WRONG_USE;
    return c->lost && !worse ? BD_WRONG_INPUT : code;
}

// --- the call ------------------------------------------------------------------------------------

static void call_begin(Call *c, int count, char **words) {
    size_t room = (size_t)count + 1;
    *c = (Call){.verb = count > 1 ? words[1] : "help",
                .report = bd_report_new(),
                .argument = calloc(room, sizeof(char *)),
                .option = calloc(room, sizeof(BdOption)),
                .typed = calloc(room, sizeof(char *))};
    if (!c->argument || !c->option || !c->typed) abort();
    c->o = bd_default_verb_options();
    c->o.argument = c->argument;
    c->o.option = c->option;
    c->o.terminal = isatty(STDOUT_FILENO);
    c->o.cancel = interrupt_flag();
    c->o.text = write_text;
    c->o.aside = write_aside;
    c->o.progress = progress_show;
    c->o.agrees = terminal_can_ask() ? terminal_agrees : NULL;
    c->o.context = c;
    for (int i = 1; i < count; i++) c->o.json |= strcmp(words[i], "--json") == 0;
    if (strcmp(c->verb, "--help") == 0 || strcmp(c->verb, "-h") == 0) c->verb = "help";
    if (strcmp(c->verb, "--version") == 0 || strcmp(c->verb, "-V") == 0) c->verb = "version";
}

static void call_end(Call *c) {
    for (int i = 0; i < c->typed_count; i++) free(c->typed[i]);
    free(c->typed);
    free(c->option);
    free((void *)c->argument);
    bd_report_free(c->report);
}

static bool is_verb(const char *name) {
    BdVerbInfo info;
    for (int i = 0; bd_verb_info(i, &info); i++)
        if (strcmp(info.name, name) == 0) return true;
    return false;
}

static BdOutcome perform(Call *c, int count, char **words) {
    if (count < 2) {
        char *overview;
        bd_verb("help", NULL, &overview, NULL);
        fputs(overview, stderr);
        bd_free(overview);
        return BD_WRONG_USE;
    }
    if (is_verb(c->verb)) take_words(c, count - 2, words + 2);
    c->quiet = call_option(c, "quiet") != NULL;
    bool help = call_option(c, "help") != NULL;
    if (!help && strcmp(c->verb, "watch") == 0) return watch(c);
    if (!help && strcmp(c->verb, "lsp") == 0) return serve_editor(c);
    if (!help && strcmp(c->verb, "studio") == 0) return serve_studio(c);
    if (!help && strcmp(c->verb, "run") == 0 && call_option(c, "replay")) return replay_drive(c);
    return call_verb(c);
}

// Large blocks come from the system and go back when they are freed. Left alone, the allocator of
// glibc raises the size from which it does so, and holes make large models a seventh larger.
static void return_large_blocks(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

int main(int count, char **words) {
    Call c;
    return_large_blocks();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow: an error like that of a full disk
    call_begin(&c, count, words);
    BdOutcome code = perform(&c, count, words);
    call_tell(&c, true);
    call_end(&c);
    return (int)code;
}
