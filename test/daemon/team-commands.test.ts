/** The commands of teams, and the tools of their members, on the real state of a daemon. */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Team } from "../../src/client/index.ts";
import { toolNames } from "../../src/transports/mcp/tools/registry.ts";
import { InProcessDaemon } from "../support/daemon/in-process-daemon.ts";
import type { McpClient, Revision } from "../support/teams/mcp-client.ts";
import { connected, httpTransport, revisions } from "../support/teams/mcp-client.ts";

const program = new InProcessDaemon();
const builtProgram = fileURLToPath(new URL("../../bin/waybill", import.meta.url));
const tokenFile = join(program.directory, "nate.token");

beforeAll(async () => {
  const script = { always: [{ steps: [{ reply: "Port 8080.", outcome: "answer" }] }] };
  program.configure(
    {},
    {
      lanes: [{ id: "tom", directory: program.work, contract: "tool", script }],
      teams: { core: { displayName: "Core team", members: { tom: { lane: "tom", role: "backend developer" } } } },
    },
  );
  await program.up();
});
afterAll(() => program.dispose());

const run = (...args: string[]) => program.run(args);
const lines = async (...args: string[]) => (await run(...args)).stdout;

describe("waybill teams", () => {
  test("shows a configured team and what its members are doing", async () => {
    expect(await lines("teams")).toMatch(/core +tom +lane +idle +backend developer +tom/);
    expect(await lines("teams", "show", "core")).toContain("Core team");
  });

  test("creates a team, adds members of each kind, changes one, removes one, and deletes the team", async () => {
    expect((await run("teams", "create", "ops", "--name", "Operations")).code).toBe(0);
    await run("teams", "add", "ops", "ada", "--kind", "person", "--role", "lead", "--color", "blue");
    await run("teams", "add", "ops", "ben", "--kind", "native");
    await run("teams", "add", "ops", "ada", "--name", "Ada Lovelace");
    const team = await program.json<Team>("teams", "show", "ops");
    expect(team.members).toMatchObject([
      { name: "ada", kind: "person", role: "lead", color: "blue", displayName: "Ada Lovelace", state: "idle" },
      { name: "ben", kind: "native", state: "offline", lane: null },
    ]);
    expect(await lines("teams", "remove", "ops", "ben")).toContain("is no longer a member of team ops");
    expect((await run("teams", "delete", "ops")).code).toBe(0);
    expect((await run("teams", "show", "ops")).code).toBe(1);
  });

  test.each([
    [["create", "../etc"], 1, /cannot be called/],
    [["create", "user"], 1, /reserved/],
    [["add", "core", "Tоm", "--kind", "native"], 1, /cannot be called/],
    [["add", "core", "bob"], 1, /no lane "bob"/],
    [["add", "core", "bob", "--lane", "tom"], 1, /belongs to tom/],
    [["add", "cor", "bob", "--kind", "native"], 1, /Did you mean "core"/],
    [["show"], 2, /needs a team name/],
    [["add", "core"], 2, /needs a member name/],
    [["token", "core", "tom"], 1, /needs no token/],
    [["dance", "core"], 2, /unknown subcommand: teams dance/],
  ] as const)("refuses %j with a clear error", async (args, code, words) => {
    const result = await run("teams", ...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toMatch(words);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  test("pauses and stops a team: messages wait until it is resumed", async () => {
    expect(await lines("teams", "pause", "core")).toContain("is paused");
    const sent = await run("send", "--team", "core", "--member", "tom", "Which port?");
    expect(sent.stderr).toContain("It is waiting: tom is paused (team_paused).");
    expect(await lines("lanes")).toContain("paused (team_paused)");
    expect(await lines("teams", "stop", "core")).toContain("is stopped");
    expect(await lines("inbox")).toContain("team core is stopped");
    await run("teams", "resume", "core");
    const answered = await run("send", "--team", "core", "--member", "TOM", "--wait", "Which port now?");
    expect([answered.code, answered.stdout]).toEqual([0, "Port 8080.\n"]);
  });

  test("members' activity is in the stream", async () => {
    const seen: string[] = [];
    const stop = new AbortController();
    let onOpen = () => {};
    const opened = new Promise<void>((resolve) => {
      onOpen = resolve;
    });
    const stream = program.client().stream({ types: ["member", "team"], signal: stop.signal, onOpen });
    const first = stream.next();
    await opened;
    await run("teams", "pause", "core");
    await first;
    await run("teams", "resume", "core");
    for await (const event of stream) {
      if (event.type === "member") seen.push(`${event.member} is ${event.state}`);
      if (seen.length === 1) break;
    }
    stop.abort();
    expect(seen[0]).toMatch(/^tom is/);
  });
});

describe("waybill inbox", () => {
  test("shows a person's messages, marks them as read, and reports it in JSON", async () => {
    await run("send", "--team", "core", "--member", "tom", "--from", "ada", "--wait", "Which port?");
    expect(await lines("inbox", "--person", "ada", "--unread")).toMatch(/\* .*tom.*Port 8080\./);
    expect(await lines("inbox", "read", "--person", "Ada")).toContain("Marked 1 message as read.");
    expect((await run("inbox", "--person", "ada", "--unread")).stderr).toContain("No unread messages.");
    const { messages } = await program.json<{ messages: { readAt: string | null }[] }>("inbox", "--person", "ada");
    expect(messages.map(({ readAt }) => readAt !== null)).toEqual([true]);
  });

  test("a message to a person or to a native member waits in a mailbox", async () => {
    await run("teams", "add", "core", "cleo", "--kind", "person");
    const result = await run("send", "--team", "core", "--member", "cleo", "Lunch at 12?");
    expect(result.stdout).toContain("is in the recipient's mailbox");
    expect(await lines("inbox", "--person", "cleo")).toContain("Lunch at 12?");
    const waited = await run("send", "--team", "core", "--member", "cleo", "--wait", "Lunch?");
    expect([waited.code, waited.stderr]).toEqual([1, expect.stringContaining("waits in a mailbox")]);
  });
});

describe("the tools, with the official client", () => {
  const overHttp = async (revision: Revision, token: string): Promise<McpClient> =>
    connected(httpTransport(`${program.url}/mcp`, { Authorization: `Bearer ${token}` }), revision);
  const overStdio = async (revision: Revision): Promise<McpClient> => {
    const { WAYBILL_TOKEN: _, ...env } = program.clientEnvironment;
    const server = { command: process.execPath, args: [builtProgram, "mcp", "--token-file", tokenFile], env };
    return connected(new StdioClientTransport(server), revision);
  };
  const token = () => readFileSync(tokenFile, "utf8").trim();

  beforeAll(async () => {
    await run("teams", "add", "core", "nate", "--kind", "native", "--role", "tester");
    expect(await lines("teams", "token", "core", "nate", "--file", tokenFile)).toContain("waybill mcp --token-file");
  });

  test("a native member's token is in a file that only its owner can read", () => {
    expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  });

  test.each(revisions.flatMap((revision) => [["HTTP", revision] as const, ["stdio", revision] as const]))(
    "over %s in revision %s, every tool is listed and called",
    async (way, revision) => {
      const { client, call } = await (way === "HTTP" ? overHttp(revision, token()) : overStdio(revision));
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([...toolNames].sort());
      const text = `Which port, ${way} ${revision}?`;
      const sent = await call("message_send", { to: "tom", text, actionMode: "ask" });
      const { messageId } = sent.data as { messageId: string };
      expect(await call("message_wait", { messageId })).toMatchObject({
        isError: false,
        data: { state: "answered", replies: [{ from: "tom", text: "Port 8080." }] },
      });
      const listed = await call("message_list", { box: "received" });
      expect(listed.text).toContain("Port 8080.");
      expect((await call("member_briefing")).data).toMatchObject({ you: { name: "nate", role: "tester" } });
      expect((await call("team_list")).data).toMatchObject({ teams: [{ name: "core" }] });
      expect((await call("notify_person", { text: `3 tests fail, ${way} ${revision}.` })).isError).toBe(false);
      expect((await call("runtime_bootstrap_checkin")).isError).toBe(false);
      expect((await call("runtime_heartbeat")).isError).toBe(false);
      expect(
        (await program.json<Team>("teams", "show", "core")).members.find(({ name }) => name === "nate")?.state,
      ).toBe("active");
    },
  );

  test.each([
    ["a wrong type", { to: 7, text: "Hello?" }, /to/],
    [
      "an unknown outcome",
      { to: "tom", text: "Port 8080.", relayOfMessageId: "m", outcome: "maybe" },
      /answer, done, question/,
    ],
    ["an unknown field", { to: "tom", text: "Port 8080?", from: "anna" }, /from/],
    [
      "an acknowledgement that only claims a source",
      { to: "tom", text: "Understood.", source: "runtime_delivery" },
      /source/,
    ],
    ["an unknown recipient", { to: "tim", text: "Which port is it?" }, /Did you mean "tom"/],
    ["an acknowledgement", { to: "tom", text: "Understood." }, /names no message, task or file/],
    ["a text of a megabyte", { to: "tom", text: "x".repeat(1_000_000) }, /text/],
  ])("%s is refused with an error that a model can act on, and nothing is stored", async (_, args, words) => {
    const { call } = await overHttp("2026-07-28", token());
    const before = (await program.client().messages({ lane: "tom", limit: 1 })).messages[0]?.id;
    expect(await call("message_send", args)).toMatchObject({ isError: true, text: expect.stringMatching(words) });
    expect((await program.client().messages({ lane: "tom", limit: 1 })).messages[0]?.id).toBe(before);
  });

  test("the API's token gives no access to tools, a member's token to nothing else, and a removed member's token to nothing", async () => {
    const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const post = async (path: string, given: string) => {
      const headers = { ...types, Authorization: `Bearer ${given}` };
      return (await program.fetch(path, { method: "POST", body: list, headers })).status;
    };
    expect(await post("/mcp", token())).toBe(200);
    expect(await post("/mcp", program.token)).toBe(401);
    for (const path of ["/v1/lanes", "/v1/messages", "/opencode/session"]) expect(await post(path, token())).toBe(401);
    const old = token();
    await run("teams", "remove", "core", "nate");
    expect(await post("/mcp", old)).toBe(401);
    await run("teams", "add", "core", "nate", "--kind", "native");
    expect(await post("/mcp", old)).toBe(401);
  });
});
