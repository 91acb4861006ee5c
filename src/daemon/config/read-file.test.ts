import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { configDirectory, thrownBy } from "../../../test/support/daemon/config-directory.ts";
import type { AppError } from "../../platform/app-error.ts";
import { loadConfig } from "./config.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

describe("the content of a file", () => {
  const cases: readonly [string, unknown, RegExp, RegExp?][] = [
    ["a wrong type", { port: "7717" }, /: port must be a port from 1 to 65535, or 0/],
    ["an unknown key, with the nearest one", { prot: 1 }, /: prot is an unknown key/, /Did you mean "port"\?/],
    ["a key in another spelling", { PI_AGENT_API_KEY: "x" }, /PI_AGENT_API_KEY is an unknown key/, /"piAgentApiKey"/],
    ["ids that are not numbers", { telegramAllowedUsers: ["ann"] }, /telegramAllowedUsers.* must be/],
    ["an unknown key without a similar one", { colour: 1 }, /: colour is an unknown key/, /docs\/configuration\.md/],
    ["an unknown key of delivery", { delivery: { graceMS: 1 } }, /: delivery\.graceMS is an unknown key/, /"graceMs"/],
    [
      "an unknown key of retention",
      { delivery: { retention: { ms: 1 } } },
      /retention\.ms is/,
      /respondedMs, failedMs/,
    ],
    ["a wrong type in delivery", { delivery: { maxAttempts: 0 } }, /: delivery\.maxAttempts must be/],
    [
      "an empty list of delays",
      { delivery: { retryDelaysMs: [] } },
      /retryDelaysMs must be a list .* that is not empty/,
    ],
    ["lanes that are not a list", { lanes: {} }, /: lanes must be a list/],
    ["a lane without a directory", { lanes: [{ id: "a" }] }, /: lanes\[0\]\.directory is missing/],
    ["a lane with a bad id", { lanes: [{ id: "A b", directory: "/" }] }, /: lanes\[0\]\.id must be 1 to 64 of/],
    [
      "an unknown key of a lane",
      { lanes: [{ id: "a", dir: "/" }] },
      /lanes\[0\]\.directory is missing/,
      /lanes\[0\]\.dir is/,
    ],
    ["a bad name of a team", { teams: { "My team": { members: {} } } }, /: teams\["My team"\] is not a valid name/],
    ["a member without a lane", { teams: { a: { members: { b: {} } } } }, /teams\.a\.members\.b\.lane is required/],
    [
      "a member's unknown key",
      { teams: { a: { members: { b: { lane: "x", lan: 1 } } } } },
      /b\.lan is an unknown key/,
      /"lane"/,
    ],
    ["no object at all", [], /: it must be an object/],
    ["an origin with a path", { allowedOrigins: ["https://a.b/c"] }, /: allowedOrigins\[0\] must be an origin/],
    ["the null origin", { allowedOrigins: ["null"] }, /: allowedOrigins\[0\] must be an origin/],
    ["a URL with a password", { opencodeAttachUrl: "http://u:p@a.b" }, /: opencodeAttachUrl must be a URL/],
  ];
  test.each(cases)("%s is refused", (_, content, message, hint = /./) => {
    const { env, file, write } = configDirectory();
    write(content);
    const error = refusal(env);
    expect(error.code).toBe("config_invalid");
    expect(error.message).toContain(file);
    expect(error.message).toMatch(message);
    expect(error.hint).toMatch(hint);
  });

  test("an unknown key deep in a lane's script is reported with its path", () => {
    const { env, project, write } = configDirectory();
    const script = { always: [{ steps: [{ say: "Hello.", lowd: true }] }], stepMS: 1 };
    write({ lanes: [{ id: "a", runtime: "stub", directory: project, script }] });
    const error = refusal(env);
    expect(`${error.message} ${error.hint}`).toMatch(
      /lanes\[0\]\.script\.always\[0\]\.steps\[0\]\.lowd is an unknown key/,
    );
    expect(error.hint).toMatch(/lanes\[0\]\.script\.stepMS is an unknown key .*\(Did you mean "stepMs"\?\)/);
  });

  test("invalid JSON is reported by line and column, without quoting it", () => {
    const { env, write } = configDirectory();
    write('{\n  "piAgentApiKey": "123-hush" "port": 1\n}');
    const error = refusal(env);
    expect(error.message).toMatch(/at line 2, column 31, a "," or the closing bracket is expected/);
    expect(`${error.message}${error.hint}${inspect(error.cause)}`).not.toMatch(/hush/);
  });
});
