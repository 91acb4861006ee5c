import { describe, expect, test } from "vitest";
import { AppError } from "../../app-error.ts";
import { readConfig } from "../../daemon/config/config.ts";
import type { ConfiguredFacts, Facts } from "./facts.ts";
import { judge } from "./judge.ts";

const now = Date.UTC(2026, 5, 1);

function configured(change: Partial<ConfiguredFacts> = {}, lane: object = { runtime: "stub" }): ConfiguredFacts {
  const content = { lanes: [{ id: "one", directory: "/src", ...lane }] };
  const config = readConfig({ HOME: "/home/me" }, { path: "/home/me/config.json", content });
  return {
    config,
    fileMode: 0o100600,
    fileHoldsSecret: false,
    programs: [],
    opencode: null,
    hasPiKey: false,
    lanes: [{ id: "one", directory: "/src", trouble: null }],
    store: { state: "sound", version: 1, heldBy: null, newestAt: now },
    port: { host: "127.0.0.1", port: 7717, state: "free" },
    ...change,
  };
}

function facts(change: Partial<Facts> = {}, inside: ConfiguredFacts = configured()): Facts {
  return {
    now,
    node: { version: "20.19.0", needed: "20.19" },
    home: { path: "/state", state: "there", writable: true, mode: 0o40700, network: null },
    token: { path: "/state/token", mode: 0o100600, isFile: true, holdsToken: true },
    configured: { ok: true, facts: inside },
    ...change,
  };
}

const verdict = (name: string, found: Facts) => judge(found).find((check) => check.name === name);
const troubled = (found: Facts) => judge(found).filter(({ status }) => status !== "ok");

test("where all is well, everything is ok and nothing has a fix", () => {
  const checks = judge(facts());
  expect(checks.map(({ name, status, fix }) => [name, status, fix])).toEqual(
    [
      "node",
      "config",
      "state directory",
      "token",
      "runtime stub",
      "directory of lane one",
      "store",
      "port",
      "clock",
    ].map((name) => [name, "ok", undefined]),
  );
});

describe("each of these is found, alone, with a way to put it right", () => {
  const home = facts().home;
  const trouble = new AppError({ code: "some_trouble", message: "It is broken.", hint: "Mend it." });
  const cases: [string, string, Facts, RegExp, RegExp][] = [
    [
      "node",
      "failed",
      facts({ node: { version: "20.18.9", needed: "20.19" } }),
      /20\.18\.9 is too old/,
      /20\.19 or newer/,
    ],
    ["node", "failed", facts({ node: { version: "18.20.0", needed: "20.19" } }), /too old/, /Install/],
    ["state directory", "failed", facts({ home: { ...home, network: "NFS" } }), /NFS/, /local disk/],
    [
      "state directory",
      "failed",
      facts({ home: { ...home, state: "cannot be made" } }),
      /cannot be made/,
      /WAYBILL_HOME/,
    ],
    [
      "state directory",
      "failed",
      facts({ home: { ...home, state: "no directory" } }),
      /not a directory/,
      /WAYBILL_HOME/,
    ],
    ["state directory", "failed", facts({ home: { ...home, writable: false } }), /written/, /chmod u\+rwx \/state/],
    ["state directory", "warning", facts({ home: { ...home, mode: 0o40755 } }), /\(0755\)/, /chmod 700 \/state/],
    [
      "token",
      "failed",
      facts({ token: { path: "/t", mode: 0o100640, isFile: true, holdsToken: true } }),
      /\(0640\)/,
      /delete \/t/,
    ],
    [
      "token",
      "failed",
      facts({ token: { path: "/t", mode: 0o120777, isFile: false, holdsToken: null } }),
      /plain file/,
      /new one/,
    ],
    [
      "token",
      "failed",
      facts({ token: { path: "/t", mode: 0o100600, isFile: true, holdsToken: false } }),
      /no token/,
      /Delete/,
    ],
    [
      "token",
      "failed",
      facts({ token: { path: "/t", mode: 0o100600, isFile: true, holdsToken: null } }),
      /cannot be read/,
      /your own/,
    ],
    [
      "config",
      "warning",
      facts({}, configured({ fileMode: 0o100644, fileHoldsSecret: true })),
      /\(0644\)/,
      /chmod 600/,
    ],
    [
      "directory of lane one",
      "failed",
      facts({}, configured({ lanes: [{ id: "one", directory: "/", trouble }] })),
      /broken/,
      /Mend/,
    ],
    ["store", "failed", facts({}, configured({ store: { state: "trouble", error: trouble } })), /broken/, /Mend/],
    [
      "port",
      "failed",
      facts({}, configured({ port: { host: "h", port: 1, state: "taken" } })),
      /h:1 is in use/,
      /another port/,
    ],
    [
      "port",
      "failed",
      facts({}, configured({ port: { host: "h", port: 1, state: "refused", why: "EACCES" } })),
      /EACCES/,
      /another/,
    ],
    [
      "clock",
      "failed",
      facts({ now: Date.UTC(1970, 0, 2) }, configured({ store: { state: "absent" } })),
      /1970-01-02/,
      /clock/,
    ],
    ["clock", "failed", facts({ now: now - 120_000 }), /entries from 2026-06-01/, /clock/],
  ];
  test.each(cases)("%s: %s (%#)", (name, status, found, detail, fix) => {
    expect(troubled(found)).toEqual([
      { name, status, detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) },
    ]);
  });
});

