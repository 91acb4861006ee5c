/** The screen that other tests read: what a person would see, and how a wait for it ends. */
import { tmpdir } from "node:os";
import { afterEach, expect, test } from "vitest";
import { isGone } from "../support/daemon/daemon-process.ts";
import type { Terminal } from "../support/daemon/terminal.ts";
import { openTerminal } from "../support/daemon/terminal.ts";

let terminal: Terminal;
afterEach(() => terminal.close());

function open(script: string): Terminal {
  terminal = openTerminal({
    command: "/bin/sh",
    args: ["-c", script],
    env: { PATH: process.env.PATH ?? "" },
    cwd: tmpdir(),
    columns: 40,
    rows: 5,
  });
  return terminal;
}

test("shows the content of the screen, not the raw output", async () => {
  const { waitFor, screen } = open(String.raw`printf 'wrong\r\033[Kright \nbelow'; read _`);
  await waitFor("below");
  expect(screen()).toBe("right\nbelow");
});

test("shows the newest rows of output that does not fit", async () => {
  const { exited, screen } = open("seq 1 100");
  expect(await exited).toBe(0);
  expect(screen()).toBe("97\n98\n99\n100");
});

test("forwards keys and text, and answers terminal queries", async () => {
  const { waitFor, type, press, exited } = open(
    String.raw`read said; echo "heard $said"; stty raw -echo; printf '\033[c'; dd bs=1 count=3 2>/dev/null | od -c; exit 3`,
  );
  type("hello");
  press("enter");
  await waitFor("heard hello");
  expect(await exited).toBe(3);
  expect(await waitFor(/033 +\[ +\?/)).toContain("heard hello");
});

test("reports the screen's content at a timeout and when the program exits", async () => {
  const { waitFor } = open("echo something else; read _");
  await waitFor("something else");
  await expect(waitFor(/never/, 1)).rejects.toThrow(/never.* within 1 ms:\nsomething else/);
  const waiting = waitFor("never");
  terminal.press("enter");
  await expect(waiting).rejects.toThrow(/never was not on the screen when the program ended:\nsomething else/);
});

test("kills a program that ignores signals, and everything that it started", async () => {
  const { waitFor, screen, close, exited } = open(`trap "" TERM HUP INT; sleep 600 & echo "child $!"; wait`);
  await waitFor(/child \d+/);
  const child = Number(/child (\d+)/.exec(screen())?.[1]);
  await close();
  expect(await exited).toBe(128 + 9);
  await expect.poll(() => isGone(child)).toBe(true);
});
