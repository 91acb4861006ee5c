import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { configPlace, thrownBy } from "../../../test/support/config-place.ts";
import type { AppError } from "../../app-error.ts";
import { defaultPolicy } from "../../delivery/policy.ts";
import type { Config } from "./config.ts";
import { loadConfig, readConfig } from "./config.ts";
import type { Setting } from "./settings.ts";
import { settings } from "./settings.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

describe("where a configuration comes from", () => {
  test("without a file it is the demo profile, with a state directory of its own", () => {
    const { env, home } = configPlace();
    const config = loadConfig(env);
    expect(config.profile).toEqual({ kind: "demo" });
    expect(config).toMatchObject({ home, port: 7717, storePath: join(home, "demo", "waybill.db") });
    expect(config.lanes.map((lane) => [lane.id, lane.runtime])).toEqual([
      ["demo", "stub"],
      ["sleepy", "stub"],
    ]);
  });

  test("the environment counts in the demo profile, too", () => {
    const { env } = configPlace();
    expect(loadConfig({ ...env, PORT: "8000", WAYBILL_WATCHDOG: "0" })).toMatchObject({
      port: 8000,
      policy: { automaticRetry: false },
    });
  });

  test("a file at the default place is read", () => {
    const { env, file, home, write } = configPlace();
    write({ port: 9000 });
    const config = loadConfig(env);
    expect(config).toMatchObject({ profile: { kind: "file", path: file }, port: 9000, lanes: [] });
    expect(config.storePath).toBe(join(home, "waybill.db"));
  });

  test("XDG_CONFIG_HOME and WAYBILL_HOME move it", () => {
    const { env, root, write } = configPlace();
    const path = write({}, join(root, "xdg", "waybill", "config.json"));
    const config = loadConfig({ ...env, XDG_CONFIG_HOME: join(root, "xdg"), WAYBILL_HOME: "~/state" });
    expect(config).toMatchObject({ profile: { path }, home: join(root, "state") });
  });

  test("a file that is named and missing stops the start", () => {
    const { env, root } = configPlace();
    const error = refusal({ ...env, WAYBILL_CONFIG: "~/nowhere.json" });
    expect(error).toMatchObject({
      code: "config_missing",
      message: expect.stringContaining(join(root, "nowhere.json")),
    });
    expect(error.hint).toMatch(/waybill init/);
  });

  test("an empty WAYBILL_CONFIG names nothing", () => {
    const { env } = configPlace();
    expect(loadConfig({ ...env, WAYBILL_CONFIG: "" }).profile).toEqual({ kind: "demo" });
  });

  test("a directory in the place of the file is an error, not the demo", () => {
    const { env, file } = configPlace();
    mkdirSync(file, { recursive: true });
    expect(refusal(env)).toMatchObject({ code: "config_invalid", message: expect.stringMatching(/is a directory/) });
  });
});

