// Makes the pages: node build.mjs NODE_MODULES OUT. Each becomes a C file with its compressed bytes.
//
//   studio   src/studio.html with style and script inside: a page that loads nothing
//   report   the script of report pages: their bond graph and plots are the studio's; not compressed, as it goes into texts
//   motion   the same with the studio's viewer, for pages that have something to move
import { createRequire } from "node:module";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, "x.js"))("esbuild");

async function bundle(entry) {
  const made = await esbuild.build({
    entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, outdir: out, format: "iife",
    target: "es2020", charset: "utf8", legalComments: "none", nodePaths: [modules], loader: { ".css": "css" },
  });
  const text = (ending) => made.outputFiles.filter((f) => f.path.endsWith(ending)).map((f) => f.text).join("\n");
  return { js: text(".js").replace(/<\/(script)/gi, "<\\/$1"), css: text(".css") };
}

// `more`: further constants.
function write(name, text, more = "") {
  const bytes = gzipSync(text, { level: 9 });
  const lines = [];
  for (let i = 0; i < bytes.length; i += 32) lines.push([...bytes.subarray(i, i + 32)].join(","));
  writeFileSync(join(out, name + ".c"), `#include <stddef.h>
extern const unsigned char asset_${name}[];
extern const size_t asset_${name}_size, asset_${name}_whole;
const unsigned char asset_${name}[] = {
${lines.join(",\n")}};
const size_t asset_${name}_size = ${bytes.length}; // compressed
const size_t asset_${name}_whole = ${Buffer.byteLength(text)};
${more}`);
  console.log(`web: ${name} ${(Buffer.byteLength(text) / 1024).toFixed(0)} kB, compressed ${(bytes.length / 1024).toFixed(0)} kB`);
}

const studio = await bundle("studio.ts");
const page = readFileSync(join(here, "src/studio.html"), "utf8");
const hash = createHash("sha256").update(studio.js).digest("base64"); // the one script that may run
write("studio", page.replace("/*style*/", () => studio.css).replace("/*script*/", () => studio.js),
  `extern const char asset_studio_hash[];\nconst char asset_studio_hash[] = "sha256-${hash}";\n`);

// A script that brings its style along, as a string.
async function script(name, entry) {
  const made = await bundle(entry);
  const text = `(()=>{const s=document.createElement("style");s.textContent=${JSON.stringify(made.css).replace(/<\//g, "<\\/")};document.head.append(s)})();\n${made.js}`;
  const bytes = Buffer.from(text), lines = [];
  for (let i = 0; i < bytes.length; i += 64) lines.push([...bytes.subarray(i, i + 64)].join(","));
  writeFileSync(join(out, name + ".c"), `extern const unsigned char asset_${name}[];\nconst unsigned char asset_${name}[] = {\n${lines.join(",\n")},0};\n`);
  console.log(`web: ${name} ${(bytes.length / 1024).toFixed(0)} kB`);
}
await script("report", "report.ts");
await script("motion", "motion.ts");
