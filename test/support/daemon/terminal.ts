/**
 * A program in a pseudo-terminal, with its screen as a person sees it. Waiting follows the program's output; nothing
 * polls.
 */
import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";

export type TerminalOptions = {
  command: string;
  args: readonly string[];
  /** The whole environment: nothing of the tests' environment is added. */
  env: Record<string, string>;
  cwd: string;
  columns?: number;
  rows?: number;
};

/** Bounds a hang, and leaves a test time to report the screen. */
const defaultTimeoutMs = 90_000;

const keys = {
  enter: "\r",
  escape: "\x1b",
  tab: "\t",
  backspace: "\x7f",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  "ctrl-c": "\x03",
  "ctrl-d": "\x04",
  "ctrl-p": "\x10",
  "ctrl-x": "\x18",
} as const;

export type Key = keyof typeof keys;

export type Terminal = {
  pid: number;
  /** The rows from top to bottom, without trailing blanks. */
  screen(): string;
  type(text: string): void;
  press(key: Key): void;
  /** The screen, as soon as the pattern matches it. Fails with the screen after a timeout or when the program exits. */
  waitFor(pattern: RegExp | string, ms?: number): Promise<string>;
  /** The exit code, once all output is on the screen. A program killed by a signal has 128 or more. */
  exited: Promise<number>;
  /** Kills the program and everything that it started. */
  close(): Promise<void>;
};

export function openTerminal({ command, args, env, cwd, columns = 100, rows = 30 }: TerminalOptions): Terminal {
  const display = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  const program = spawn(command, [...args], { cols: columns, rows, cwd, env: { TERM: "xterm-256color", ...env } });
  const watchers = new Set<() => void>();
  const notifyWatchers = () => {
    for (const watcher of watchers) watcher();
  };
  let ended = false;
  const exited = new Promise<number>((resolve) => {
    program.onExit(({ exitCode, signal }) => {
      // After everything that was written before.
      display.write("", () => {
        ended = true;
        notifyWatchers();
        resolve(signal ? 128 + signal : exitCode);
      });
    });
  });
  program.onData((data) => display.write(data, notifyWatchers));
  // Programs ask the terminal what it can do, and some wait for the answer.
  display.onData((answer) => {
    if (!ended) program.write(answer);
  });

  const screen = () => screenOf(display);
  const type = (text: string) => program.write(text);
  const close = async () => {
    // It leads its own process group, like every program in a terminal.
    if (!ended) process.kill(-program.pid, "SIGKILL");
    await exited;
    display.dispose();
  };
  const waitFor = (pattern: RegExp | string, ms = defaultTimeoutMs) =>
    new Promise<string>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(deadline);
        watchers.delete(check);
        act();
      };
      const fail = (why: string) => settle(() => reject(new Error(`${pattern} ${why}:\n${screen()}`)));
      const check = () => {
        const seen = screen();
        if (matches(seen, pattern)) settle(() => resolve(seen));
        else if (ended) fail("was not on the screen when the program ended");
      };
      const deadline = setTimeout(() => fail(`did not appear on the screen within ${ms} ms`), ms);
      watchers.add(check);
      check();
    });
  return { pid: program.pid, screen, type, press: (key) => type(keys[key]), waitFor, exited, close };
}

function screenOf({ buffer: { active }, rows }: InstanceType<typeof headless.Terminal>): string {
  const lines = Array.from({ length: rows }, (_, row) => active.getLine(active.baseY + row)?.translateToString() ?? "");
  // Programs that draw the whole screen fill it with blanks.
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}

function matches(text: string, pattern: RegExp | string): boolean {
  return typeof pattern === "string" ? text.includes(pattern) : text.search(pattern) !== -1;
}
