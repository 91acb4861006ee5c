import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { configPlace, thrownBy } from "../../../test/support/config-place.ts";
import type { AppError } from "../../app-error.ts";
import { loadConfig } from "./config.ts";

const refusal = (env: NodeJS.ProcessEnv) => thrownBy(() => loadConfig(env)) as AppError;

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