describe("what a file may hold", () => {
  const cases: readonly [string, unknown, RegExp, RegExp?][] = [
    ["a wrong type", { port: "7717" }, /: port must be a port from 1 to 65535, or 0/],
    ["an unknown key, with the nearest one", { prot: 1 }, /: prot is no key/, /Did you mean "port"\?/],
    ["a key in another spelling", { TELEGRAM_BOT_TOKEN: "x" }, /TELEGRAM_BOT_TOKEN is no key/, /"telegramBotToken"/],
    ["an unknown key that is near to nothing", { colour: 1 }, /: colour is no key/, /docs\/configuration\.md/],
    ["an unknown key of delivery", { delivery: { graceMS: 1 } }, /: delivery\.graceMS is no key/, /"graceMs"/],
    [
      "an unknown key of retention",
      { delivery: { retention: { ms: 1 } } },
      /retention\.ms is/,
      /respondedMs, failedMs/,
    ],
    ["a wrong type in delivery", { delivery: { maxAttempts: 0 } }, /: delivery\.maxAttempts must be/],
    ["an empty list of delays", { delivery: { retryDelaysMs: [] } }, /retryDelaysMs must be a list that is not empty/],
    ["lanes that are no list", { lanes: {} }, /: lanes must be a list/],
    ["a lane without a directory", { lanes: [{ id: "a" }] }, /: lanes\[0\]\.directory is missing/],
    ["a lane with a bad id", { lanes: [{ id: "A b", directory: "/" }] }, /: lanes\[0\]\.id must be 1 to 64 of/],
    [
      "an unknown key of a lane",
      { lanes: [{ id: "a", dir: "/" }] },
      /lanes\[0\]\.directory is missing/,
      /lanes\[0\]\.dir is/,
    ],
    ["a bad name of a team", { teams: { "My team": { members: {} } } }, /: teams\["My team"\] is not a name/],
    ["a member without a lane", { teams: { a: { members: { b: {} } } } }, /teams\.a\.members\.b\.lane is missing/],
    [
      "a member's unknown key",
      { teams: { a: { members: { b: { lane: "x", lan: 1 } } } } },
      /b\.lan is no key/,
      /"lane"/,
    ],
    ["no object at all", [], /: it must be an object/],
    ["an origin with a path", { allowedOrigins: ["https://a.b/c"] }, /: allowedOrigins\[0\] must be an origin/],
    ["the null origin", { allowedOrigins: ["null"] }, /: allowedOrigins\[0\] must be an origin/],
    ["a URL with a password", { opencodeAttachUrl: "http://u:p@a.b" }, /: opencodeAttachUrl must be a URL/],
  ];
  test.each(cases)("%s is refused", (_, content, message, hint = /./) => {
    const { env, file, write } = configPlace();
    write(content);
    const error = refusal(env);
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(file);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  test("an unknown key deep in a lane's script is named by its path", () => {
    const { env, project, write } = configPlace();
    const script = { always: [{ steps: [{ say: "Hello.", lowd: true }] }], stepMS: 1 };
    write({ lanes: [{ id: "a", runtime: "stub", directory: project, script }] });
    const error = refusal(env);
    expect(`${error.message} ${error.hint}`).toMatch(/lanes\[0\]\.script\.always\[0\]\.steps\[0\]\.lowd is no key/);
    expect(error.hint).toMatch(/lanes\[0\]\.script\.stepMS is no key .*\(Did you mean "stepMs"\?\)/);
  });

  test("bad JSON is named by line and column, and nothing of it is quoted", () => {
    const { env, write } = configPlace();
    write('{\n  "telegramBotToken": "123:hush" "port": 1\n}');
    const error = refusal(env);
    expect(error.message).toMatch(/in line 2, column 34, a "," or the closing bracket should stand there/);
    expect(`${error.message}${error.hint}${inspect(error.cause)}`).not.toMatch(/hush/);
  });
});

describe("what the environment may say", () => {
  test.each([
    ["PORT", "eighty"],
    ["PORT", "70000"],
    ["PORT", "1e3"],
    ["OPENCODE_AUTO_START", "maybe"],
    ["MODEL_PROVIDER", "gpt"],
    ["RELAY_TIMEOUT_MS", "-1"],
    ["WAYBILL_WATCHDOG", "off, please"],
  ])("%s=%s is refused by name", (variable, value) => {
    const { env } = configPlace();
    const error = refusal({ ...env, [variable]: value });
    expect(error).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`variable ${variable} must`),
    });
    expect(error.message).toContain(value);
  });

  test("a bad secret is refused without being shown", () => {
    const { env } = configPlace();
    const error = refusal({ ...env, TELEGRAM_BOT_TOKEN: "123 hush" });
    expect(error.message).toMatch(/TELEGRAM_BOT_TOKEN must be text without spaces/);
    expect(inspect(error)).not.toMatch(/hush/);
  });

  test("an empty variable counts as unset", () => {
    const { env } = configPlace();
    expect(loadConfig({ ...env, PORT: "", SESSION_MAX_CONCURRENT: " ", WAYBILL_WATCHDOG: "" })).toMatchObject({
      port: 7717,
      sessionMaxConcurrent: 5,
      policy: { automaticRetry: true },
    });
  });

  const plain = Object.entries<Setting>(settings).filter(
    ([key, { env, secret }]) => env && !secret && !["sqlitePath", "sessionRetryAttempts", "host"].includes(key),
  );
  const samples = (kindWords: string): fc.Arbitrary<unknown> => {
    if (kindWords.startsWith("true")) return fc.boolean();
    if (kindWords.startsWith("a port")) return fc.integer({ min: 1, max: 65535 });
    if (kindWords.startsWith("a whole number")) return fc.integer({ min: 1, max: 1_000_000 });
    if (kindWords.startsWith("one of ")) return fc.constantFrom(...kindWords.slice("one of ".length).split(", "));
    if (kindWords.startsWith("a host")) return fc.constantFrom("127.0.0.2", "box.local");
    if (kindWords.startsWith("a URL")) return fc.constantFrom("http://127.0.0.1:4096", "https://box.local");
    return fc.constantFrom("/some-place", "/some/other-place");
  };

  test.each(plain)("%s: environment over file over default", (key, setting) => {
    const { env, write } = configPlace();
    const value = samples(setting.kind.words);
    fc.assert(
      fc.property(fc.option(value), fc.option(value), (inEnvironment, inFile) => {
        write(inFile === null ? {} : { [key]: inFile });
        const variables = inEnvironment === null ? {} : { [setting.env ?? ""]: String(inEnvironment) };
        const config = readConfig({ ...env, ...variables });
        expect(config[key as keyof Config]).toEqual(inEnvironment ?? inFile ?? setting.default ?? null);
      }),
      { numRuns: 20 },
    );
  });
});

