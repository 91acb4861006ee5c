import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { configDirectory, thrownBy } from "../../../test/support/daemon/config-directory.ts";
import type { AppError } from "../../platform/app-error.ts";
import type { Secret } from "../../platform/setting-types.ts";
import { metaOf } from "../../platform/setting-types.ts";
import type { Config } from "./config.ts";
import { loadConfig, readConfig } from "./config.ts";
import { daemonSettings, runtimeSettings } from "./settings.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

describe("environment variables", () => {
  test.each([
    ["PORT", "eighty"],
    ["PORT", "70000"],
    ["PORT", "1e3"],
    ["OPENCODE_AUTO_START", "maybe"],
    ["MODEL_PROVIDER", "gpt"],
    ["RELAY_TIMEOUT_MS", "-1"],
    ["WAYBILL_WATCHDOG", "off, please"],
    ["WAYBILL_PERMISSION_POLICY", "reckless"],
    ["WAYBILL_DAILY_TOKEN_LIMIT", "0"],
    ["WAYBILL_DAILY_COST_LIMIT", "free"],
  ])("%s=%s is refused by name", (variable, value) => {
    const { env } = configDirectory();
    const error = refusal({ ...env, [variable]: value });
    expect(error).toMatchObject({
      code: "config_invalid",
      message: expect.stringContaining(`variable ${variable} must`),
    });
    expect(error.message).toContain(value);
  });

  test("an invalid secret is refused without being shown", () => {
    const { env } = configDirectory();
    const error = refusal({ ...env, PI_AGENT_API_KEY: "123 hush" });
    expect(error.message).toMatch(/PI_AGENT_API_KEY must be text without spaces/);
    expect(inspect(error)).not.toMatch(/hush/);
  });

  test("a URL with a password in it is refused without being shown", () => {
    const { env } = configDirectory();
    const error = refusal({ ...env, OPENCODE_ATTACH_URL: "http://me:hush@127.0.0.1:4096" });
    expect(error.message).toMatch(/OPENCODE_ATTACH_URL must be a URL .* without a password/);
    expect(refusal({ ...env, OPENCODE_ATTACH_URL: "http://127.0.0.1:4096/?a=b" }).message).toMatch(/without \? or #/);
    expect(inspect(error)).not.toMatch(/hush/);
  });

  test("an empty variable counts as unset", () => {
    const { env } = configDirectory();
    expect(loadConfig({ ...env, PORT: "", SESSION_MAX_CONCURRENT: " ", WAYBILL_WATCHDOG: "" })).toMatchObject({
      port: 7717,
      sessionMaxConcurrent: 5,
      policy: { automaticRetry: true },
    });
  });

  const withVariable = Object.entries<z.ZodType>({ ...daemonSettings, ...runtimeSettings }).filter(
    ([, schema]) => metaOf(schema).env !== undefined,
  );
  /** A few settings end up under another name than their key. */
  const seen = (key: string, config: Config): unknown => {
    if (key === "sqlitePath") return config.storePath.replace(config.home, "$WAYBILL_HOME");
    if (key === "sessionRetryAttempts") return config.policy.maxRepairs;
    if (key === "opencodeApiPort") return config.opencodeApi?.port ?? null;
    const value = key in runtimeSettings ? config.runtimeSettings[key] : config[key as keyof Config];
    return (
      (metaOf({ ...daemonSettings, ...runtimeSettings }[key] as z.ZodType).secret && value
        ? (value as Secret).reveal()
        : value) ?? null
    );
  };
  const samples = (kindWords: string): fc.Arbitrary<unknown> => {
    if (kindWords.startsWith("true")) return fc.boolean();
    if (kindWords.startsWith("a port")) return fc.integer({ min: 1, max: 65535 }).filter((port) => port !== 7717);
    if (kindWords.startsWith("a whole number")) return fc.integer({ min: 1, max: 1_000_000 });
    if (kindWords.startsWith("one of ")) return fc.constantFrom(...kindWords.slice("one of ".length).split(", "));
    if (kindWords.startsWith("a number")) return fc.integer({ min: 1, max: 400 }).map((quarters) => quarters / 4);
    if (kindWords.startsWith("`safe`")) return fc.constantFrom("safe", "trusted");
    if (kindWords.startsWith("a host")) return fc.constantFrom("127.0.0.2", "localhost");
    if (kindWords.startsWith("a URL")) return fc.constantFrom("http://127.0.0.1:4096", "https://box.local");
    if (kindWords.startsWith("a list of numeric")) return fc.array(fc.integer(), { minLength: 1, maxLength: 3 });
    return fc.constantFrom("/some-place", "/some/other-place");
  };

  test.each(withVariable)("%s: environment over file over default", (key, schema) => {
    const { env, write } = configDirectory();
    const { words = "", env: variable = "" } = metaOf(schema);
    const value = samples(words);
    // A webhook needs its secret.
    const others = key === "telegramWebhookUrl" ? { telegramWebhookSecret: "secret" } : {};
    fc.assert(
      fc.property(fc.option(value), fc.option(value), (inEnvironment, inFile) => {
        write({ ...others, ...(inFile === null ? {} : { [key]: inFile }) });
        const variables = inEnvironment === null ? {} : { [variable]: String(inEnvironment) };
        const config = readConfig({ ...env, ...variables });
        expect(seen(key, config)).toEqual(inEnvironment ?? inFile ?? schema.parse(undefined) ?? null);
      }),
      { numRuns: 20 },
    );
  });
});
