import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { configDirectory, thrownBy } from "../../../test/support/daemon/config-directory.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import type { AppError } from "../../platform/app-error.ts";
import type { Secret } from "../../platform/setting-types.ts";
import { loadConfig } from "./config.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

describe("the source of a configuration", () => {
  test("without a file it is the demo profile, with a state directory of its own", () => {
    const { env, home } = configDirectory();
    const config = loadConfig(env);
    expect(config.profile).toEqual({ kind: "demo" });
    expect(config).toMatchObject({ home, port: 7717, storePath: join(home, "demo", "waybill.db") });
    expect(config.lanes.map((lane) => [lane.id, lane.runtime])).toEqual([
      ["demo", "opencode"],
      ["sleepy", "stub"],
    ]);
  });

  test("the demo's directories have their symlinks resolved, even before they exist", () => {
    const { env, root } = configDirectory();
    mkdirSync(join(root, "real"));
    symlinkSync(join(root, "real"), join(root, "link"));
    const { lanes } = loadConfig({ ...env, WAYBILL_HOME: join(root, "link", "waybill") });
    expect(new Set(lanes.map(({ directory }) => directory))).toEqual(
      new Set([join(root, "real", "waybill", "demo", "work")]),
    );
  });

  test("the environment also applies to the demo profile", () => {
    const { env } = configDirectory();
    expect(loadConfig({ ...env, PORT: "8000", WAYBILL_WATCHDOG: "0" })).toMatchObject({
      port: 8000,
      policy: { automaticRetry: false },
    });
  });

  test("a file at the default path is read", () => {
    const { env, file, home, write } = configDirectory();
    write({ port: 9000 });
    const config = loadConfig(env);
    expect(config).toMatchObject({ profile: { kind: "file", path: file }, port: 9000, lanes: [] });
    expect(config.storePath).toBe(join(home, "waybill.db"));
  });

  test("XDG_CONFIG_HOME and WAYBILL_HOME move it", () => {
    const { env, root, write } = configDirectory();
    const path = write({}, join(root, "xdg", "waybill", "config.json"));
    const config = loadConfig({ ...env, XDG_CONFIG_HOME: join(root, "xdg"), WAYBILL_HOME: "~/state" });
    expect(config).toMatchObject({ profile: { path }, home: join(root, "state") });
  });

  test("a missing file that WAYBILL_CONFIG names stops the start", () => {
    const { env, root } = configDirectory();
    const error = refusal({ ...env, WAYBILL_CONFIG: "~/nowhere.json" });
    expect(error).toMatchObject({
      code: "config_missing",
      message: expect.stringContaining(join(root, "nowhere.json")),
    });
    expect(error.hint).toMatch(/waybill init/);
  });

  test("an empty WAYBILL_CONFIG counts as unset", () => {
    const { env } = configDirectory();
    expect(loadConfig({ ...env, WAYBILL_CONFIG: "" }).profile).toEqual({ kind: "demo" });
  });

  test("a directory instead of the file is an error, not the demo", () => {
    const { env, file } = configDirectory();
    mkdirSync(file, { recursive: true });
    expect(refusal(env)).toMatchObject({ code: "config_invalid", message: expect.stringMatching(/is a directory/) });
  });
});

describe("paths", () => {
  test("~ expands, and paths are relative to the file, or to the working directory for a variable", () => {
    const { env, root, write } = configDirectory();
    write({ sqlitePath: "db/w.db", opencodeBin: "~/bin/opencode", allowedDirectories: ["~/a", "b"] });
    const below = join(root, ".config", "waybill");
    expect(loadConfig(env)).toMatchObject({
      storePath: join(below, "db/w.db"),
      runtimeSettings: { opencodeBin: join(root, "bin/opencode") },
      allowedDirectories: [join(root, "a"), join(below, "b")],
    });
    expect(loadConfig({ ...env, SQLITE_PATH: "x.db" }).storePath).toBe(join(process.cwd(), "x.db"));
  });

  test("the name of a program is not resolved as a path", () => {
    const { env } = configDirectory();
    expect(loadConfig({ ...env, OPENCODE_BIN: "opencode-next" }).runtimeSettings.opencodeBin).toBe("opencode-next");
  });

  test("a missing prompt file is refused", () => {
    const { env } = configDirectory();
    const error = refusal({ ...env, SYSTEM_PROMPT_PATH: "/nowhere/prompt.md" });
    expect(error.message).toMatch(/SYSTEM_PROMPT_PATH names \/nowhere\/prompt\.md, which does not exist/);
  });
});

