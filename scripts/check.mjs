/** Runs format, lint, import rules, types and fast tests in parallel. Prints failures, and how long each check took. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const node = process.execPath;
/** For the last step of `npm test`, which checks the tests that documents cite. */
const report = ["--reporter=default", "--reporter=json", "--outputFile.json=reports/fast.json"];
/** Types that did not change are not checked again. */
const incremental = (name) => ["--incremental", "--tsBuildInfoFile", `node_modules/.cache/types/${name}.tsbuildinfo`];
const checks = [
  ["format and lint", [node, "node_modules/@biomejs/biome/bin/biome", "check", "."]],
  [
    "import rules",
    [node, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs", "src", "packages", "web/src", "--config"],
  ],
  ["types", [node, "node_modules/typescript-native/bin/tsc", "-p", "tsconfig.json", ...incremental("all")]],
  [
    "types of the page",
    [node, "node_modules/typescript-native/bin/tsc", "-p", "web/tsconfig.json", ...incremental("page")],
  ],
  ["fast tests", [node, "node_modules/vitest/vitest.mjs", "run", "--project", "fast", "--maxWorkers=100%", ...report]],
];

const failed = [];
await Promise.all(
  checks.map(async ([name, command]) => {
    const started = Date.now();
    const { code, output } = await run(command);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    if (code === 0 && name !== "fast tests") console.log(`ok      ${name} (${seconds} s)`);
    else console.log(`${output}\n${code === 0 ? "ok    " : "FAILED"}  ${name} (${seconds} s)`);
    if (code !== 0) failed.push(name);
  }),
);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}.`);
  process.exit(1);
}

function run([program, ...args]) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root });
    let output = "";
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (output += chunk));
    child.on("error", (error) => resolve({ code: 1, output: String(error) }));
    child.on("close", (code) => resolve({ code, output: output.trimEnd() }));
  });
}
