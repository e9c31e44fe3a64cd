// Starts `bondyn lsp` for files that end in .bond.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("bondyn");
  const library = settings.get("library");
  const args = library ? ["lsp", "--library", library] : ["lsp"];
  client = new LanguageClient("bondyn", "Bondyn", { command: settings.get("path"), args },
    { documentSelector: [{ language: "bondyn" }] });
  return client.start();
};

exports.deactivate = () => client && client.stop();
