/** What an agent's tools may do under each permission policy, on the real OpenCode server. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OpencodePermissionPolicy } from "../../src/runtimes/opencode/permissions/permission-table.ts";
import type { OpenAsk } from "../../src/service/service.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const world: OpencodeWorld = new OpencodeWorld({
  permissions: "safe",
  lanes: [
    {},
    { id: "other", directory: "other" },
    { id: "part", directory: "repo/part" },
    { id: "neighbour", directory: "repo/neighbour" },
  ],
});
const at = (...way: string[]) => join(world.directory, ...way);
let count = 0;

beforeAll(async () => {
  for (const place of ["other", "free", "repo/part", "repo/neighbour"]) mkdirSync(at(place), { recursive: true });
  execFileSync("git", ["init", "--quiet", at("repo")]);
  for (const file of ["waybill-state/token", "other/notes", "free/notes", "repo/neighbour/notes"]) {
    writeFileSync(at(file), "not for everyone\n");
  }
  // A project's own file may contain anything.
  const permission = { bash: "allow" };
  const tester = { mode: "subagent", description: "Runs the tests.", permission };
  writeFileSync(at("work", "opencode.json"), JSON.stringify({ agent: { build: { permission }, tester } }));
  await world.start();
});
afterAll(() => world.dispose());

/** The newest ask, with its details. */
let newest: OpenAsk | null = null;

type Call = { tool: string; input: Record<string, unknown> };

/** The outcome of one tool call: asked for (and refused), denied, or done. */
async function outcome(
  { tool, input }: Call,
  lane = "lane",
  decision: "always" | "reject" = "reject",
): Promise<string> {
  const id = `call-${++count}`;
  world.script({ rules: [{ when: id, steps: [{ tools: [{ tool, input }] }, { say: "Result of 1: {{result}}" }] }] });
  await world.send(id, `Please do ${id}.`, { to: { lane } });
  const seen = await world.until(
    id,
    ({ status, responseState }) => responseState === "permission_blocked" || status === "responded",
    lane,
  );
  if (seen.responseState === "permission_blocked") {
    const [ask] = world.waybill.asks.list();
    newest = ask ?? null;
    await world.waybill.interventions.answer(ask?.id ?? "", { decision });
    await world.until(id, ({ status }) => status === (decision === "reject" ? "failed_terminal" : "responded"), lane);
    return `asks ${ask?.title.replaceAll(world.directory, "")}`;
  }
  const answer = (await world.answers()).at(-1) ?? "";
  return answer.includes("rule which prevents") ? "denied" : "done";
}

const bash = (command: string): Call => ({ tool: "bash", input: { command, description: "runs it" } });
const write = (path: string): Call => ({ tool: "write", input: { filePath: path, content: "text" } });
const read = (path: string): Call => ({ tool: "read", input: { filePath: path } });

