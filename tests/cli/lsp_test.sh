#!/bin/sh
# The language server: a golden conversation, renaming with `check` as the judge, Neovim as a real
# client. lsp_test.sh BONDYN JSON_CHECK [--update]
. "$(dirname "$0")/common.sh"
python3 -c '' 2>/dev/null || { echo "no python3: skipped"; exit 0; }

PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
mkdir talk
timeout 120 python3 "$here/lsp_talk.py" "$bondyn" talk >said 2>err || { fail "the conversation ends early"; cat err; }
[ "${3:-}" = --update ] && cp said "$here/lsp_talk.txt"
diff -u "$here/lsp_talk.txt" said || fail "the conversation has changed"

mkdir rename
timeout 300 python3 "$here/lsp_rename.py" "$bondyn" "$source_folder" rename 3 >said 2>&1 || { fail "renaming"; cat said; }

# the end of input without `exit`, and an exit without `shutdown`
expect_exit 1 lsp
printf 'Content-Length: 33\r\n\r\n{"jsonrpc":"2.0","method":"exit"}' | "$bondyn" lsp >out 2>err
[ $? -eq 1 ] || fail "exit without shutdown"
printf 'Content-Length: 99999999999999999999\r\n\r\nContent-Length: -1\r\n\r\n' | "$bondyn" lsp >out 2>err
expect_text out "a message begins with Content-Length"

if command -v nvim >/dev/null; then
    write_model ''
    HOME=$work timeout 120 nvim --headless -u NONE -n --cmd "let g:bondyn = '$bondyn'" \
        --cmd "luafile $source_folder/share/editors/neovim/bondyn.lua" \
        -c "luafile $here/lsp_neovim.lua" >said 2>&1 </dev/null || fail "neovim ends with an error"
    tr -d '\r' <said >spoken
    grep -q FAIL spoken && fail "neovim: $(cat spoken)"
    expect_text spoken "message the name 'mas' is not known here"
    expect_text spoken "hover "
    expect_text spoken "'mass' sets the flow, because I 'mass' has integral causality"
    expect_text spoken "definition 2"
    expect_text spoken "formatted   v -> mass, spring"
    expect_text spoken "renamed   v -> body, spring"
fi
for file in vscode/package.json vscode/language-configuration.json vscode/syntaxes/bondyn.tmLanguage.json; do
    "$json_check" "$source_folder/share/editors/$file" || fail "$file is no JSON"
done
exit $failed
