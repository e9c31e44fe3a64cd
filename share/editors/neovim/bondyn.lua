-- Starts `bondyn lsp` for files that end in .bond. Put this into init.lua, or call it with luafile.
-- vim.g.bondyn is the program, if it is not in the path.
vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
  pattern = "*.bond",
  callback = function(event)
    vim.bo[event.buf].filetype = "bondyn"
    local config = {
      name = "bondyn",
      cmd = { vim.g.bondyn or "bondyn", "lsp" },
      root_dir = vim.fn.fnamemodify(event.file, ":p:h"),
    }
    if vim.lsp.start then -- from 0.8 on
      vim.lsp.start(config, { bufnr = event.buf })
      return
    end
    for id, client in pairs(vim.lsp.get_active_clients()) do
      if client.name == "bondyn" then
        vim.lsp.buf_attach_client(event.buf, client.id or id)
        return
      end
    end
    vim.lsp.buf_attach_client(event.buf, vim.lsp.start_client(config))
  end,
})