describe("the policy", () => {
  test("the numbers in delivery replace defaults one by one; repairs have their own setting", () => {
    const { env, write } = configDirectory();
    write({ sessionRetryAttempts: 4, delivery: { graceMs: 1, retention: { failedMs: 2 } } });
    expect(loadConfig(env).policy).toEqual({
      ...defaultPolicy,
      maxRepairs: 4,
      graceMs: 1,
      retention: { ...defaultPolicy.retention, failedMs: 2 },
    });
  });

  test("WAYBILL_WATCHDOG=0 is the kill switch", () => {
    const { env, write } = configDirectory();
    write({});
    expect(loadConfig({ ...env, WAYBILL_WATCHDOG: "0" }).policy.automaticRetry).toBe(false);
    expect(loadConfig({ ...env, WAYBILL_WATCHDOG: "1" }).policy.automaticRetry).toBe(true);
  });
});

describe("an address that other machines can reach", () => {
  test.each(["0.0.0.0", "::", "192.168.1.2", "box.local"])("%s needs allowRemote", (host) => {
    const { env, write } = configDirectory();
    expect(refusal({ ...env, WAYBILL_HOST: host })).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`WAYBILL_HOST is ${host}`),
      hint: expect.stringContaining("allowRemote"),
    });
    write({ host });
    expect(refusal(env).message).toMatch(/: host is /);
    expect(loadConfig({ ...env, WAYBILL_ALLOW_REMOTE: "1" }).host).toBe(host);
  });

  test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("%s does not count as one", (host) => {
    const { env } = configDirectory();
    expect(loadConfig({ ...env, WAYBILL_HOST: host }).host).toBe(host);
  });
});

test("an allowed origin may belong to a desktop app, and must be only an origin", () => {
  const { env, write } = configDirectory();
  const allowedOrigins = ["https://box.local", "http://127.0.0.1:4096", "tauri://localhost", "oc://renderer"];
  write({ allowedOrigins });
  expect(loadConfig(env).allowedOrigins).toEqual(allowedOrigins);
  for (const wrong of ["tauri://localhost/", "oc://a@b", "null", "box.local", "https://box.local/", "oc:renderer"]) {
    write({ allowedOrigins: [wrong] });
    expect(refusal(env)).toMatchObject({ code: "config_invalid" });
  }
});

describe("the port of OpenCode's API", () => {
  const apiOf = (env: NodeJS.ProcessEnv) => loadConfig(env).opencodeApi;

  test("is off by default, and on in the demo next to the daemon's own port", () => {
    const { env, write } = configDirectory();
    expect(apiOf(env)).toEqual({ host: "127.0.0.1", port: 7718, isRequired: false });
    expect(apiOf({ ...env, PORT: "0" })).toMatchObject({ port: 0, isRequired: false });
    expect(apiOf({ ...env, PORT: "65535" })).toBeNull();
    expect(apiOf({ ...env, WAYBILL_OPENCODE_API_PORT: "null" })).toBeNull();
    write({});
    expect(apiOf(env)).toBeNull();
  });

  test("is required once it is set explicitly, and stays on loopback", () => {
    const { env, write } = configDirectory();
    write({ opencodeApiPort: 4096, host: "0.0.0.0", allowRemote: true });
    expect(apiOf(env)).toEqual({ host: "127.0.0.1", port: 4096, isRequired: true });
    expect(apiOf({ ...env, WAYBILL_HOST: "::1" })).toMatchObject({ host: "::1" });
  });

  test("must differ from the daemon's own", () => {
    const { env, write } = configDirectory();
    write({ opencodeApiPort: 7717 });
    expect(refusal(env)).toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(/opencodeApiPort is 7717, which is the daemon's own port/),
      hint: expect.stringMatching(/another port/),
    });
    expect(apiOf({ ...env, PORT: "0", WAYBILL_OPENCODE_API_PORT: "0" })).toMatchObject({ port: 0 });
  });
});

test("a secret is available to the runtime that needs it, and is never printed", () => {
  const { env, write } = configDirectory();
  write({ piAgentApiKey: "sk-hush" });
  for (const config of [loadConfig(env), loadConfig({ ...env, PI_AGENT_API_KEY: "sk-hush" })]) {
    const key = config.runtimeSettings.piAgentApiKey as Secret;
    expect(key.reveal()).toBe("sk-hush");
    expect(`${JSON.stringify(config)} ${inspect(config, { depth: 9 })} ${key}`).not.toMatch(/hush/);
  }
});
