/**
 * Builds `dist`: the program in few files, so that it loads fast, with each command in a file of its own; the client; and
 * pi's extension, which pi loads by its path. With `--modules` it builds `build` instead: one file for each source file,
 * for tests and benchmarks that import a part of the program. Types are checked elsewhere (`npm run check`).
 */
import { readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { build } = await import(findEsbuild());

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "node20.19",
  sourcemap: true,
  // Node.js keeps the text of what it loads in memory. Names stay, so that a stack trace can be read without its map.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "error",
};

/** Parts of libraries that Waybill does not use, and that every start would load because their library does. */
const unused = [
  // Messages in fifty languages, half a megabyte. English is loaded by itself.
  /\/zod\/v4\/locales\/index\.js$/,
  /\/zod\/v4\/classic\/from-json-schema\.js$/,
  // Metrics of the process (transports/http/process-metrics.ts has them) with OpenTelemetry, clusters, and sending them.
  /\/prom-client\/lib\/(cluster|defaultMetrics|pushgateway|summary)\.js$/,
  // Logs that are written in threads.
  /\/pino\/lib\/transport\.js$/,
];

const modules = process.argv.includes("--modules");
rmSync(join(root, modules ? "build" : "dist"), { recursive: true, force: true });
try {
  if (modules) await buildModules();
  else await Promise.all([buildProgram(), buildClient(), buildPiExtension()]);
} catch (error) {
  // What is wrong with a source, esbuild has printed.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

function buildProgram() {
  return build({
    ...common,
    entryPoints: { waybill: "src/cli/main.ts", "scripted-model": "src/scripted-model/main.ts" },
    outdir: "dist",
    chunkNames: "program/[name]-[hash]",
    platform: "node",
    splitting: true,
    // Before "main": a library's modules can be bundled, its UMD wrapper (jsonc-parser's) cannot.
    mainFields: ["module", "main"],
    // It finds its native part by its own path.
    external: ["better-sqlite3"],
    plugins: [{ name: "leave-out", setup: leaveOutUnused }],
    // Libraries in CommonJS ask for Node's own modules with it.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

function leaveOutUnused({ onLoad }) {
  for (const filter of unused) onLoad({ filter }, () => ({ contents: "" }));
}

/** Runs in browsers, too. Its libraries stay outside, so that a program that has them already loads them once. */
function buildClient() {
  return build({
    ...common,
    entryPoints: ["src/client/index.ts"],
    outdir: "dist/client",
    platform: "neutral",
    packages: "external",
  });
}

function buildPiExtension() {
  return build({
    ...common,
    entryPoints: { "pi-gate": "src/runtimes/pi/extension/gate.ts" },
    outdir: "dist",
    platform: "node",
  });
}

function buildModules() {
  const isSource = (name) => name.endsWith(".ts") && !name.endsWith(".test.ts");
  const files = readdirSync(join(root, "src"), { recursive: true }).filter(isSource);
  return build({
    ...common,
    entryPoints: files.map((name) => `src/${name}`),
    outbase: "src",
    outdir: "build",
    platform: "node",
    packages: "external",
    minifyWhitespace: false,
    minifySyntax: false,
    plugins: [{ name: "imports-stay", setup: keepImports }],
  });
}

/** Every import leads to the file that is built from its source. */
function keepImports({ onResolve }) {
  onResolve({ filter: /^\./ }, ({ kind, path }) =>
    kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true },
  );
}

/** `npm start` installs esbuild apart, without the other tools of development. */
function findEsbuild() {
  const places = ["package.json", "node_modules/.esbuild/package.json"];
  for (const place of places) {
    try {
      return createRequire(join(root, place)).resolve("esbuild");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error("esbuild is not installed. Run `npm run ready`.");
}
