/**
 * A team of the real interactive Claude Code. The built daemon follows its files, and a person is at the command
 * line. Covers messages to its agents, what happens to them, and what is kept when the session ends.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message, Team } from "../../src/client/index.ts";
import { ClaudeTerminal, memberRules } from "../support/claude/claude-terminal.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { Program } from "../support/daemon/program.ts";
import { StreamLog } from "../support/daemon/stream-log.ts";
import { inboxRow } from "../support/teams/team-inbox.ts";

const script: ModelScriptInput = {
  rules: [
    {
      when: "/\\[waybill message (\\S+) from \\w+\\]\\n\\nPlease answer/",
      steps: [
        { tools: [{ tool: "SendMessage", input: { to: "waybill", summary: "a", message: "{{1}}: it is green." } }] },
        { say: "Answered: {{result}}" },
      ],
    },
    { when: "idle_notification", steps: [{ say: "Noted." }] },
    ...memberRules,
    {
      when: "/work until (\\w+)/",
      steps: [
        { tools: [{ tool: "Bash", input: { command: "until [ -e {{1}} ]; do sleep 0.05; done", description: "w" } }] },
        { say: "Worked." },
      ],
    },
  ],
  otherwise: [{ say: "Heard." }],
};

let claude: ClaudeTerminal;
let program: Program;
let log: StreamLog;

beforeAll(async () => {
  claude = await (await new ClaudeTerminal().open(script)).start();
  await claude.makeMember("bob");
  program = new Program({ HOME: claude.home, PORT: String(await freePort()) });
  const lanes = [{ id: "chat", directory: claude.directory, script: { always: [{ steps: [{ say: "Port 8080." }] }] } }];
  program.configure({}, { lanes });
  await program.up();
  log = await new StreamLog().open(program.client());
});
afterAll(async () => {
  log?.close();
  await program?.dispose();
  await claude?.close();
});

const run = (...args: string[]) => program.run(args);
const lines = async (...args: string[]) => (await run(...args)).stdout;
const show = (id: string) => program.json<Message>("show", id);
const inboxText = (member: string) => readFileSync(claude.inboxPath(member), "utf8");
const letFinish = (name: string) => writeFileSync(join(claude.directory, name), "");
const turnsAbout = (text: string) =>
  claude.model.calls.filter(({ kind, step, prompt }) => kind === "turn" && step === 0 && prompt.includes(text));
const howToAnswer = (id: string) => `To answer, send a message to waybill that begins with ${id}.`;
/** The text of a row. */
const said = (id: string, text: string) => `[waybill message ${id} from anna]\n\n${text}`;
const saidToAnswer = (id: string, text: string) => `${said(id, text)}\n\n${howToAnswer(id)}`;
/** As an agent's model sees it. */
const shown = (summary: string, text: string) =>
  `<teammate-message teammate_id="waybill" summary="${summary}">\n${text}\n</teammate-message>`;

/** The reported states of a message's row. */
const states = (id: string) =>
  log.of("inbox").flatMap(({ event, messageId, state }) => (event === "hand_over" && messageId === id ? [state] : []));
const reaches = (id: string, state: string, reason?: string) =>
  log.until("inbox", (one) => one.messageId === id && one.state === state && one.reason === (reason ?? one.reason));

/** Newest first. */
async function mailOf(person: string) {
  const { messages } = await program.json<{ messages: Message[] }>("inbox", "--person", person);
  return messages.map(({ from, text, relayOfMessageId }) => ({ from, text, relayOfMessageId }));
}

async function startWork(member: string, name: string): Promise<void> {
  await claude.write(member, inboxRow(`work until ${name}`));
  await claude.call(({ prompt }) => prompt.includes(`work until ${name}`));
}

function send(member: string, id: string, text: string) {
  return run("send", "--team", "crew", "--member", member, "--from", "anna", "--id", id, text);
}

