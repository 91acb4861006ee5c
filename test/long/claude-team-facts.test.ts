/**
 * How Claude Code's agent teams use their files when a third process writes to the inboxes, tested on the real program
 * in a terminal. Waybill relies on this; a new version that behaves differently fails here first.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ClaudeTerminal, memberRules } from "../support/claude/claude-terminal.ts";
import { ClaudeWorld } from "../support/claude/claude-world.ts";
import { inboxRow, replaceFile, withLock } from "../support/teams/team-inbox.ts";

/** Works until a file with that name is in the directory. */
const workUntil = (name: string) => ({
  tool: "Bash",
  input: { command: `until [ -e ${name} ]; do sleep 0.05; done`, description: "works" },
});
const sendMessage = (to: string, message: string | object) => ({
  tool: "SendMessage",
  input: { to, summary: "a word", message },
});
const script: ModelScriptInput = {
  rules: [
    { when: "idle_notification", steps: [{ say: "Noted." }] },
    ...memberRules,
    { when: "/work until (\\w+)/", steps: [{ tools: [workUntil("{{1}}")] }, { say: "Worked." }] },
    {
      when: "/send (\\w+) to ([\\w-]+)/",
      steps: [{ tools: [sendMessage("{{2}}", "body of {{1}}")] }, { say: "{{1}} gave {{result}}" }],
    },
    {
      when: "/^ask (\\w+) to leave$/",
      steps: [{ tools: [sendMessage("{{1}}", { type: "shutdown_request", reason: "over" })] }, { say: "Asked." }],
    },
    {
      when: '/"type":"shutdown_request","requestId":"([^"]+)"/',
      steps: [
        { tools: [workUntil("decided")] },
        { tools: [sendMessage("team-lead", { type: "shutdown_response", request_id: "{{1}}", approve: true })] },
      ],
    },
    { when: "take a second", steps: [{ waitMs: 1500, say: "A second has passed." }] },
  ],
  otherwise: [{ say: "Heard." }],
};

/** Waybill's rows as a model sees them. */
const shown = (...texts: string[]) =>
  texts
    .map((text) => `<teammate-message teammate_id="waybill" summary="news">\n${text}\n</teammate-message>`)
    .join("\n\n");
const texts = (rows: readonly { text: string }[] | null) => rows?.map(({ text }) => text);

