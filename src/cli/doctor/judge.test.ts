import { describe, expect, test } from "vitest";
import { readConfig } from "../../daemon/config/config.ts";
import { AppError } from "../../platform/app-error.ts";
import type { ConfiguredFacts, Facts } from "./facts.ts";
import { judge } from "./judge.ts";

const now = Date.UTC(2026, 5, 1);

function configured(change: Partial<ConfiguredFacts> = {}): ConfiguredFacts {
  const content = { lanes: [{ id: "one", directory: "/src", runtime: "stub" }] };
  const config = readConfig({ HOME: "/home/me" }, { path: "/home/me/config.json", content });
  return {
    config,
    fileMode: 0o100600,
    fileHoldsSecret: false,
    runtimeChecks: [{ name: "runtime stub", status: "ok", detail: "It is fine." }],
    lanes: [{ id: "one", directory: "/src", problem: null }],
    telegram: null,
    store: { state: "sound", version: 1, heldBy: null, newestAt: now },
    port: { host: "127.0.0.1", port: 7717, state: "free" },
    opencodeApiPort: null,
    ...change,
  };
}

/** With a configured port it must be free; the demo starts without it. */
function apiTaken(isRequired: boolean): Partial<ConfiguredFacts> {
  const { config } = configured();
  const address = { host: "127.0.0.1", port: 7718 };
  const opencodeApi = { ...address, isRequired };
  return { config: { ...config, opencodeApi }, opencodeApiPort: { ...address, state: "taken" } };
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

test("on a healthy machine every check is ok and has no fix", () => {
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

describe("each problem is reported alone, with a fix", () => {
  const home = facts().home;
  const trouble = new AppError({ code: "some_trouble", message: "It is broken.", hint: "Fix it." });
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
      /cannot be created/,
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
      /regular file/,
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
      /ownership/,
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
      facts({}, configured({ lanes: [{ id: "one", directory: "/", problem: trouble }] })),
      /broken/,
      /Fix/,
    ],
    ["store", "failed", facts({}, configured({ store: { state: "error", error: trouble } })), /broken/, /Fix/],
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
      "port of OpenCode's API",
      "failed",
      facts({}, configured(apiTaken(true))),
      /7718 is in use by another program/,
      /WAYBILL_OPENCODE_API_PORT/,
    ],
    [
      "port of OpenCode's API",
      "warning",
      facts({}, configured(apiTaken(false))),
      /7718 is in use by another program/,
      /WAYBILL_OPENCODE_API_PORT/,
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

test("a small difference between clocks is fine", () => {
  expect(troubled(facts({ now: now - 30_000 }))).toEqual([]);
});

test("an invalid configuration fails, and checks that depend on it are skipped", () => {
  const error = new AppError({ code: "config_invalid", message: "port must be a port.", hint: "Correct it." });
  const checks = judge(facts({ configured: { ok: false, error } }));
  expect(checks.map(({ name }) => name)).toEqual(["node", "config", "state directory", "token", "clock"]);
  expect(checks[1]).toMatchObject({
    status: "failed",
    detail: expect.stringMatching(/^port must be .* skipped/),
  });
});

test("a store in use and our own daemon are ok, and their processes are named", () => {
  const inside = configured({
    store: { state: "sound", version: 1, heldBy: { pid: 42 }, newestAt: null },
    port: { host: "127.0.0.1", port: 7717, state: "ours", pid: 41 },
  });
  expect(verdict("store", facts({}, inside))?.detail).toMatch(/in use by process 42/);
  expect(verdict("port", facts({}, inside))?.detail).toMatch(/the Waybill of .* \(process 41\)/);
  expect(troubled(facts({}, inside))).toEqual([]);
});