describe("a message to an agent of the team", () => {
  test("finds its recipient, once the team is imported", async () => {
    const imported = await run("teams", "import", claude.team, "--team", "crew");
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining(`in ${claude.team}.`) });
    const { members, notices } = await program.json<Team>("teams", "show", "crew");
    expect(members.map(({ name, kind, role }) => [name, kind, role])).toEqual([
      ["team-lead", "native", "lead"],
      ["bob", "native", "general-purpose"],
    ]);
    expect(notices).toEqual([]);
  });

  test.each(["team-lead", "bob"])(
    "is handed over, taken and shown to the model of %s; being taken is not an answer",
    async (member) => {
      const id = `idle-${member}`;
      const stdout = `Message ${id} is in the recipient's inbox file.\n`;
      expect(await send(member, id, "The build is green.")).toMatchObject({ code: 0, stdout });
      await reaches(id, "taken");
      expect(states(id)).toEqual(["handed_over", "taken"]);
      const { prompt } = await claude.call((call) => call.prompt.includes(id));
      expect(prompt).toContain(shown("The build is green.", said(id, "The build is green.")));
      // Only the lead's prompt says so.
      expect(prompt.startsWith("Another Claude session sent a message:")).toBe(member === "team-lead");
      expect(turnsAbout(id)).toHaveLength(1);
      expect(await show(id)).toMatchObject({ readAt: null, handOver: { state: "taken", reason: "removed" } });
      expect(await lines("show", id)).toMatch(/inbox file +taken by the recipient, which is not an answer/);
    },
  );

  test("cannot be answered while Waybill is not in the team, and a warning says so", async () => {
    const { stderr } = await send("bob", "unanswered", "Please answer: is it green?");
    expect(stderr).toContain("waybill teams import DIR --join");
    const { prompt } = await claude.call((call) => call.prompt.includes("Answered: "));
    expect(prompt).toContain("No agent named 'waybill' is reachable.");
    await reaches("unanswered", "taken");
    expect(claude.inbox("waybill")).toBeNull();
    expect(await mailOf("anna")).toEqual([]);
  });

  test.each(["team-lead", "bob"])("is answered by %s to its sender once Waybill is in the team", async (member) => {
    expect((await run("teams", "import", claude.team, "--team", "crew", "--join")).code).toBe(0);
    const id = `asked-${member}`;
    await send(member, id, "Please answer: is it green?");
    await log.until("message", ({ message }) => message.relayOfMessageId === id);
    expect(turnsAbout(id)[0]?.prompt).toContain(howToAnswer(id));
    expect((await mailOf("anna"))[0]).toEqual({ from: member, text: "it is green.", relayOfMessageId: id });
    await reaches(id, "taken");
  });

  test("leaves its answer in the inbox file, unchanged", async () => {
    expect(claude.inbox("waybill")).toMatchObject([
      { from: "team-lead", text: "asked-team-lead: it is green.", read: false },
      { from: "bob", text: "asked-bob: it is green.", read: false },
    ]);
  });

  test("is not lost when a new recipient has its inbox emptied", async () => {
    await claude.prompt("make carol");
    await log.until("team", ({ members }) => members.includes("carol"));
    const to = { team: "crew", member: "carol" };
    const { waits } = await program.client().send({ messageId: "early", to, from: "anna", text: "Welcome." });
    expect(waits).toContain("just_joined");
    await reaches("early", "taken");
    expect(states("early")).toEqual(["waiting", "handed_over", "taken"]);
    await claude.call(({ prompt }) => prompt === shown("Welcome.", saidToAnswer("early", "Welcome.")));
    expect(turnsAbout("early")).toHaveLength(1);
  });

  test("is added to the rows of others, which keep their order and every byte", async () => {
    await startWork("bob", "among");
    const [one, two, three] = ["one", "two", "three"].map((text) => inboxRow(text, { from: "zed", odd: [{ text }] }));
    await claude.write("bob", one, two);
    const before = inboxText("bob");
    await send("bob", "third", "Hello.");
    expect(inboxText("bob").slice(0, before.lastIndexOf("}") + 1)).toBe(before.slice(0, before.lastIndexOf("}") + 1));
    await claude.write("bob", three);
    await send("bob", "fifth", "Hello again.");
    const { messageId, ...row } = {
      ...inboxRow(saidToAnswer("third", "Hello."), { summary: "Hello." }),
      messageId: "third",
    };
    expect(claude.inbox("bob")).toEqual([
      ...[one, two],
      { ...row, messageId, timestamp: expect.any(String), msg_id: expect.any(String) },
      three,
      expect.objectContaining({ from: "waybill", messageId: "fifth" }),
    ]);
    await reaches("fifth", "handed_over");
    expect([states("third"), states("fifth")]).toEqual([["handed_over"], ["handed_over"]]);
    letFinish("among");
    await reaches("third", "taken");
    await reaches("fifth", "taken");
    await claude.call(({ prompt }) => prompt.includes("\nthree\n"));
    expect([turnsAbout("third").length, turnsAbout("fifth").length]).toEqual([1, 1]);
  });
});