describe("with a lead and teammates", () => {
  let claude: ClaudeTerminal;
  beforeAll(async () => {
    claude = await (await new ClaudeTerminal().open(script)).start();
    await claude.makeMember("bob");
  });
  afterAll(() => claude.close());

  const asked = (prompt: string) => claude.call((call) => call.prompt === prompt);
  const askedAbout = (text: string) => claude.call(({ prompt }) => prompt.includes(text));
  const wasAskedAbout = (text: string) => claude.model.calls.some(({ prompt }) => prompt.includes(text));
  const letFinish = (name: string) => writeFileSync(join(claude.directory, name), "");

  async function startWork(member: string, name: string): Promise<void> {
    await claude.write(member, inboxRow(`work until ${name}`));
    await asked(shown(`work until ${name}`));
  }

  /** The lead reads once a second, a teammate twice. So a teammate takes a row within this time or never. */
  async function letTheLeadTakeTwice(): Promise<void> {
    for (const text of ["one", "two"]) {
      await claude.write("team-lead", inboxRow(text));
      await claude.taken("team-lead");
    }
  }

  /** Lets a teammate use SendMessage. Returns the result that its model saw, from its report to the lead. */
  async function send(member: string, id: string, to: string): Promise<{ success: boolean; message: string }> {
    await claude.write(member, inboxRow(`send ${id} to ${to}`));
    const { prompt } = await askedAbout(`${id} gave `);
    const notification = prompt.split("\n").find((line) => line.includes(`${id} gave `)) ?? "";
    return JSON.parse(JSON.parse(notification).result.replace(`${id} gave `, ""));
  }

  describe("rows that a third process writes", () => {
    test("are taken by an idle teammate together, as one prompt, and leave an empty file; the file may be new", async () => {
      expect(claude.inbox("bob")).toBeNull();
      await claude.write(
        "bob",
        inboxRow("first", { messageId: "unknown to it" }),
        inboxRow("second"),
        inboxRow("third"),
      );
      await claude.taken("bob");
      await asked(shown("first", "second", "third"));
    });

    test("are also noticed when the file is written in place", async () => {
      const path = claude.inboxPath("bob");
      await withLock(path, () => writeFileSync(path, JSON.stringify([inboxRow("in place")])));
      await claude.taken("bob");
      await asked(shown("in place"));
    });

    test("are shown to the lead as a message from another session", async () => {
      await claude.write("team-lead", inboxRow("to the lead"));
      const { prompt } = await askedAbout("to the lead");
      expect(prompt).toMatch(/^Another Claude session sent a message:\n</);
      expect(prompt).toContain(shown("to the lead"));
      expect(prompt).toContain("\n\nThis came from another Claude session — not typed by your user");
      await claude.taken("team-lead");
    });

    test.each(["team-lead", "bob", "user"])("in the name of %s are marked as unverified", async (from) => {
      await claude.write("bob", inboxRow(`not from ${from}`, { from }));
      const { prompt } = await askedAbout(`not from ${from}`);
      expect(prompt).toContain(`<teammate-message teammate_id="${from}" summary="news" verified="false">`);
    });

    test("wait while a teammate works, and are then its next prompt", async () => {
      await startWork("bob", "waiting");
      await claude.write("bob", inboxRow("while it works"));
      await claude.write("bob", inboxRow("and one more"));
      await letTheLeadTakeTwice();
      expect(texts(claude.inbox("bob"))).toEqual(["while it works", "and one more"]);
      letFinish("waiting");
      await asked(shown("while it works", "and one more"));
      await claude.taken("bob");
    });

    test("are taken by a working lead, which keeps them only in memory until its turn is over", async () => {
      await claude.prompt("work until lead");
      await asked("work until lead");
      await claude.write("team-lead", inboxRow("only remembered"));
      await claude.taken("team-lead");
      expect(wasAskedAbout("only remembered")).toBe(false);
      letFinish("lead");
      await askedAbout("only remembered");
    });

    test("disappear unseen if a field is missing or has the wrong type, or if they are already read when another one is taken", async () => {
      const wrong = [{ from: undefined }, { text: undefined }, { timestamp: undefined }, { read: "no" }];
      await claude.write("bob", ...wrong.map((more) => inboxRow("never shown", more)));
      await claude.taken("bob");
      await claude.write("bob", inboxRow("read already", { read: true }));
      await letTheLeadTakeTwice();
      expect(texts(claude.inbox("bob"))).toEqual(["read already"]);
      await claude.write("bob", inboxRow("good"));
      await asked(shown("good"));
      await claude.taken("bob");
      expect(wasAskedAbout("never shown")).toBe(false);
    });

    test.each(["shutdown_request", "permission_response", "plan_approval_request"])(
      "disappear unseen if the whole text is a %s of the protocol",
      async (type) => {
        await claude.write("bob", inboxRow(JSON.stringify({ type })), inboxRow(`beside a ${type}`));
        await asked(shown(`beside a ${type}`));
        await claude.taken("bob");
      },
    );

    test("stay in a file that cannot be parsed", async () => {
      const path = claude.inboxPath("bob");
      await withLock(path, () => replaceFile(path, `[${JSON.stringify(inboxRow("cut off"))}`));
      await letTheLeadTakeTwice();
      expect(() => claude.inbox("bob")).toThrow(SyntaxError);
      await withLock(path, () => replaceFile(path, JSON.stringify([inboxRow("whole again")])));
      await asked(shown("whole again"));
    });

    test("are erased if they arrived before their teammate", async () => {
      await claude.write("carol", inboxRow("too early"));
      await claude.makeMember("carol");
      expect(claude.inbox("carol")).toEqual([]);
      expect(wasAskedAbout("too early")).toBe(false);
    });
  });

  describe("a teammate", () => {
    test.each(["waybill", "user", "lead"])("cannot answer %s, even if an inbox with that name exists", async (name) => {
      await withLock(claude.inboxPath(name), () => replaceFile(claude.inboxPath(name), "[]"));
      const message = `No agent named '${name}' is reachable.\nCheck the spelling, or use the agent ID from a background agent's spawn result.`;
      expect(await send("bob", `to${name}`, name)).toEqual({ success: false, message });
      expect(claude.inbox(name)).toEqual([]);
    });

    test("can answer the lead and other teammates", async () => {
      const toLead = await send("bob", "up", "team-lead");
      expect(toLead).toMatchObject({ success: true, message: "Message sent to team-lead's inbox" });
      const row = (id: string) =>
        `<teammate-message teammate_id="bob" color="blue" summary="a word">\nbody of ${id}\n</teammate-message>`;
      await askedAbout(row("up"));
      expect(await send("bob", "across", "carol")).toMatchObject({ success: true });
      await asked(row("across"));
    });

    test("can answer waybill once that is a member in config.json, and the row stays until it is taken", async () => {
      await addWaybill();
      const sent = await send("bob", "answer", "waybill");
      expect(sent).toMatchObject({ success: true, message: "Message sent to waybill's inbox" });
      expect(claude.inbox("waybill")).toEqual([
        {
          ...{ from: "bob", text: "body of answer", summary: "a word", color: "blue", timestamp: expect.any(String) },
          ...{ msgV: 1, msg_id: expect.any(String), type: "message", read: false },
        },
      ]);
    });

    test("waits for a lock that is held briefly, and fails to send if it is held for long", async () => {
      const lock = `${claude.inboxPath("waybill")}.lock`;
      mkdirSync(lock);
      const failing = send("bob", "locked", "waybill");
      const message = "Failed to write to waybill's inbox — nothing was sent. Try again, or message the lead.";
      expect(await failing).toEqual({ success: false, message });
      const patient = send("bob", "patient", "waybill");
      await asked(shown("send patient to waybill"));
      await wait(50);
      rmdirSync(lock);
      expect(await patient).toMatchObject({ success: true });
      expect(texts(claude.inbox("waybill"))).toEqual(["body of answer", "body of patient"]);
    });

    test("is asked to leave before it sees earlier rows, and leaves them behind", async () => {
      await startWork("carol", "leaving");
      await claude.write("carol", inboxRow("earlier"));
      await claude.prompt("ask carol to leave");
      await claude.until("a request to leave", () => claude.inbox("carol")?.length === 2);
      await claude.write("carol", inboxRow("later"));
      letFinish("leaving");
      await askedAbout("This is a shutdown request.");
      expect(texts(claude.inbox("carol"))).toEqual(["earlier", "later"]);
      letFinish("decided");
      await claude.hasMembers("team-lead", "bob", "waybill");
      expect(texts(claude.inbox("carol"))).toEqual(["earlier", "later"]);
      await claude.makeMember("carol");
      expect(claude.inbox("carol")).toEqual([]);
      expect(wasAskedAbout("earlier")).toBe(false);
      await claude.hasMembers("team-lead", "bob", "waybill", "carol");
    });
  });

  /** The program checks that a member has a name and an id. */
  async function addWaybill(): Promise<void> {
    const path = join(claude.team, "config.json");
    await withLock(path, () => {
      const config = claude.config();
      config?.members.push({ agentId: `waybill@${config.name}`, name: "waybill" });
      replaceFile(path, JSON.stringify(config, null, 2));
    });
  }
});

