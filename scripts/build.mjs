/**
 * Builds `dist`: the program in a few files, so that it loads fast, with one file per command; the client; and pi's
 * extension, which pi loads by its path. With `--modules` it builds `build` instead: one file per source file, for tests
 * and benchmarks that import a part of the program. `npm run check` checks the types.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { build } = await import(findEsbuild());

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "node20.19",
  sourcemap: true,
  // Minified because Node.js keeps the source text in memory. Names are kept, so that stack traces stay readable.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "error",
  // Written only once everything is built, so that a mistake leaves the previous build as it is.
  write: false,
};

/** Parts of libraries that Waybill does not use, but that every start would load with their library. */
const unused = [
  // Messages in fifty languages, half a megabyte. English is loaded separately.
  /\/zod\/v4\/locales\/index\.js$/,
  /\/zod\/v4\/classic\/from-json-schema\.js$/,
  // Process metrics (see transports/http/metrics.ts), OpenTelemetry, clusters, and pushing metrics.
  /\/prom-client\/lib\/(cluster|defaultMetrics|pushgateway|summary)\.js$/,
  // Logging in worker threads.
  /\/pino\/lib\/transport\.js$/,
];

const modules = process.argv.includes("--modules");
try {
  const builds = modules ? [buildModules()] : [buildProgram(), buildClient(), buildPiExtension()];
  const files = (await Promise.all(builds)).flatMap(({ outputFiles }) => outputFiles);
  clear();
  write(files);
} catch (error) {
  // esbuild has already printed the errors.
  if (!error.errors) throw error;
  process.exitCode = 1;
}

/** Keeps the page, which has its own build (web/vite.config.ts). */
function clear() {
  if (modules) return rmSync(join(root, "build"), { recursive: true, force: true });
  mkdirSync(join(root, "dist"), { recursive: true });
  for (const name of readdirSync(join(root, "dist"))) {
    if (name !== "page") rmSync(join(root, "dist", name), { recursive: true, force: true });
  }
}

function write(files) {
  for (const directory of new Set(files.map(({ path }) => dirname(path)))) mkdirSync(directory, { recursive: true });
  for (const { path, contents } of files) writeFileSync(path, contents);
}

function buildProgram() {
  return build({
    ...common,
    entryPoints: { waybill: "src/cli/main.ts", "scripted-model": "packages/scripted-model/src/main.ts" },
    outdir: "dist",
    chunkNames: "program/[name]-[hash]",
    platform: "node",
    splitting: true,
    // Before "main": ES modules can be bundled, a UMD wrapper (jsonc-parser's) cannot.
    mainFields: ["module", "main"],
    // It finds its native module relative to its own path.
    external: ["better-sqlite3"],
    plugins: [{ name: "leave-out", setup: leaveOutUnused }],
    // CommonJS libraries use it to load Node's own modules.
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
  });
}

function leaveOutUnused({ onLoad }) {
  for (const filter of unused) onLoad({ filter }, () => ({ contents: "" }));
}

/** Also runs in browsers. Its libraries are not bundled, so that a program that already has them loads them once. */
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
  const entryPoints = Object.fromEntries(files.map((name) => [name.slice(0, -".ts".length), `src/${name}`]));
  return build({
    ...common,
    entryPoints: { ...entryPoints, "packages/scripted-model": "packages/scripted-model/src/index.ts" },
    outdir: "build",
    platform: "node",
    packages: "external",
    minifyWhitespace: false,
    minifySyntax: false,
    plugins: [{ name: "imports-stay", setup: keepImports }],
  });
}

/** Every import of a source points to the file that is built from it. JSON and the private packages are bundled where they are used. */
function keepImports({ onResolve }) {
  onResolve({ filter: /^\..*\.ts$/ }, ({ importer, path }) =>
    importer.startsWith(join(root, "src/")) ? { path: path.replace(/\.ts$/, ".js"), external: true } : undefined,
  );
  onResolve({ filter: /^@waybill\// }, ({ path }) => ({
    path: join(root, path.replace("@waybill/", "packages/"), "src/index.ts"),
  }));
}

/** `npm start` installs no development tools except the page's, which include esbuild. */
function findEsbuild() {
  const places = ["package.json", "web/package.json"];
  for (const place of places) {
    try {
      return createRequire(join(root, place)).resolve("esbuild");
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  throw new Error("esbuild is not installed. Run `npm run ready`.");
}