describe("paths", () => {
  test("~ expands, and what is relative begins at the file, or at the working directory for a variable", () => {
    const { env, root, write } = configPlace();
    write({ sqlitePath: "db/w.db", opencodeBin: "~/bin/opencode", allowedDirectories: ["~/a", "b"] });
    const below = join(root, ".config", "waybill");
    expect(loadConfig(env)).toMatchObject({
      storePath: join(below, "db/w.db"),
      opencodeBin: join(root, "bin/opencode"),
      allowedDirectories: [join(root, "a"), join(below, "b")],
    });
    expect(loadConfig({ ...env, SQLITE_PATH: "x.db" }).storePath).toBe(join(process.cwd(), "x.db"));
  });

  test("the name of a program stays a name", () => {
    const { env } = configPlace();
    expect(loadConfig({ ...env, OPENCODE_BIN: "opencode-next" }).opencodeBin).toBe("opencode-next");
  });

  test("a prompt file that is not there is refused", () => {
    const { env } = configPlace();
    const error = refusal({ ...env, SYSTEM_PROMPT_PATH: "/nowhere/prompt.md" });
    expect(error.message).toMatch(/SYSTEM_PROMPT_PATH names \/nowhere\/prompt\.md, and there is no such file/);
  });
});

describe("lanes and teams", () => {
  test("what is left out follows from the settings, and a member's lane has its team", () => {
    const { env, project, write } = configPlace();
    write({
      modelProvider: "claude_code",
      modelName: "some-model",
      lanes: [
        { id: "one", directory: "~/project" },
        { id: "two", directory: "~/project", runtime: "stub", contract: "tool", model: "other", displayName: "Two" },
      ],
      teams: { crew: { displayName: "The crew", members: { tom: { lane: "two" } } } },
    });
    const { lanes, teams } = loadConfig(env);
    expect(lanes).toMatchObject([
      {
        id: "one",
        directory: project,
        runtime: "claude",
        model: "some-model",
        contract: "text",
        team: null,
        member: null,
      },
      { id: "two", runtime: "stub", model: "other", contract: "tool", team: "crew", member: "tom", displayName: "Two" },
    ]);
    expect(teams).toEqual([{ id: "crew", displayName: "The crew", members: [{ id: "tom", lane: "two" }] }]);
  });

  test("a stub lane may have a script", () => {
    const { env, write } = configPlace();
    const script = { always: [{ steps: [{ say: "Hello." }] }] };
    write({ modelProvider: "stub", lanes: [{ id: "one", directory: "~/project", script }] });
    expect(loadConfig(env).stubScripts).toMatchObject({ one: script });
  });

  const lane = { id: "one", directory: "~/project" };
  test.each([
    ["the same id twice", { lanes: [lane, lane] }, /lanes\[1\]\.id is "one", as is lanes\[0\]\.id/],
    ["a script for another agent", { lanes: [{ ...lane, script: {} }] }, /lanes\[0\]\.script is only for stub lanes/],
    [
      "a member of a lane that is not there",
      { lanes: [lane], teams: { t: { members: { m: { lane: "two" } } } } },
      /teams\.t\.members\.m\.lane is "two", and no lane of the file has that id/,
    ],
    [
      "two members with one lane",
      { lanes: [lane], teams: { t: { members: { m: { lane: "one" }, n: { lane: "one" } } } } },
      /teams\.t\.members\.n\.lane is "one", which is the lane of m of team t already/,
    ],
    [
      "a directory that is missing",
      { lanes: [{ ...lane, directory: "~/gone" }] },
      /lanes\[0\]\.directory does not fit: .*does not exist/,
    ],
    [
      "a directory that is not allowed",
      { lanes: [{ ...lane, directory: "/" }] },
      /lanes\[0\]\.directory does not fit: .*no allowed directory/,
    ],
  ])("%s is refused", (_, content, message) => {
    const { env, write } = configPlace();
    write(content);
    expect(refusal(env)).toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
  });

  test("the directory that a lane gets is the one behind its symlinks", () => {
    const { env, root, project, write } = configPlace();
    symlinkSync(project, join(root, "link"));
    write({ lanes: [{ ...lane, directory: "~/link" }] });
    expect(loadConfig(env).lanes[0]?.directory).toBe(project);
  });
});

