" Colours of the Bondyn language; the language server knows more.
if exists("b:current_syntax")
  finish
endif
syn keyword bondynWord and assert causality const der dissipates domain element else elseif elsewhen end expect experiment extends false for function if import in initial input lagrangian lossless mechanism model not of or output param plot port record set solver start stop stores supplies table then time true var when within
syn keyword bondynWord modes while once return discrete steady joint body frame shape constraint actuator gravity
syn keyword bondynElement Se MSe Sf MSf R C I TF MTF GY MGY De Df
syn match bondynNumber "\v<\d+(\.\d+)?([eE][-+]?\d+)?>"
syn match bondynUnit "{[^}]*}"
syn match bondynArrow "->"
syn region bondynText start=+"+ end=+"+ oneline
syn match bondynComment "//.*$"
hi def link bondynWord Keyword
hi def link bondynElement Type
hi def link bondynNumber Number
hi def link bondynUnit Special
hi def link bondynArrow Operator
hi def link bondynText String
hi def link bondynComment Comment
let b:current_syntax = "bondyn"
