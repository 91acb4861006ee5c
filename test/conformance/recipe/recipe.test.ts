/**
 * A new runtime is one folder and one entry in the registry. The folder next to this test becomes a runtime in a
 * temporary copy of the sources, as CONTRIBUTING.md describes, and plays the first scenes of the conformance suite.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/platform/clock.ts";
import type { RuntimeContext, RuntimeDescriptor } from "../../../src/runtimes/descriptor.ts";
import type { Runtime } from "../../../src/runtimes/port.ts";
import { asks } from "../runtime/asks.ts";
import { sessions } from "../runtime/sessions.ts";
import { submitting } from "../runtime/submitting.ts";
import type { RuntimeHarness } from "../runtime-conformance.ts";
import { conformingLane } from "../runtime-conformance.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = fileURLToPath(new URL("abacus", import.meta.url));
const agent = fileURLToPath(new URL("abacus-agent.mjs", import.meta.url));
/** The sources of the folder as they are in `src/runtimes/abacus`. */
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [
    name,
    readFileSync(join(folder, name), "utf8")
      .replaceAll("../../../../src/runtimes/", "../")
      .replaceAll("../../../../src/", "../../"),
  ]),
);

let home = "";
let registry: { runtimeDescriptors: readonly RuntimeDescriptor[]; runtimeKinds: readonly string[] };
let harness: RuntimeHarness;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "waybill-recipe-"));
  cpSync(join(root, "src"), join(home, "src"), { recursive: true });
  for (const name of ["package.json", "node_modules"]) symlinkSync(join(root, name), join(home, name));
  const runtimes = join(home, "src/runtimes");
  mkdirSync(join(runtimes, "abacus"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(runtimes, "abacus", name), text);
  const list = join(runtimes, "registry.ts");
  const given = readFileSync(list, "utf8");
  const changed = given
    .replace(/^import /m, 'import { abacus } from "./abacus/descriptor.ts";\nimport ')
    .replace(/, stub\];$/m, ", stub, abacus];");
  expect(changed.length).toBe(given.length + 'import { abacus } from "./abacus/descriptor.ts";\n, abacus'.length);
  writeFileSync(list, changed);
  registry = await import(pathToFileURL(list).href);
  harness = await open();
});
afterAll(async () => {
  await harness?.stop();
  rmSync(home, { recursive: true, force: true });
});

async function open(): Promise<RuntimeHarness> {
  const descriptor = registry.runtimeDescriptors.find(({ kind }) => kind === "abacus");
  const program = join(home, "abacus-agent");
  cpSync(agent, program);
  chmodSync(program, 0o755);
  const context: Partial<RuntimeContext<Record<string, unknown>>> = {
    env: { PATH: process.env.PATH ?? "" },
    stateDirectory: home,
    clock: systemClock,
    permissionPolicy: "safe",
    permissions: async () => ({ policy: "safe", stateDirectories: [], otherDirectories: [] }),
    idleMs: 60_000,
    maxResting: 2,
    toolServer: async () => null,
    onError: () => {},
  };
  const settings = { abacusBin: program };
  const runtime = (await descriptor
    ?.prepare(settings, context as RuntimeContext<Record<string, unknown>>)
    .load()) as Runtime;
  const directory = join(home, "work");
  mkdirSync(directory);
  const sessionFile = (id: string) => join(home, "abacus/sessions", `${id}.jsonl`);
  const rows = () =>
    readdirSync(join(home, "abacus/sessions"))
      .filter((name) => name.endsWith(".jsonl"))
      .flatMap((name) =>
        readFileSync(join(home, "abacus/sessions", name), "utf8")
          .trim()
          .split("\n"),
      )
      .map((line) => JSON.parse(line) as { parent: string | null; text: string });
  return {
    facts: { unknownSession: "idle", deadTurn: "interrupted", keepsCost: false, isProgram: true },
    runtime,
    lane: conformingLane("abacus", directory),
    runs: (words) => rows().filter(({ parent, text }) => parent === null && text.includes(words)).length,
    earlier: () => null,
    instructions: () => [],
    received: () => null,
    kill: () => {},
    loseSession: async (sessionId) => rmSync(sessionFile(sessionId)),
    programs: () => [],
    stop: () => runtime.close(),
    start: async () => {},
    dispose: async () => {},
  };
}

test("the registry has it after one entry, with its kind and its setting", () => {
  expect(registry.runtimeKinds.at(-1)).toBe("abacus");
  expect(Object.keys(registry.runtimeDescriptors.at(-1)?.settings ?? {})).toEqual(["abacusBin"]);
});

describe("the new runtime conforms in", () => {
  const scenes = { sessions, submitting, asks };
  for (const [topic, behaviours] of Object.entries(scenes)) describe(topic, () => behaviours(() => harness));
});

test("CONTRIBUTING.md shows the files as they are here", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  const shown = [...text.matchAll(/```ts recipe\n(.*?)```/gs)].map(([, code = ""]) => code);
  expect(shown.length).toBeGreaterThan(0);
  for (const code of shown) expect(Object.values(files)).toContain(code);
});
