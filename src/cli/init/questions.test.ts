import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { configDirectory } from "../../../test/support/config-directory.ts";
import { proposedLane } from "./first-config.ts";
import { ask } from "./questions.ts";

const nothingGiven = {
  runtime: { proposed: "stub" },
  directory: { proposed: "~/project" },
  lane: { proposed: "" },
  port: { proposed: "7717" },
};

/** Types each answer when the next question stands there, and gives back all that was shown. */
function typing(answers: readonly string[]) {
  const left = [...answers];
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  output.on("data", (chunk) => {
    shown += chunk;
    // A question ends with its proposal.
    if (String(chunk).endsWith("] ")) input.write(left.shift() ?? "");
  });
  const interrupted = new AbortController();
  return { terminal: { input, output, interrupted: interrupted.signal }, shown: () => shown, input, interrupted };
}

test("return takes what is proposed, and the lane is called as its directory", async () => {
  const { env, project } = configDirectory();
  const { terminal } = typing(["\n", "\n", "\n", "\n"]);
  const answers = await ask(nothingGiven, terminal, env);
  expect(answers).toEqual({ runtime: "stub", directory: project, lane: "project", port: 7717 });
});

test("an answer that does not fit is explained and asked for again", async () => {
  const { env, root, project } = configDirectory();
  const typed = ["gpt\n", "Claude\n", "~/gone\n", `${project}\n`, "My lane\n", "api\n", "http\n", "80\n"];
  const { terminal, shown } = typing(typed);
  const answers = await ask(nothingGiven, terminal, env);
  expect(answers).toEqual({ runtime: "claude", directory: project, lane: "api", port: 80 });
  expect(shown()).toMatch(/no agent program "gpt"; choose one of opencode, claude, pi, stub/);
  expect(shown()).toContain(`The directory ${root}/gone does not exist`);
  expect(shown()).toMatch(/"My lane" does not fit/);
  expect(shown()).toMatch(/"http" does not fit: it must be a port/);
});

test("what was given is not asked", async () => {
  const { env } = configDirectory();
  const { terminal, shown } = typing(["\n", "\n"]);
  const given = {
    ...nothingGiven,
    runtime: { given: "pi", proposed: "stub" },
    port: { given: "81", proposed: "7717" },
  };
  expect(await ask(given, terminal, env)).toMatchObject({ runtime: "pi", port: 81 });
  expect(shown()).not.toMatch(/Which agent|Which port/);
});

test("the end of the input and a signal break it off", async () => {
  const { env } = configDirectory();
  const ended = typing(["stub\n"]);
  ended.terminal.output.on("data", (chunk) => {
    if (String(chunk).startsWith("In which")) ended.input.end();
  });
  expect(await ask(nothingGiven, ended.terminal, env)).toBeNull();
  const stopped = typing(["stub\n"]);
  stopped.terminal.output.on("data", (chunk) => {
    if (String(chunk).startsWith("In which")) stopped.interrupted.abort();
  });
  expect(await ask(nothingGiven, stopped.terminal, env)).toBeNull();
});

test.each([
  ["/home/me/My Project", "my-project"],
  ["/home/me/_private", "private"],
  ["/home/me/Größe", "gr-e"],
  ["/home/me/日本", "main"],
  ["/", "main"],
  [`/home/${"x".repeat(100)}`, "x".repeat(64)],
])("the lane of %s is called %s", (directory, lane) => {
  expect(proposedLane(directory)).toBe(lane);
});
