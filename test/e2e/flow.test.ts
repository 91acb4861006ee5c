import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Neither number may grow. */
const maxOwn = 56;
const maxAll = 74;

describe("docs/architecture.md, the files of one message", () => {
  test("lists the files with a function that runs from the request to the answer in the stream", () => {
    const check = () => execFileSync(process.execPath, [join(root, "scripts/flow.mjs"), "--check"], { stdio: "pipe" });
    expect(check).not.toThrow();
  });

  test(`has at most ${maxOwn} of the message itself, and ${maxAll} in all`, () => {
    const list = readFileSync(join(root, "docs/architecture.md"), "utf8").match(/<!-- flow: .*<!-- end of flow/s)?.[0];
    const [own = "", shared = ""] = list?.split("run for any other request") ?? [];
    const count = (text: string) => text.match(/`[a-z-]+\.ts`/g)?.length ?? 0;
    expect(count(own)).toBeGreaterThan(20);
    expect(count(own)).toBeLessThanOrEqual(maxOwn);
    expect(count(own) + count(shared)).toBeLessThanOrEqual(maxAll);
  });
});
