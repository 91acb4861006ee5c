import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

let tree: string;
beforeEach(() => {
  // Inside the repository, so that the tool finds its own packages.
  tree = mkdtempSync(join(root, "node_modules/.import-rules-"));
  for (const name of [".dependency-cruiser.cjs", "tsconfig.json"]) cpSync(join(root, name), join(tree, name));
});
afterEach(() => rmSync(tree, { recursive: true, force: true }));

function cruise(files: Record<string, string>): { status: number | null; output: string } {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), content);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [cruiser, "src", "--config"], {
    cwd: tree,
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}

const value = "export const value = 1;\n";
const uses = (path: string) => `import { value } from "${path}";\nexport const used = value;\n`;

describe("a forbidden import fails the check", () => {
  test.each([
    [
      "deciding-files-do-no-io",
      "src/delivery/transition.ts",
      'import fs from "node:fs";\nexport const used = fs;\n',
      null,
    ],
    [
      "deciding-files-import-only-each-other",
      "src/delivery/decide.ts",
      uses("./courier.ts"),
      "src/delivery/courier.ts",
    ],
    [
      "delivery-imports-only-types-and-ports",
      "src/delivery/courier.ts",
      uses("../mail/replies.ts"),
      "src/mail/replies.ts",
    ],
    ["delivery-knows-no-adapter", "src/delivery/courier.ts", uses("../store/sqlite/db.ts"), "src/store/sqlite/db.ts"],
    ["adapters-do-not-import-each-other", "src/runtimes/stub/a.ts", uses("../../store/port.ts"), "src/store/port.ts"],
    [
      "adapters-do-not-import-each-other",
      "src/store/sqlite/a.ts",
      uses("../../runtimes/port.ts"),
      "src/runtimes/port.ts",
    ],
    ["only-the-daemon-composes", "src/mail/a.ts", uses("../daemon/compose.ts"), "src/daemon/compose.ts"],
    ["mail-knows-no-adapter", "src/mail/a.ts", uses("../store/sqlite/db.ts"), "src/store/sqlite/db.ts"],
    ["no-circular", "src/mail/a.ts", `${uses("./b.ts")}${value}`, "src/mail/b.ts"],
  ])("%s: %s", (rule, path, content, other) => {
    const otherContent = rule === "no-circular" ? `${uses("./a.ts")}${value}` : value;
    const { status, output } = cruise({ [path]: content, ...(other ? { [other]: otherContent } : {}) });
    expect(output).toContain(rule);
    expect(status).not.toBe(0);
  });

  test("and an allowed one does not", () => {
    const { status, output } = cruise({
      "src/daemon/compose.ts": uses("../store/port.ts"),
      "src/store/port.ts": value,
    });
    expect(output).toContain("no dependency violations");
    expect(status).toBe(0);
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
    expect(deciding).toHaveLength(19);
  });

  test.each(deciding)("%s asks no clock and no random source", (path) => {
    const source = readFileSync(join(root, path), "utf8");
    expect(source).not.toMatch(
      /Date\.now|new Date\(\)|Math\.random|randomUUID|randomBytes|setTimeout|setInterval|process\./,
    );
  });
});
