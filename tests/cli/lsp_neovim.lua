-- Neovim as a client: messages, hover, definition, completion, rename and formatting through its own code.
-- Prints what it gets; lsp_test.sh looks at it.
local function wait(what, fits)
  if not vim.wait(20000, fits, 20) then print("FAIL: no " .. what) end
end

vim.cmd("edit model.bond")
local buffer = vim.api.nvim_get_current_buf()
wait("client", function() return #vim.lsp.buf_get_clients(buffer) > 0 or next(vim.lsp.buf_get_clients(buffer)) ~= nil end)

local function ask(method, line, column, more)
  local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = line, character = column } }
  for k, v in pairs(more or {}) do params[k] = v end
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  for _, a in pairs(answers or {}) do return a.result end
end

vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { "  v -> mas, spring" })
wait("error", function() return #vim.diagnostic.get(buffer) > 0 end)
print("message " .. vim.diagnostic.get(buffer)[1].message:gsub("\n", " | "))
vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { "  v   ->   mass, spring" })
wait("mended text", function() return #vim.diagnostic.get(buffer) == 0 end)
print("hover " .. ask("textDocument/hover", 2, 5).contents.value:gsub("\n", " "))
print("definition " .. ask("textDocument/definition", 5, 12).range.start.line)
print("completion " .. #ask("textDocument/completion", 2, 2).items)
local formatting = vim.lsp.buf.format or vim.lsp.buf.formatting_sync
formatting(vim.lsp.buf.format and { async = false, timeout_ms = 20000 } or nil, 20000)
print("formatted " .. vim.api.nvim_buf_get_lines(buffer, 5, 6, false)[1])
local edit = ask("textDocument/rename", 2, 5, { newName = "body" })
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
print("renamed " .. vim.api.nvim_buf_get_lines(buffer, 5, 6, false)[1])
vim.cmd("qall!")
