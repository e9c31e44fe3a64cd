;;; bondyn-mode.el --- Bondyn models, with the language server through eglot  -*- lexical-binding: t -*-

(defvar bondyn-words
  '("model" "element" "mechanism" "lagrangian" "experiment" "function" "table" "domain" "import" "extends" "end"
    "param" "const" "port" "input" "output" "var" "for" "in" "if" "then" "else" "elseif" "when" "elsewhen" "initial"
    "of" "stop" "start" "solver" "set" "plot" "record" "expect" "within" "causality" "stores" "lossless" "supplies"
    "dissipates" "assert" "and" "or" "not" "modes" "joint" "body" "frame" "shape" "constraint" "actuator" "gravity"))

(define-derived-mode bondyn-mode prog-mode "Bondyn"
  "Models of the Bondyn language."
  (setq-local comment-start "// ")
  (setq-local indent-tabs-mode nil)
  (modify-syntax-entry ?/ ". 12" bondyn-mode-syntax-table)
  (modify-syntax-entry ?\n ">" bondyn-mode-syntax-table)
  (setq-local font-lock-defaults
              `((("{[^}]*}" . font-lock-constant-face)
                 (,(regexp-opt bondyn-words 'symbols) . font-lock-keyword-face)))))

(add-to-list 'auto-mode-alist '("\\.bond\\'" . bondyn-mode))
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(bondyn-mode . ("bondyn" "lsp"))))
(add-hook 'bondyn-mode-hook 'eglot-ensure)

(provide 'bondyn-mode)
;;; bondyn-mode.el ends here
