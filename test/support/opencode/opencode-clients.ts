/**
 * OpenCode's own clients as a person runs them, against any server that speaks OpenCode's API: `opencode run --attach`
 * and the terminal client `opencode attach`. Each has its own home and knows no provider, so everything it shows came from
 * the server.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Terminal } from "../daemon/terminal.ts";
import { openTerminal } from "../daemon/terminal.ts";
import { opencodeBin, opencodeEnvironment } from "./opencode-server.ts";

export type ClientOptions = {
  /** The server's address, with its path if any. */
  url: string;
  password?: string;
  /** The session's directory on the server. By default the server's own. */
  directory?: string;
  /** More arguments, such as `--continue`. */
  args?: readonly string[];
};

export type Ran = { code: number | null; stdout: string; stderr: string };

/** Runs `opencode run --attach` to its end. If it hangs it is killed and has no exit code. */
export async function runOpencode(text: string, options: ClientOptions): Promise<Ran> {
  const place = clientPlace();
  // Word by word: an argument with spaces would reach the agent in quotation marks.
  const args = ["run", "--attach", options.url, ...flags(options), "--", ...text.split(" ")];
  const child = spawn(opencodeBin, args, {
    cwd: place.work,
    env: opencodeEnvironment(place.home),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  const ran: Ran = { code: null, stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      ran[name] += chunk;
    });
  }
  try {
    ran.code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
    return { ...ran, stdout: stripVTControlCharacters(ran.stdout), stderr: stripVTControlCharacters(ran.stderr) };
  } finally {
    place.remove();
  }
}

/** The output of `--format json`: one event per line. */
export function printedEvents({ stdout }: Ran): Array<{ type: string; part?: { text?: string; tool?: string } }> {
  const lines = stdout.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => JSON.parse(line));
}

/** `opencode attach` on a screen. `close` also removes its home. */
export function attachOpencode(options: ClientOptions): Terminal {
  const place = clientPlace();
  const terminal = openTerminal({
    command: opencodeBin,
    args: ["attach", options.url, ...flags(options)],
    env: opencodeEnvironment(place.home),
    cwd: place.work,
    columns: 110,
    rows: 36,
  });
  const close = async () => {
    await terminal.close();
    place.remove();
  };
  return { ...terminal, close };
}

function flags({ password, directory, args = [] }: ClientOptions): string[] {
  return [...(password ? ["--password", password] : []), ...(directory ? ["--dir", directory] : []), ...args];
}

/** A home, and a working directory other than the session's: a client may run anywhere. */
function clientPlace(): { home: string; work: string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), "waybill-client-"));
  const work = join(home, "work");
  mkdirSync(work);
  return { home, work, remove: () => rmSync(home, { recursive: true, force: true }) };
}
