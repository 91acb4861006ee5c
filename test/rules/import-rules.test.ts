import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

const value = "export const value = 1;\n";
const uses = (path: string) => `import { value } from "${path}";\nexport const used = value;\n`;

/** Each breaks one rule. */
const forbidden: [rule: string, path: string, content: string][] = [
  ["core-imports-only-core", "src/core/a.ts", 'import fs from "node:fs";\nexport const used = fs;\n'],
  [
    "core-imports-only-core",
    "src/core/proof/b.ts",
    'import type { Value } from "../../platform/clock.ts";\nexport type Used = Value;\n',
  ],
  ["mail-knows-nothing-above-it", "src/mail/a.ts", uses("../courier/value.ts")],
  ["service-knows-nothing-above-it", "src/service/a.ts", uses("../daemon/value.ts")],
  ["daemon-knows-nothing-above-it", "src/daemon/a.ts", uses("../cli/value.ts")],
  ["adapters-do-not-know-each-other", "src/runtimes/stub/a.ts", uses("../../store/port.ts")],
  ["adapters-do-not-know-each-other", "src/transports/http/a.ts", uses("../../store/port.ts")],
  ["transports-do-not-know-each-other", "src/transports/http/b.ts", uses("../opencode-api/value.ts")],
  ["transports-do-not-know-each-other", "src/transports/telegram/a.ts", uses("../opencode-api/value.ts")],
  ["runtimes-do-not-know-each-other", "src/runtimes/pi/a.ts", uses("../claude/value.ts")],
  ["only-the-registry-knows-runtimes", "src/cli/c.ts", uses("../runtimes/claude/value.ts")],
  ["only-the-registry-knows-runtimes", "src/runtimes/descriptor.ts", uses("./claude/value.ts")],
  ["only-daemon-and-cli-know-adapters", "src/courier/a.ts", uses("../store/sqlite/value.ts")],
  ["only-daemon-and-cli-know-adapters", "src/service/b.ts", uses("../runtimes/registry.ts")],
  ["only-those-who-open-it-know-the-whole-store", "src/courier/b.ts", uses("../store/store.ts")],
  ["only-those-who-open-it-know-the-whole-store", "src/daemon/c.ts", uses("../store/store.ts")],
  ["only-the-wiring-knows-sqlite", "src/cli/d.ts", uses("../store/sqlite/value.ts")],
  ["only-the-wiring-knows-sqlite", "src/daemon/worker/c.ts", uses("../../store/sqlite/value.ts")],
  ["only-the-wiring-knows-sqlite", "src/store/c.ts", uses("./sqlite/value.ts")],
  [
    "only-the-wiring-knows-sqlite",
    "src/daemon/worker/d.ts",
    'import Database from "better-sqlite3";\nexport const used = Database;\n',
  ],
  ["client-stands-alone", "src/client/a.ts", uses("../mail/value.ts")],
  ["client-needs-no-node", "src/client/b.ts", 'import fs from "node:fs";\nexport const used = fs;\n'],
  ["packages-stand-alone", "packages/scripted-model/src/a.ts", uses("../../../src/mail/value.ts")],
  ["only-demos-run-the-packages", "src/daemon/b.ts", uses("../../packages/scripted-model/src/value.ts")],
  ["only-demos-run-the-packages", "src/cli/b.ts", uses("../../packages/scripted-model/src/value.ts")],
  ["no-circular", "src/mail/c.ts", `${uses("./d.ts")}${value}`],
  ["source-needs-no-test-tools", "src/mail/e.ts", uses("./a.test.ts")],
  ["no-orphans", "src/mail/f.ts", "export {};\n"],
];
const others: Record<string, string> = {
  ...Object.fromEntries(
    [
      "courier/value",
      "mail/value",
      "store/sqlite/value",
      "store/port",
      "store/store",
      "runtimes/claude/value",
      "runtimes/registry",
      "daemon/value",
      "cli/value",
      "mail/a.test",
      "transports/opencode-api/value",
    ].map((name) => [`src/${name}.ts`, value]),
  ),
  "src/platform/clock.ts": "export type Value = number;\n",
  "src/mail/d.ts": `${uses("./c.ts")}${value}`,
  "src/daemon/allowed.ts": uses("../store/port.ts"),
  "src/daemon/wiring/allowed-too.ts": uses("../../store/sqlite/value.ts"),
  "src/daemon/wiring/allowed.ts": uses("../../store/store.ts"),
  "src/store/sqlite/allowed.ts": uses("../store.ts"),
  "src/daemon/demo/allowed.ts": uses("../../runtimes/claude/value.ts"),
  "packages/scripted-model/src/value.ts": value,
  "src/daemon/demo/allowed-too.ts": uses("../../../packages/scripted-model/src/value.ts"),
  "src/cli/demo/allowed.ts": uses("../../../packages/scripted-model/src/value.ts"),
};

let tree: string;
let output: string;
let status: number | null;
beforeAll(async () => {
  // Inside the repository, so that the tool finds its own packages.
  tree = mkdtempSync(join(root, "node_modules/.import-rules-"));
  for (const name of [".dependency-cruiser.cjs", "tsconfig.json"]) cpSync(join(root, name), join(tree, name));
  const files = { ...others, ...Object.fromEntries(forbidden.map(([, path, content]) => [path, content])) };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  }
  // Asynchronous, because Vitest gives up on a worker that is silent for a minute.
  const cruising = spawn(process.execPath, [cruiser, "src", "packages", "--config"], { cwd: tree });
  let said = "";
  for (const stream of [cruising.stdout, cruising.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  [status] = await once(cruising, "close");
  output = stripVTControlCharacters(said);
});
afterAll(() => rmSync(tree, { recursive: true, force: true }));

describe("a forbidden import fails the check", () => {
  test("with an exit code", () => {
    expect(status).not.toBe(0);
  });

  test.each(forbidden)("%s: %s", (rule, path) => {
    expect(output).toContain(`${rule}: ${path}`);
  });

  test("and an allowed one passes", () => {
    expect(output).not.toMatch(/src\/[\w/]+\/allowed(-too)?\.ts →/);
  });
});

describe("the core", () => {
  const files = readdirSync(join(root, "src/core"), { recursive: true, encoding: "utf8" })
    .map((name) => `src/core/${name}`)
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"));

  test.each(files)("%s uses no clock and no random source", (path) => {
    const source = readFileSync(join(root, path), "utf8");
    expect(source).not.toMatch(
      /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|setTimeout|setInterval|\bprocess\.\w/,
    );
  });
});
