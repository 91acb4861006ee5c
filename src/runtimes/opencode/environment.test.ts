import { describe, expect, test } from "vitest";
import { secretValues } from "../process/agent-environment.ts";
import { serverEnvironment, startFingerprint } from "./environment.ts";

const given = {
  PATH: "/bin",
  HOME: "/home/ann",
  LANG: "C",
  LC_ALL: "C",
  XDG_DATA_HOME: "/data",
  HTTPS_PROXY: "http://proxy:3128",
  ANTHROPIC_API_KEY: "key-of-anthropic",
  OPENROUTER_API_KEY: "key-of-openrouter",
  AWS_SECRET_ACCESS_KEY: "key-of-aws",
  OPENCODE_CONFIG: "/etc/opencode.json",
};

describe("the environment of a server", () => {
  test("has the variables that OpenCode, its providers and its tools need, and disables automatic updates", () => {
    expect(serverEnvironment(given, {})).toEqual({ ...given, OPENCODE_DISABLE_AUTOUPDATE: "1" });
  });

  test.each([
    "TELEGRAM_BOT_TOKEN",
    "WAYBILL_TOKEN",
    "WAYBILL_HOME",
    "WAYBILL_AGENT_NONCE",
    "PI_AGENT_API_KEY",
    "OPENCODE_SERVER_PASSWORD",
    "OPENCODE_SERVER_USERNAME",
    "OPENCODE_BIN",
    "OPENCODE_PID",
    "DATABASE_PASSWORD",
    "NODE_OPTIONS",
  ])("does not have %s", (name) => {
    expect(serverEnvironment({ ...given, [name]: "x" }, {})).not.toHaveProperty(name);
  });

  test("is overridden by extra variables", () => {
    expect(serverEnvironment(given, { HOME: "/demo", OPENCODE_CONFIG_CONTENT: "{}" })).toMatchObject({
      HOME: "/demo",
      OPENCODE_CONFIG_CONTENT: "{}",
    });
  });

  test("contains secrets that an error message must not quote", () => {
    expect(secretValues(serverEnvironment(given, {}))).toEqual(["key-of-openrouter", "key-of-anthropic", "key-of-aws"]);
  });

  test.each([
    ["ANTHROPIC_CUSTOM_HEADERS", "X-Tenant: blue\nX-Auth: Bearer one-in-a-header", ["one-in-a-header"]],
    ["HTTPS_PROXY", "http://me:behind-the-proxy@proxy.example:3128", ["behind-the-proxy"]],
    ["OPENAI_BASE_URL", "https://me:in-an-address@models.example/v1", ["in-an-address"]],
    [
      "GOPROXY",
      "https://a-token-alone@proxy.example,https://me:with@sign@other.example",
      ["a-token-alone", "with@sign"],
    ],
    ["AWS_SECRET_ACCESS_KEY", "short", []],
    ["GOPROXY", "https://proxy.example,direct", []],
  ])("contains the secrets inside %s", (name, value, secrets) => {
    expect(secretValues({ [name]: value })).toEqual(secrets);
  });
});

describe("the fingerprint of a start", () => {
  const start = { path: "/bin/opencode", configuredAddress: "127.0.0.1:4096", environment: given };
  const before = startFingerprint(start);

  test("is the same from another terminal", () => {
    expect(startFingerprint({ ...start, environment: { ...given, LANG: "de", TERM: "xterm", PATH: "/usr/bin" } })).toBe(
      before,
    );
  });

  test.each<[string, Partial<typeof start>]>([
    ["another program", { path: "/usr/bin/opencode" }],
    ["another address", { configuredAddress: "0.0.0.0:4096" }],
    ["another key", { environment: { ...given, ANTHROPIC_API_KEY: "new" } }],
    ["another home", { environment: { ...given, HOME: "/home/bob" } }],
  ])("differs with %s", (_what, change) => {
    expect(startFingerprint({ ...start, ...change })).not.toBe(before);
  });
});
