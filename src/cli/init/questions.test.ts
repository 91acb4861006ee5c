import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { configDirectory } from "../../../test/support/daemon/config-directory.ts";
import { proposedLane } from "./first-config.ts";
import { ask } from "./questions.ts";

const nothingGiven = {
  runtime: { proposed: "stub" },
  directory: { proposed: "~/project" },
};
const kinds = ["opencode", "stub"];

/** Types each answer when the next question appears, and returns everything that was shown. */
function typing(answers: readonly string[]) {
  const left = [...answers];
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = "";
  output.on("data", (chunk) => {
    shown += chunk;
    // A question ends with its default.
    if (String(chunk).endsWith("] ")) input.write(left.shift() ?? "");
  });
  const interrupted = new AbortController();
  return { terminal: { input, output, interrupted: interrupted.signal }, shown: () => shown, input, interrupted };
}

test("Return accepts the defaults, and only agents that were found are offered", async () => {
  const { env, project } = configDirectory();
  const { terminal, shown } = typing(["\n", "\n"]);
  expect(await ask(nothingGiven, kinds, terminal, env)).toEqual({ runtime: "stub", directory: project });
  expect(shown()).toContain("Which agent? (opencode, stub) [stub]");
});

test("an invalid answer is explained, and the question is asked again", async () => {
  const { env, root, project } = configDirectory();
  const typed = ["gpt\n", "Claude\n", "~/gone\n", `${project}\n`];
  const { terminal, shown } = typing(typed);
  const answers = await ask(nothingGiven, kinds, terminal, env);
  expect(answers).toEqual({ runtime: "claude", directory: project });
  expect(shown()).toMatch(/unknown agent program "gpt"; choose one of opencode, claude, pi, stub/);
  expect(shown()).toContain(`The directory ${root}/gone does not exist`);
});

test("values given on the command line are not asked for", async () => {
  const { env } = configDirectory();
  const { terminal, shown } = typing(["\n"]);
  const given = { ...nothingGiven, runtime: { given: "pi", proposed: "stub" } };
  expect(await ask(given, kinds, terminal, env)).toMatchObject({ runtime: "pi" });
  expect(shown()).not.toMatch(/Which agent/);
});

test("the end of the input and a signal abort it", async () => {
  const { env } = configDirectory();
  const ended = typing(["stub\n"]);
  ended.terminal.output.on("data", (chunk) => {
    if (String(chunk).startsWith("In which")) ended.input.end();
  });
  expect(await ask(nothingGiven, kinds, ended.terminal, env)).toBeNull();
  const stopped = typing(["stub\n"]);
  stopped.terminal.output.on("data", (chunk) => {
    if (String(chunk).startsWith("In which")) stopped.interrupted.abort();
  });
  expect(await ask(nothingGiven, kinds, stopped.terminal, env)).toBeNull();
});

test.each([
  ["/home/me/My Project", "my-project"],
  ["/home/me/_private", "private"],
  ["/home/me/Größe", "gr-e"],
  ["/home/me/日本", "main"],
  ["/", "main"],
  [`/home/${"x".repeat(100)}`, "x".repeat(64)],
])("the default lane for %s is %s", (directory, lane) => {
  expect(proposedLane(directory)).toBe(lane);
});
