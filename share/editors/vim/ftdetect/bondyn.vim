au BufRead,BufNewFile *.bond setfiletype bondyn