describe("a session that ends", () => {
  const ready = async () => (await program.fetch("/ready")).json();

  test("removes its directory, but nothing in the ledger: rows that were not taken wait, and Waybill continues", async () => {
    await startWork("bob", "never");
    await send("bob", "unread", "Still to be read.");
    expect(claude.inbox("bob")).toMatchObject([{ messageId: "unread" }]);
    expect(await claude.exit()).toBe(0);
    expect(existsSync(claude.team)).toBe(false);
    await reaches("unread", "waiting", "directory_missing");
    expect(await lines("show", "unread")).toMatch(/inbox file +not written yet \(directory_missing\)/);
    expect(await lines("messages")).toMatch(/anna → bob of crew +unread +Still to be read\./);
    expect(await lines("teams", "show", "crew")).toContain(`The directory ${claude.team} does not exist.`);
    expect(await ready()).toEqual({ ready: true, degraded: true, reasons: ["directory_missing:inbox_files"] });
    expect((await send("bob", "later", "Later.")).stderr).toContain("directory_missing");
    expect(await lines("send", "--lane", "chat", "--wait", "Which port?")).toBe("Port 8080.\n");
  });

  test("gets waiting messages automatically when it is resumed and has its teammate again", async () => {
    await claude.start(["--resume", claude.session]);
    await claude.makeMember("bob");
    await claude.call(({ prompt }) => prompt.includes("Still to be read."));
    for (const id of ["unread", "later"]) {
      await reaches(id, "taken");
      expect(turnsAbout(`message ${id} from`)).toHaveLength(1);
    }
    expect(await ready()).toEqual({ ready: true, degraded: false, reasons: [] });
  });

  test("because it was killed leaves its directory behind: nothing more is written there, and messages wait", async () => {
    await startWork("bob", "ever");
    await send("bob", "before", "Before the kill.");
    const before = inboxText("bob");
    await claude.kill("SIGKILL");
    const { stdout, stderr } = await send("bob", "after", "After the kill.");
    expect([stdout, stderr]).toEqual(["Message after is stored.\n", expect.stringContaining("session_ended")]);
    expect(await lines("show", "after")).toMatch(/inbox file +not written yet \(session_ended\)/);
    expect(inboxText("bob")).toBe(before);
    expect(await show("before")).toMatchObject({ handOver: { state: "handed_over" } });
  });

  test("because it was killed does not count as having taken its messages when it is resumed", async () => {
    await claude.start(["--resume", claude.session]);
    await claude.makeMember("bob");
    await claude.call(({ prompt }) => prompt.includes("After the kill."));
    for (const id of ["before", "after"]) {
      await reaches(id, "taken");
      expect(turnsAbout(`message ${id} from`)).toHaveLength(1);
    }
    const problems = log.of("inbox").filter(({ event }) => event === "problem");
    expect(problems.map(({ inbox, reason }) => [inbox, reason])).toContainEqual([null, "directory_missing"]);
    expect(problems.filter(({ inbox }) => inbox !== null)).toEqual([]);
  });
});