describe("safe", () => {
  test("asks for the shell, whatever the project's own configuration says", async () => {
    expect(await outcome(bash("echo hi"))).toBe("asks bash: echo hi");
    const input = { command: "echo hi", description: "runs it" };
    expect(newest).toMatchObject({ tool: "bash", input, detail: { command: "echo hi" }, diff: null });
  });

  test("asks for the network, although the server's list of asks fails because of it", async () => {
    const input = { url: "http://127.0.0.1:9/", format: "text" };
    expect(await outcome({ tool: "webfetch", input })).toBe("asks webfetch: http://127.0.0.1:9/");
  });

  test("lets the agent read and edit in the lane's directory", async () => {
    expect(await outcome(write(at("work/new.txt")))).toBe("done");
    expect(await outcome(read(at("work/new.txt")))).toBe("done");
  });

  test("asks for an edit elsewhere, and writes nothing if that is refused", async () => {
    expect(await outcome(write(at("free/new.txt")))).toBe("asks external_directory: /free/*");
    expect(existsSync(at("free/new.txt"))).toBe(false);
  });

  test("asks for an edit in another part of the repository", async () => {
    expect(await outcome(write(at("repo/part/new.txt")), "part")).toBe("done");
    const call = write(at("repo/new.txt"));
    expect(await outcome(call, "part")).toBe("asks edit: new.txt");
    expect(newest).toMatchObject({
      ...call,
      laneId: "part",
      diff: expect.stringMatching(/^\+text$/m),
      nativeSession: null,
    });
  });

  test("gives a subtask no more freedom than the agent that started it", async () => {
    world.script({
      rules: [
        { when: "inside job", steps: [{ tools: [bash("echo hi")] }, { say: "Ended." }] },
        {
          when: "delegate",
          steps: [
            {
              tools: [{ tool: "task", input: { description: "d", prompt: "inside job", subagent_type: "general" } }],
            },
            { say: "Result of 1: {{result}}" },
          ],
        },
      ],
    });
    await world.send("subtask", "Please delegate.");
    await world.until("subtask", ({ responseState }) => responseState === "permission_blocked");
    const [ask] = world.waybill.asks.list();
    expect(ask).toMatchObject({ title: "bash: echo hi", tool: "bash", nativeSession: expect.stringMatching(/^ses_/) });
    await world.waybill.interventions.answer(ask?.id ?? "", { decision: "once" });
    await world.reaches("subtask", "responded");
  });

  test("asks before starting a subagent that the project lets use the shell", async () => {
    const input = { description: "d", prompt: "inside job", subagent_type: "tester" };
    expect(await outcome({ tool: "task", input })).toBe("asks task: tester");
  });

  test("leaves no ask of a stopped turn for the next turn", async () => {
    world.script({
      rules: [
        { when: "stop here", steps: [{ tools: [bash("echo stop")] }] },
        { when: "go on", steps: [{ waitMs: 1500, say: "Went on: 1 of 1." }] },
      ],
    });
    await world.send("stopped", "Please stop here.");
    await world.until("stopped", ({ responseState }) => responseState === "permission_blocked");
    await world.waybill.interventions.stop("lane", "user");
    await world.send("after", "Please go on.");
    const states = new Set<string>();
    const after = await world.until("after", (record) => {
      states.add(record.responseState);
      return record.status === "responded";
    });
    expect(after.attempts).toBe(1);
    expect(states).not.toContain("permission_blocked");
  });
});

describe("under any policy", () => {
  test("Waybill's state and the directories of other lanes are denied to the tools", async () => {
    world.changePolicy({ "*": "allow", external_directory: "allow" });
    expect(await outcome(read(at("waybill-state/token")))).toBe("denied");
    expect(await outcome(write(at("waybill-state/token")))).toBe("denied");
    expect(await outcome(bash("cat ../waybill-state/token"))).toBe("denied");
    expect(await outcome(read(at("other/notes")))).toBe("denied");
    expect(await outcome(read(at("repo/neighbour/notes")), "part")).toBe("denied");
    expect(await outcome(write(at("repo/neighbour/notes")), "part")).toBe("denied");
  });

  test.each<OpencodePermissionPolicy>(["safe", "trusted"])("for example with %s", async (policy) => {
    world.changePolicy(policy);
    expect(await outcome(read(at("waybill-state/token")))).toBe("denied");
  });
});

describe("after a policy change in an open session", () => {
  test("trusted asks for nothing in the directory, but still for anything outside", async () => {
    world.changePolicy("trusted");
    expect(await outcome(bash("echo hi"))).toBe("done");
    expect(await outcome(write(at("work/.env")))).toBe("done");
    expect(await outcome(read(at("work/.env")))).toBe("done");
    expect(await outcome(read(at("free/notes")))).toBe("asks external_directory: /free/*");
  });

  test("a custom table is passed on unchanged", async () => {
    world.changePolicy({ bash: { "*": "deny", "echo *": "ask" }, edit: { "*.lock": "deny" } });
    expect(await outcome(bash("echo hi"))).toBe("asks bash: echo hi");
    expect(await outcome(bash("ls"))).toBe("denied");
    expect(await outcome(write(at("work/x.lock")))).toBe("denied");
    expect(await outcome(write(at("work/x.txt")))).toBe("done");
  });

  test("safe asks for the shell again", async () => {
    world.changePolicy("safe");
    expect(await outcome(bash("echo hi"))).toBe("asks bash: echo hi");
  });
});

test("a permission that is granted with `always` does not allow denied paths below it", async () => {
  world.changePolicy("safe");
  expect(await outcome(write(at("note.txt")), "lane", "always")).toBe("asks external_directory: /*");
  expect(await outcome(read(at("waybill-state/token")))).toBe("denied");
});
