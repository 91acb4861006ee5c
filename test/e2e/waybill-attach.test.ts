/** `waybill attach`: OpenCode's own terminal UI, started by the built program. New sessions open where the person is. */
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Program } from "../support/daemon/program.ts";
import type { Terminal } from "../support/daemon/terminal.ts";
import { openTerminal } from "../support/daemon/terminal.ts";
import { opencodeBin, opencodeEnvironment } from "../support/opencode/opencode-server.ts";

let program: Program;
let terminal: Terminal | null = null;
const place = (name: string) => join(realpathSync(program.work), name);

beforeEach(async () => {
  program = new Program();
  for (const name of ["one", "two", "three"]) mkdirSync(place(name));
  const lanes = ["one", "two"].map((id) => ({ id, directory: place(id) }));
  program.configure({}, { lanes, opencodeBin, allowedDirectories: [realpathSync(program.work)] });
  await program.up();
});
afterEach(async () => {
  await terminal?.close();
  await program.dispose();
});

function attach(cwd: string, ...args: string[]): Terminal {
  const { command, args: rest } = program.command("attach", ...args);
  const env = { ...opencodeEnvironment(program.directory), ...program.env, OPENCODE_SERVER_USERNAME: "somebody" };
  terminal = openTerminal({ command, args: rest, env, cwd, columns: 110, rows: 36 });
  return terminal;
}

/** Sends a message in the open session, and returns its directory. */
async function sendFrom({ type, press, waitFor }: Terminal, words: string): Promise<string | undefined> {
  type(words);
  await waitFor(words);
  press("enter");
  await waitFor("It has no script for this.");
  const { lanes } = await program.json<{ lanes: { displayName: string | null; directory: string }[] }>("lanes");
  return lanes.find(({ displayName }) => displayName === words)?.directory;
}

test("/new in the session of a lane opens in the lane's directory", async () => {
  const shown = attach(place("three"), "two");
  await shown.waitFor("ctrl+p commands");
  shown.type("/new");
  await shown.waitFor(/\/new +New session/);
  shown.press("enter");
  await shown.waitFor("Ask anything");
  expect(await sendFrom(shown, "hello from two")).toBe(place("two"));
});

test("a session started on the start screen opens in the current directory", async () => {
  const shown = attach(place("three"));
  await shown.waitFor("Ask anything");
  expect(await sendFrom(shown, "hello from three")).toBe(place("three"));
});

test("if no lane may work there, it opens in the default directory", async () => {
  const shown = attach(program.directory);
  await shown.waitFor("Ask anything");
  expect(await sendFrom(shown, "hello from elsewhere")).toBe(place("one"));
});