test("clocks that differ by a moment are no trouble", () => {
  expect(troubled(facts({ now: now - 30_000 }))).toEqual([]);
});

test("an invalid configuration fails alone; what depends on it is not guessed", () => {
  const error = new AppError({ code: "config_invalid", message: "port must be a port.", hint: "Correct it." });
  const checks = judge(facts({ configured: { ok: false, error } }));
  expect(checks.map(({ name }) => name)).toEqual(["node", "config", "state directory", "token", "clock"]);
  expect(checks[1]).toMatchObject({
    status: "failed",
    detail: expect.stringMatching(/^port must be .* not looked at/),
  });
});

test("an open store and our own daemon are in order, and named", () => {
  const inside = configured({
    store: { state: "sound", version: 1, heldBy: { pid: 42 }, newestAt: null },
    port: { host: "127.0.0.1", port: 7717, state: "ours", pid: 41 },
  });
  expect(verdict("store", facts({}, inside))?.detail).toMatch(/in use by process 42/);
  expect(verdict("port", facts({}, inside))?.detail).toMatch(/the Waybill of .* \(process 41\)/);
  expect(troubled(facts({}, inside))).toEqual([]);
});

describe("an agent program", () => {
  const program = { runtime: "claude", program: "claude", path: "/bin/claude" };
  const version = { ok: true, text: "1.2.3" } as const;

  test("of pi is in order with a version and a key", () => {
    const pi = { runtime: "pi", program: "pi", path: "/bin/pi", version };
    const found = facts({}, configured({ programs: [pi], hasPiKey: true }, { runtime: "pi" }));
    expect(troubled(found)).toEqual([]);
    expect(verdict("program pi", found)?.detail).toMatch(/version 1\.2\.3/);
  });

  test("that is there is told with its version and its model", () => {
    const found = facts({}, configured({ programs: [{ ...program, version }] }, { runtime: "claude", model: "big" }));
    expect(troubled(found)).toEqual([]);
    expect(verdict("program claude", found)?.detail).toMatch(/version 1\.2\.3/);
    expect(verdict("model claude", found)?.detail).toBe("big.");
  });

  test("that is not there, or does not answer, failed", () => {
    const gone = configured({ programs: [{ ...program, path: null, version: null }] }, { runtime: "claude" });
    expect(verdict("program claude", facts({}, gone))).toMatchObject({
      status: "failed",
      fix: expect.stringMatching(/PATH/),
    });
    const silent = { ...program, version: { ok: false, why: "no answer within 10 s" } } as const;
    const inside = configured({ programs: [silent] }, { runtime: "claude" });
    expect(verdict("program claude", facts({}, inside))).toMatchObject({
      status: "failed",
      detail: expect.stringMatching(/no answer within 10 s/),
    });
  });

  test("pi needs a key, and a model is left to a program that chooses itself", () => {
    expect(verdict("model pi", facts({}, configured({}, { runtime: "pi" })))).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(/openrouter\/auto from openrouter/),
    });
    expect(verdict("model pi", facts({}, configured({ hasPiKey: true }, { runtime: "pi" })))?.status).toBe("ok");
    expect(verdict("model claude", facts({}, configured({}, { runtime: "claude" })))?.detail).toBe(
      "left to the program.",
    );
  });
});

describe("OpenCode", () => {
  const judged = (opencode: ConfiguredFacts["opencode"]) =>
    facts({}, configured({ opencode }, { runtime: "opencode" }));

  test("is attached to where a server runs, and then no program is needed", () => {
    const found = judged({ does: "attach", url: "http://127.0.0.1:4096", version: "1.18.33" });
    expect(troubled(found)).toEqual([]);
    expect(verdict("server opencode", found)?.detail).toMatch(/attaches to .*:4096, version 1\.18\.33/);
    expect(verdict("program opencode", found)).toBeUndefined();
  });

  test("is started where none runs", () => {
    const found = judged({ does: "start", path: "/bin/opencode", version: "1.18.33" });
    expect(troubled(found)).toEqual([]);
    expect(verdict("program opencode", found)?.detail).toBe("/bin/opencode, version 1.18.33.");
    expect(verdict("server opencode", found)?.detail).toMatch(/starts one of its own, at 127\.0\.0\.1:4096/);
  });

  test.each([
    ["opencode_not_found", "program opencode"],
    ["opencode_too_old", "server opencode"],
    ["opencode_password_refused", "server opencode"],
  ])("that cannot be had (%s) failed, with the words of the runtime", (code, name) => {
    const error = new AppError({ code, message: "It cannot be had.", hint: "Mend it." });
    expect(troubled(judged({ does: "fail", error }))).toEqual([
      { name, status: "failed", detail: "It cannot be had.", fix: "Mend it." },
    ]);
  });
});
