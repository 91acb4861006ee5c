import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const maxFiles = 92;

describe("docs/architecture.md, the files of one message", () => {
  test("lists the files of which a function runs from the request to the answer in the stream", () => {
    const check = () => execFileSync(process.execPath, [join(root, "scripts/flow.mjs"), "--check"], { stdio: "pipe" });
    expect(check).not.toThrow();
  });

  test(`has at most ${maxFiles}`, () => {
    const list = readFileSync(join(root, "docs/architecture.md"), "utf8").match(/<!-- flow: .*<!-- end of flow/s)?.[0];
    const files = list?.match(/`[a-z-]+\.ts`/g) ?? [];
    expect(files.length).toBeGreaterThan(20);
    expect(files.length).toBeLessThanOrEqual(maxFiles);
  });
});