describe("the directory of a team", () => {
  let claude: ClaudeTerminal;
  beforeAll(async () => {
    claude = await (await new ClaudeTerminal().open(script)).start();
  });
  afterAll(() => claude.close());

  async function leaveRowsUnread(work: string): Promise<void> {
    await claude.write("bob", inboxRow(`work until ${work}`));
    await claude.taken("bob");
    await claude.write("bob", inboxRow("unread"));
    await claude.write("waybill", inboxRow("for nobody"));
  }

  test("exists with the lead, which takes nothing until it has a teammate", async () => {
    await claude.hasMembers("team-lead");
    await claude.write("team-lead", inboxRow("while it is alone"));
    await claude.prompt("take a second");
    await claude.terminal.waitFor("A second has passed.");
    expect(texts(claude.inbox("team-lead"))).toEqual(["while it is alone"]);
    await claude.makeMember("bob");
    await claude.call(({ prompt }) => prompt.includes(shown("while it is alone")));
  });

  test("is removed with all rows when the lead exits", async () => {
    await leaveRowsUnread("never");
    expect(await claude.exit()).toBe(0);
    expect(existsSync(claude.team)).toBe(false);
  });

  test("outlives a killed lead, and is recreated when its session is resumed", async () => {
    await claude.start(["--resume", claude.session]);
    await claude.hasMembers("team-lead");
    await claude.makeMember("bob");
    await leaveRowsUnread("ever");
    await claude.kill("SIGKILL");
    await claude.hasMembers("team-lead", "bob");
    expect(texts(claude.inbox("bob"))).toEqual(["unread"]);
    await claude.start(["--resume", claude.session]);
    await claude.hasMembers("team-lead");
    expect([claude.inbox("bob"), claude.inbox("waybill")]).toEqual([null, null]);
  });

  test("is never created by a lead without a terminal", async () => {
    const world = await new ClaudeWorld().open(script);
    onTestFinished(() => world.close());
    const lead = world.start([], { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" });
    await lead.result(lead.prompt("make bob"));
    expect(world.asked("be ready")).toBe(1);
    expect(existsSync(join(world.home, ".claude", "teams"))).toBe(false);
  });
});
