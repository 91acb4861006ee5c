import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** None of these numbers may grow. */
const maxOwn = 48;
const maxAll = 60;
const maxPrompt = 95;

describe("docs/architecture.md, the files of one message", () => {
  test("lists the files with a function that runs from the request or prompt until the answer is read", () => {
    const check = () => execFileSync(process.execPath, [join(root, "scripts/flow.mjs"), "--check"], { stdio: "pipe" });
    expect(check).not.toThrow();
  });

  test(`has at most ${maxOwn} of the message itself, ${maxAll} in all, and ${maxPrompt} of a prompt of OpenCode's client`, () => {
    const list = readFileSync(join(root, "docs/architecture.md"), "utf8").match(/<!-- flow: .*<!-- end of flow/s)?.[0];
    const [own = "", shared = "", added = ""] = list?.split(/run for any other request|A prompt of OpenCode's/) ?? [];
    const count = (text: string) => text.match(/`[a-z-]+\.ts`/g)?.length ?? 0;
    expect(count(own)).toBeGreaterThan(20);
    expect(count(own)).toBeLessThanOrEqual(maxOwn);
    expect(count(own) + count(shared)).toBeLessThanOrEqual(maxAll);
    const [, known, more] = added.match(/(\d+) of these, and (\d+) more/)?.map(Number) ?? [];
    expect(count(added)).toBe(more);
    expect(more).toBeGreaterThan(20);
    expect(Number(known) + Number(more)).toBeLessThanOrEqual(maxPrompt);
  });
});