describe("the policy", () => {
  test("the numbers of delivery replace the defaults one by one; repairs have a name of their own", () => {
    const { env, write } = configPlace();
    write({ sessionRetryAttempts: 4, delivery: { graceMs: 1, retention: { failedMs: 2 } } });
    expect(loadConfig(env).policy).toEqual({
      ...defaultPolicy,
      maxRepairs: 4,
      graceMs: 1,
      retention: { ...defaultPolicy.retention, failedMs: 2 },
    });
  });

  test("WAYBILL_WATCHDOG=0 is the kill switch", () => {
    const { env, write } = configPlace();
    write({});
    expect(loadConfig({ ...env, WAYBILL_WATCHDOG: "0" }).policy.automaticRetry).toBe(false);
    expect(loadConfig({ ...env, WAYBILL_WATCHDOG: "1" }).policy.automaticRetry).toBe(true);
  });
});

describe("an address that other machines can reach", () => {
  test.each(["0.0.0.0", "::", "192.168.1.2", "box.local"])("%s needs an explicit word", (host) => {
    const { env, write } = configPlace();
    expect(refusal({ ...env, WAYBILL_HOST: host })).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`WAYBILL_HOST is ${host}`),
      hint: expect.stringContaining("allowRemote"),
    });
    write({ host });
    expect(refusal(env).message).toMatch(/: host is /);
    expect(loadConfig({ ...env, WAYBILL_ALLOW_REMOTE: "1" }).host).toBe(host);
  });

  test.each(["127.0.0.1", "127.1.2.3", "::1", "localhost"])("%s is no such address", (host) => {
    const { env } = configPlace();
    expect(loadConfig({ ...env, WAYBILL_HOST: host }).host).toBe(host);
  });
});

test("secrets are there for those who ask, and print nowhere", () => {
  const { env, write } = configPlace();
  write({ telegramBotToken: "123:hush" });
  const config = loadConfig({ ...env, PI_AGENT_API_KEY: "sk-hush" });
  expect(config.secrets.telegramBotToken?.reveal()).toBe("123:hush");
  expect(config.secrets.piAgentApiKey?.reveal()).toBe("sk-hush");
  expect(`${JSON.stringify(config)} ${inspect(config, { depth: 9 })} ${config.secrets.piAgentApiKey}`).not.toMatch(
    /hush/,
  );
});
