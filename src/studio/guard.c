// Who may come in. Pages of other servers can send requests here, too, by name or by number: they
// know neither the token nor can they choose what the browser says in Host and Origin.
#include "studio/inside.h"

#include "base/files.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// --- token ---------------------------------------------------------------------------------------

static bool is_token(const char *s) {
    return strlen(s) == TOKEN_LENGTH && strspn(s, "0123456789abcdef") == TOKEN_LENGTH;
}

// A folder that nobody else can read; false: there is none.
static bool token_folder(Text *path) {
    const char *run = getenv("XDG_RUNTIME_DIR"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (run && *run == '/')
        text_printf(path, "%s/bondyn", run);
    else if (cache && *cache == '/')
        text_printf(path, "%s/bondyn", cache);
    else if (home && *home == '/')
        text_printf(path, "%s/.cache/bondyn", home);
    else
        return false;
    Report quiet = {0};
    bool good = folder_make(text_get(path), &quiet);
    report_free(&quiet);
    return good;
}

static bool random_token(char token[TOKEN_LENGTH + 1]) {
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) sprintf(token + 2 * i, "%02x", bytes[i]);
    return true;
}

// Reads the token that the last server on this port wrote, if the file belongs to the user alone.
static bool old_token(const char *path, char token[TOKEN_LENGTH + 1]) {
    struct stat about;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return false;
    bool good = fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == getuid() &&
                (about.st_mode & 077) == 0 && read(file, token, TOKEN_LENGTH) == TOKEN_LENGTH;
    close(file);
    token[TOKEN_LENGTH] = 0;
    return good && is_token(token);
}

static void keep_token(const char *path, const char *token) {
    unlink(path);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return;
    bool whole = write(file, token, TOKEN_LENGTH) == TOKEN_LENGTH;
    close(file);
    if (!whole) unlink(path);
}

bool token_get(char token[TOKEN_LENGTH + 1], int port) {
    Text path = {0};
    bool kept = port > 0 && token_folder(&path);
    text_printf(&path, "/studio-%d", port);
    bool good = kept && old_token(text_get(&path), token);
    if (!good) {
        good = random_token(token);
        if (good && kept) keep_token(text_get(&path), token);
    }
    text_free(&path);
    return good;
}

bool token_is(const char *token, const char *said) {
    size_t n = strlen(said);
    unsigned differ = n != TOKEN_LENGTH;
    for (size_t i = 0; i < TOKEN_LENGTH; i++)
        differ |= (unsigned)(token[i] ^ (i < n ? said[i] : 0));
    return differ == 0;
}

// --- host and origin -----------------------------------------------------------------------------

bool host_is_ours(const char *host, int port) {
    static const char *const name[] = {"127.0.0.1", "localhost"};
    char wanted[40];
    for (int i = 0; i < 2; i++) {
        snprintf(wanted, sizeof wanted, "%s:%d", name[i], port);
        if (strcmp(host, wanted) == 0) return true;
    }
    return false;
}

bool origin_is_ours(const char *origin, int port) {
    static const char scheme[] = "http://";
    return strncmp(origin, scheme, sizeof scheme - 1) == 0 &&
           host_is_ours(origin + sizeof scheme - 1, port);
}
