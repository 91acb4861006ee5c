import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
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
  ["deciding-files-do-no-io", "src/delivery/transition.ts", 'import fs from "node:fs";\nexport const used = fs;\n'],
  ["deciding-files-import-only-each-other", "src/delivery/decide.ts", uses("./port.ts")],
  ["delivery-imports-only-types-and-ports", "src/delivery/courier.ts", uses("../mail/value.ts")],
  ["delivery-knows-no-adapter", "src/delivery/sender.ts", uses("../store/sqlite/value.ts")],
  ["adapters-do-not-import-each-other", "src/runtimes/stub/a.ts", uses("../../store/port.ts")],
  ["adapters-do-not-import-each-other", "src/store/sqlite/a.ts", uses("../../runtimes/port.ts")],
  ["only-the-daemon-composes", "src/mail/a.ts", uses("../daemon/value.ts")],
  ["the-client-stands-alone", "src/client/a.ts", uses("../mail/value.ts")],
  ["the-client-needs-no-node", "src/client/b.ts", 'import fs from "node:fs";\nexport const used = fs;\n'],
  ["the-scripted-model-stands-alone", "src/scripted-model/a.ts", uses("../mail/value.ts")],
  ["only-the-daemon-runs-the-scripted-model", "src/runtimes/stub/b.ts", uses("../../scripted-model/value.ts")],
  ["mail-knows-no-adapter", "src/mail/b.ts", uses("../store/sqlite/value.ts")],
  ["no-circular", "src/mail/c.ts", `${uses("./d.ts")}${value}`],
  ["source-needs-no-test-tools", "src/mail/e.ts", uses("./a.test.ts")],
  ["no-orphans", "src/mail/f.ts", "export {};\n"],
];
const others: Record<string, string> = {
  ...Object.fromEntries(
    [
      "delivery/port",
      "mail/value",
      "store/sqlite/value",
      "store/port",
      "runtimes/port",
      "daemon/value",
      "mail/a.test",
      "scripted-model/value",
    ].map((name) => [`src/${name}.ts`, value]),
  ),
  "src/mail/d.ts": `${uses("./c.ts")}${value}`,
  "src/daemon/allowed.ts": uses("../store/port.ts"),
  "src/daemon/allowed-too.ts": uses("../scripted-model/value.ts"),
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
  // Not while everything waits: a worker that says nothing for a minute is given up.
  const cruising = spawn(process.execPath, [cruiser, "src", "--config"], { cwd: tree });
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

  test("and an allowed one is not complained about", () => {
    expect(output).not.toMatch(/src\/daemon\/allowed(-too)?\.ts →/);
  });
});

describe("deciding files", () => {
  const config = createRequire(import.meta.url)(join(root, ".dependency-cruiser.cjs")) as {
    forbidden: { name: string; from: { path?: string } }[];
  };
  const pattern = config.forbidden.find((rule) => rule.name === "deciding-files-do-no-io")?.from.path ?? "";
  const deciding = readdirSync(join(root, "src/delivery"))
    .map((name) => `src/delivery/${name}`)
    .filter((path) => new RegExp(pattern).test(path));

  test("are all there", () => {
    expect(deciding).toHaveLength(28);
  });

  test.each(deciding)("%s asks no clock and no random source", (path) => {
    const source = readFileSync(join(root, path), "utf8");
    expect(source).not.toMatch(
      /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|setTimeout|setInterval|process\./,
    );
  });
});
