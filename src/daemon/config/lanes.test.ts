import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configDirectory, thrownBy } from "../../../test/support/daemon/config-directory.ts";
import type { AppError } from "../../platform/app-error.ts";
import { loadConfig } from "./config.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

describe("lanes and teams", () => {
  test("missing values come from the settings, and a member's lane has its team", () => {
    const { env, project, write } = configDirectory();
    write({
      modelProvider: "claude_code",
      modelName: "some-model",
      lanes: [
        { id: "one", directory: "~/project" },
        { id: "two", directory: "~/project", runtime: "stub", contract: "tool", model: "other", displayName: "Two" },
      ],
      teams: { crew: { members: { tom: { lane: "two" } } } },
    });
    const { lanes } = loadConfig(env);
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
  });

  test("a stub lane may have a script", () => {
    const { env, write } = configDirectory();
    const script = { always: [{ steps: [{ say: "Hello." }] }] };
    write({ modelProvider: "stub", lanes: [{ id: "one", directory: "~/project", script }] });
    expect(loadConfig(env).laneSettings).toMatchObject({ one: { script } });
  });

  test("an agent brings its own model; other lanes have the configured one", () => {
    const { env, write } = configDirectory();
    const agent = { directory: "~/project", agent: "plan" };
    write({
      modelName: "a/b",
      lanes: [
        { id: "one", ...agent },
        { id: "two", directory: "~/project" },
        { id: "three", ...agent, runtime: "claude" },
      ],
    });
    expect(loadConfig(env).lanes.map(({ model }) => model)).toEqual([null, "a/b", "a/b"]);
  });

  test.each(["build", "plan"])("OpenCode's built-in agent %s may have a model next to it", (agent) => {
    const { env, write } = configDirectory();
    write({ lanes: [{ id: "one", directory: "~/project", agent, model: "a/b" }] });
    expect(loadConfig(env).lanes).toMatchObject([{ agent, model: "a/b" }]);
  });

  test("a lane has the general limits, its own, or none", () => {
    const { env, write } = configDirectory();
    const directory = "~/project";
    write({
      dailyTokenLimit: 1000,
      dailyCostLimit: 2.5,
      lanes: [
        { id: "one", directory },
        { id: "two", directory, dailyTokenLimit: 50 },
        { id: "three", directory, dailyTokenLimit: null, dailyCostLimit: null },
      ],
    });
    expect(loadConfig(env).policy.limits).toEqual({
      everyLane: { tokens: 1000, cost: 2.5 },
      byLane: { two: { tokens: 50, cost: 2.5 }, three: { tokens: null, cost: null } },
    });
  });

  test("the permission policy is a word, or a table in OpenCode's format", () => {
    const { env, write } = configDirectory();
    write({});
    expect(loadConfig(env).permissionPolicy).toBe("safe");
    const permissionPolicy = { bash: { "*": "ask", "git *": "allow" }, webfetch: "deny" };
    write({ permissionPolicy });
    expect(loadConfig(env).permissionPolicy).toEqual(permissionPolicy);
  });

  const lane = { id: "one", directory: "~/project" };
  test.each([
    ["the same id twice", { lanes: [lane, lane] }, /lanes\[1\]\.id is "one", the same as lanes\[0\]\.id/],
    ["a script for another agent", { lanes: [{ ...lane, script: {} }] }, /lanes\[0\]\.script is only for stub lanes/],
    [
      "an agent and a model",
      { lanes: [{ ...lane, agent: "reviewer", model: "a/b" }] },
      /lanes\[0\]\.model conflicts with its agent, which brings its own/,
    ],
    [
      "an agent for pi",
      { lanes: [{ ...lane, runtime: "pi", agent: "plan" }] },
      /lanes\[0\]\.agent is "plan", but pi has no agents/,
    ],
    ["a limit of 0", { lanes: [{ ...lane, dailyTokenLimit: 0 }] }, /dailyTokenLimit must be a whole number, 1 or/],
    [
      "an invalid permission",
      { permissionPolicy: { bash: { "git *": "maybe" } } },
      /permissionPolicy must be `safe`, `trusted`, or a table of `ask`, `allow` and `deny`/,
    ],
    [
      "a member with an unknown lane",
      { lanes: [lane], teams: { t: { members: { m: { lane: "two" } } } } },
      /teams\.t\.members\.m\.lane is "two", but no lane in the file has that id/,
    ],
    [
      "two members with one lane",
      { lanes: [lane], teams: { t: { members: { m: { lane: "one" }, n: { lane: "one" } } } } },
      /teams\.t\.members\.n\.lane is "one", which is already the lane of m of team t/,
    ],
    [
      "a missing directory",
      { lanes: [{ ...lane, directory: "~/gone" }] },
      /lanes\[0\]\.directory is invalid: .*does not exist/,
    ],
    [
      "a directory that is not allowed",
      { lanes: [{ ...lane, directory: "/" }] },
      /lanes\[0\]\.directory is invalid: .*not in an allowed directory/,
    ],
  ])("%s is refused", (_, content, message) => {
    const { env, write } = configDirectory();
    write(content);
    expect(refusal(env)).toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
  });

  test("an unknown runtime is refused, and the nearest one is suggested", () => {
    const { env, write } = configDirectory();
    write({ lanes: [{ ...lane, runtime: "opencod" }] });
    expect(refusal(env)).toMatchObject({
      code: "config_invalid",
      message: expect.stringMatching(/lanes\[0\]\.runtime must be one of opencode, claude, pi, stub/),
      hint: 'Did you mean "opencode"?',
    });
  });

  test("a lane's directory has its symlinks resolved", () => {
    const { env, root, project, write } = configDirectory();
    symlinkSync(project, join(root, "link"));
    write({ lanes: [{ ...lane, directory: "~/link" }] });
    expect(loadConfig(env).lanes[0]?.directory).toBe(project);
  });
});
