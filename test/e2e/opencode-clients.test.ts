/**
 * OpenCode's own clients on Waybill, with the real Claude Code behind it: the SDK, `opencode run --attach`, and the
 * terminal `opencode attach`; and an AI SDK provider for OpenCode. They run as people run them, against the built
 * daemon, at the port that serves the API at its root.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createOpencodeClient as createFirstClient } from "@opencode-ai/sdk";
import { createOpencodeClient } from "@opencode-ai/sdk/v2";
import type { Message, Part } from "@opencode-ai/sdk/v2/types";
import type { OpencodeLanguageModel, OpencodeProvider } from "ai-sdk-provider-opencode-sdk";
import { createOpencode } from "ai-sdk-provider-opencode-sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claudeTools, modelScript } from "../support/agents/agent-scripts.ts";
import { ClaudeDaemon } from "../support/claude/claude-daemon.ts";
import type { Terminal } from "../support/daemon/terminal.ts";
import { attachOpencode, printedEvents, runOpencode } from "../support/opencode/opencode-clients.ts";
import { OpencodeSession } from "../support/opencode/opencode-session.ts";

const { rules } = modelScript(
  {
    "edit it": [
      { say: "I read it.", do: { read: "README.md" } },
      { say: "I edit it.", do: { edit: "README.md", from: "One line.", to: "Two lines." } },
      { say: "It has 2 lines now." },
    ],
    "run it": [{ say: "I run it.", do: { shell: "sh -c 'echo done-by-bash'" } }, { say: "It ran." }],
    "ask me": [{ say: "I ask.", do: { asks: ["Which colour?"] } }, { say: "So be it." }],
    "wait for me": [{ say: "I begin.", do: { read: "README.md" } }, { hangs: "stopped" }],
    "go on": [
      { say: "I wait.", do: { shell: "until [ -e go-on ]; do sleep 0.1; done; echo gone-on" } },
      { say: "I read it.", do: { read: "README.md" } },
      { say: "It went on." },
    ],
  },
  claudeTools,
  ".",
);
const task = { description: "count", prompt: "count the lines", subagent_type: "general-purpose" };
const subagent = [
  { when: "count the lines", steps: [{ say: "There are 3 lines." }] },
  { when: "delegate it", steps: [{ tools: [{ tool: "Task", input: task }] }, { say: "Counted: 3." }] },
];
const script = { rules: [...subagent, ...(rules ?? [])], otherwise: [{ say: "You said: {{text}}" }] };

const place = new ClaudeDaemon();
let terminal: Terminal | null = null;

beforeAll(() => place.start(script, ["talk", "ask", "show", "watch", "sdk", "cut", "ai"], ["cut"]));
afterEach(async () => {
  await terminal?.close();
  terminal = null;
});
afterAll(() => place.dispose());

type Row = { info: Message; parts: Part[] };
const textOf = ({ parts }: Row) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");
const sdkFor = (lane: string) =>
  createOpencodeClient({
    baseUrl: place.url,
    headers: { authorization: place.authorization },
    directory: place.directoryOf(lane),
    throwOnError: true,
  });
const rowsOf = async (sessionID: string) => (await sdkFor("talk").session.messages({ sessionID })).data as Row[];
const said = async (sessionID: string) => (await rowsOf(sessionID)).map((row) => `${row.info.role}: ${textOf(row)}`);

describe("opencode run --attach", () => {
  test("prints the answer and continues sessions, and its messages are delivered with proof", async () => {
    const first = await runOpencode("hello you", place.in("talk", "--session", "ses_talk"));
    expect(first).toMatchObject({ code: 0, stdout: "You said: hello you\n" });
    const again = await runOpencode("hello again", place.in("talk", "--continue"));
    expect(again).toMatchObject({ code: 0, stdout: "You said: hello again\n" });
    expect(await said("ses_talk")).toEqual([
      "user: hello you",
      "assistant: You said: hello you",
      "user: hello again",
      "assistant: You said: hello again",
    ]);
    const { deliveries } = await place.program.json<{ deliveries: unknown[] }>("deliveries", "--lane", "talk");
    expect(deliveries).toMatchObject([{ status: "responded" }, { status: "responded" }]);
  });

  test("prints everything once, and asks for permissions", async () => {
    const [edited, refused, allowed] = await Promise.all([
      runOpencode("edit it", place.in("ask", "--auto", "--format", "json")),
      runOpencode("run it", place.in("ask")),
      runOpencode("run it", place.in("ask", "--auto")),
    ]);
    const printed = printedEvents(edited).map(({ type, part }) => part?.text ?? part?.tool ?? type);
    expect(printed).toEqual([
      ...["step_start", "I read it.", "read", "step_finish"],
      ...["step_start", "I edit it.", "edit", "step_finish"],
      ...["step_start", "It has 2 lines now.", "step_finish"],
    ]);
    expect(refused).toMatchObject({ code: 0, stdout: "I run it.\n" });
    expect(refused.stderr).toContain("permission requested: bash (sh -c 'echo done-by-bash'); auto-rejecting");
    expect(allowed).toMatchObject({ code: 0, stdout: "I run it.\nIt ran.\n" });
    expect(allowed.stderr).toMatch(/\$ sh -c 'echo done-by-bash'\ndone-by-bash/);
  });

  test("fails with a wrong password, and with an unknown session", async () => {
    const [stranger, lost] = await Promise.all([
      runOpencode("hello", { ...place.in("talk"), password: "wrong" }),
      runOpencode("hello", place.in("talk", "--session", "ses_nothing")),
    ]);
    // The program fails in the same way for both.
    for (const one of [stranger, lost]) expect(one).toMatchObject({ code: 1, stdout: "" });
    expect(lost.stderr).toContain("Session not found");
  });
});

describe("opencode attach", () => {
  /** Types like a person, and waits until the text is visible before sending it. */
  const send = async (text: string) => {
    terminal?.type(text);
    await terminal?.waitFor(text);
    terminal?.press("enter");
  };

  test("shows answers, tools, changes, permissions and questions like those of OpenCode itself", async () => {
    terminal = attachOpencode(place.in("show"));
    const { waitFor, press } = terminal;
    await waitFor("Ask anything");
    await waitFor("Claude Code");
    await send("hello there");
    await waitFor(/You said: hello there\s+▣ {2}Default · claude-\S+ · [\d.]+m?s/);

    await send("edit it");
    await waitFor(/→ Read README\.md[\s\S]*Permission required\s+┃ +→ Edit README\.md[\s\S]*- One line\.[\s\S]*\+ Two/);
    press("enter");
    await waitFor(/← Edit README\.md\s[\s\S]* 3 - One line\.[\s\S]* 3 \+ Two lines\.[\s\S]*It has 2 lines now\./);

    await send("run it");
    await waitFor(/Permission required[\s\S]*\$ sh -c 'echo done-by-bash'/);
    press("enter");
    await waitFor(/┃ {2}\$ sh -c 'echo done-by-bash'[\s\S]*┃ {2}done-by-bash[\s\S]*It ran\./);

    await send("ask me");
    await waitFor(/Which colour\?[\s\S]*2\. Blue/);
    press("down");
    press("enter");
    await waitFor(/# Questions[\s\S]*Which colour\?\s+┃ {2}Blue[\s\S]*So be it\./);

    press("ctrl-x");
    terminal.type("l");
    // A session is named after its first prompt.
    await waitFor(/Sessions[\s\S]*● hello there[\s\S]*show/);
  });

  test("shows prompts from elsewhere, accepts prompts during a turn, and stops the turn with its queued prompts", async () => {
    terminal = attachOpencode(place.in("watch", "--session", "ses_watch"));
    const { waitFor, press } = terminal;
    await waitFor("ctrl+p commands");
    const { code, stdout } = await place.program.run(["send", "--lane", "watch", "--wait", "hello from a shell"]);
    expect([code, stdout]).toEqual([0, "You said: hello from a shell\n"]);
    await waitFor(/┃ {2}hello from a shell[\s\S]*You said: hello from a shell/);

    await send("wait for me");
    await waitFor(/I begin\.[\s\S]*esc interrupt/);
    await send("and then this");
    await waitFor(/I begin\.[\s\S]*┃ {2}and then this[\s\S]*esc interrupt/);
    press("escape");
    await waitFor("esc again to interrupt");
    press("escape");
    await waitFor(/I begin\.[\s\S]*· interrupted[\s\S]*┃ {2}and then this[\s\S]*· interrupted/);
    await waitFor(/^((?!esc interrupt)[\s\S])*$/);
    await send("hello once more");
    const screen = await waitFor(/You said: hello once more/);
    expect(screen).not.toContain("You said: and then this");
  });
});

describe("OpenCode's SDK", () => {
  test("lists, creates, prompts and deletes sessions, and streams events meanwhile", async () => {
    const client = sdkFor("sdk");
    expect((await client.session.list()).data?.map(({ id }) => id)).toEqual(["ses_sdk"]);
    const session = await new OpencodeSession(place, place.directoryOf("sdk")).open();
    try {
      const sessionID = session.id;
      const parts = [{ type: "text" as const, text: "hello you" }];
      const { data: answer } = await client.session.prompt({ sessionID, parts });
      expect(answer).toMatchObject({ info: { role: "assistant", sessionID, providerID: "claude", finish: "stop" } });
      expect(textOf(answer as Row)).toBe("You said: hello you");
      const told = await session.untilRest();
      expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(["message.part.delta", "session.status"]));
      expect(await session.messages()).toMatchObject([{ info: { role: "user" } }, { info: { id: answer?.info.id } }]);
      expect((await client.session.delete({ sessionID })).data).toBe(true);
      expect((await client.session.list()).data?.map(({ id }) => id)).toEqual(["ses_sdk"]);
    } finally {
      await session.close();
    }
  });

  test("answers a permission and a question, reads changes, and stops a turn", async () => {
    const client = sdkFor("sdk");
    const sessionID = "ses_sdk";
    const session = await new OpencodeSession(place, place.directoryOf("sdk")).open(sessionID);
    try {
      await session.prompt("edit it");
      await session.reply("once");
      await session.untilRest();
      const diff = { file: expect.stringMatching(/README\.md$/), additions: 1, deletions: 1, status: "modified" };
      expect((await client.session.diff({ sessionID })).data).toMatchObject([diff]);

      await session.prompt("ask me");
      const asked = await session.hears(({ type }) => type === "question.asked");
      const listed = async () => (await client.question.list()).data?.map(({ id }) => id);
      // The list comes from the ledger, which reconciles a moment after the event.
      await expect.poll(listed).toEqual([asked.properties.id]);
      await client.question.reply({ requestID: String(asked.properties.id), answers: [["Blue"]] });
      await session.untilRest(2);

      // Claude Code makes no plans in this mode.
      expect((await client.session.todo({ sessionID })).data).toEqual([]);

      await session.prompt("wait for me");
      const begins = ({ parts }: Row) => parts.some((part) => part.type === "text" && part.text === "I begin.");
      await session.hears(({ properties }) => begins({ parts: [properties.part ?? {}] } as Row));
      await session.abort();
      await session.untilRest(3);
      const last = (await session.messages()).at(-1)?.info;
      expect(last).toMatchObject({ error: { name: "MessageAbortedError" } });
    } finally {
      await session.close();
    }
  });

  test("also works in its first version, and below a path", async () => {
    const baseUrl = place.urlWithPath;
    const headers = { authorization: `Basic ${Buffer.from(`opencode:${place.program.token}`).toString("base64")}` };
    const client = createFirstClient({ baseUrl, headers, directory: place.directoryOf("sdk"), throwOnError: true });
    const path = { id: "ses_sdk" };
    expect((await client.session.list()).data).toMatchObject([path]);
    const { data } = await client.session.prompt({ path, body: { parts: [{ type: "text", text: "hello first" }] } });
    expect(data?.parts).toContainEqual(expect.objectContaining({ text: "You said: hello first" }));
  });

  test("shows a subagent's prompt and answer in a separate session", async () => {
    const client = sdkFor("sdk");
    const session = await new OpencodeSession(place, place.directoryOf("sdk")).open();
    try {
      await session.prompt("delegate it");
      await session.untilRest();
      const { data: children } = await client.session.children({ sessionID: session.id });
      expect(children).toMatchObject([{ parentID: session.id }]);
      const rows = (await client.session.messages({ sessionID: children?.[0]?.id ?? "" })).data as Row[];
      expect(rows.map((row) => `${row.info.role}: ${textOf(row)}`)).toEqual([
        "user: count the lines",
        "assistant: There are 3 lines.",
      ]);
    } finally {
      await session.close();
    }
  });

  test("reconnects after the daemon crashes mid-turn, and has missed nothing", async () => {
    const directory = place.directoryOf("cut");
    const session = await new OpencodeSession(place, directory, { comesBack: true }).open("ses_cut");
    try {
      await session.prompt("go on");
      await session.hears(({ properties }) => stateOf(properties.part as Part | undefined) === "running");
      await place.crash();
      writeFileSync(join(directory, "go-on"), "");
      await session.untilRest();
      const rows = await session.messages();
      expect(rows.map(textOf)).toEqual(["go on", "I wait.", "I read it.", "It went on."]);
      expect(rebuilt(session)).toEqual(rows.map(withoutTimes));
    } finally {
      await session.close();
    }
  });
});

describe("ai-sdk-provider-opencode-sdk", () => {
  type Call = Parameters<OpencodeLanguageModel["doStream"]>[0];
  type StreamPart =
    Awaited<ReturnType<OpencodeLanguageModel["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never;
  const says = (text: string): Call["prompt"][number] => ({ role: "user", content: [{ type: "text", text }] });
  let provider: OpencodeProvider;
  beforeAll(() => {
    provider = createOpencode({
      baseUrl: place.url,
      autoStartServer: false,
      clientOptions: { headers: { authorization: place.authorization } },
      defaultSettings: { directory: place.directoryOf("ai") },
    });
  });
  /** Each has its own session. */
  const aModel = () => provider.chat("claude/default", { agent: "build" }) as OpencodeLanguageModel;
  const words = (parts: readonly StreamPart[]) =>
    parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");

  /** Reads until `enough`, or to the end. */
  async function read(reader: ReadableStreamDefaultReader<StreamPart>, enough?: (part: StreamPart) => boolean) {
    const parts: StreamPart[] = [];
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return parts;
      parts.push(value);
      if (enough?.(value)) return parts;
    }
  }

  test("generates and streams in one conversation", async () => {
    const model = aModel();
    const first = await model.doGenerate({ prompt: [says("hello provider")] });
    expect(first.content).toContainEqual(expect.objectContaining({ type: "text", text: "You said: hello provider" }));
    const { stream } = await model.doStream({ prompt: [says("hello again")] });
    const parts = await read(stream.getReader());
    expect(words(parts)).toBe("You said: hello again");
    expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified: "stop" } });
  });

  test("passes on a permission and the person's answer", async () => {
    const model = aModel();
    const { stream } = await model.doStream({ prompt: [says("run it")] });
    const reader = stream.getReader();
    const asked = (await read(reader, ({ type }) => type === "tool-approval-request")).at(-1);
    const approvalId = asked?.type === "tool-approval-request" ? asked.approvalId : "";
    // The answer is sent with the next call, as in the AI SDK.
    const approval = { type: "tool-approval-response" as const, approvalId, approved: true };
    const next = model.doStream({ prompt: [{ role: "tool", content: [approval] }, says("go ahead")] });
    const following = read((await next).stream.getReader());
    expect(words(await read(reader))).toContain("It ran.");
    expect(words(await following)).toContain("go ahead");
  });

  test("stops a turn", async () => {
    const model = aModel();
    const stop = new AbortController();
    const { stream } = await model.doStream({ prompt: [says("wait for me")], abortSignal: stop.signal });
    const reader = stream.getReader();
    await read(reader, (part) => part.type === "text-delta" && part.delta.includes("begin"));
    stop.abort();
    await read(reader).catch(() => {});
    const lastOf = async () => (await rowsOf(model.getSessionId() ?? "")).at(-1)?.info;
    await expect.poll(lastOf).toMatchObject({ error: { name: "MessageAbortedError" } });
    const next = await model.doGenerate({ prompt: [says("hello after it")] });
    expect(next.content).toContainEqual(expect.objectContaining({ text: "You said: hello after it" }));
  });

  test("passes on instructions to the agent", async () => {
    const prompt: Call["prompt"] = [{ role: "system", content: "Be brief." }, says("hello in short")];
    const { content } = await aModel().doGenerate({ prompt });
    expect(content).toContainEqual(expect.objectContaining({ text: "You said: hello in short" }));
    expect(place.instructions.get("hello in short")).toContain("Be brief.");
    expect(place.instructions.get("hello provider")).not.toContain("Be brief.");
  });

  test("gets a readable error for unsupported features", async () => {
    const responseFormat = { type: "json", schema: { type: "object", properties: {} } } as const;
    const refused = aModel().doGenerate({ prompt: [says("hello")], responseFormat });
    await expect(refused).rejects.toThrow(/cannot enforce a format for the answer \(`json_schema`\)/);
  });
});

function stateOf(part: Part | undefined): string | null {
  return part?.type === "tool" ? part.state.status : null;
}

/** The messages as a client sees them that only received events. */
function rebuilt({ events, id }: OpencodeSession): unknown[] {
  const rows = new Map<string, Row>();
  for (const { type, properties } of events) {
    const { info, part } = properties as { info?: Message; part?: Part };
    if (properties.sessionID !== id) continue;
    if (type === "message.updated" && info) rows.set(info.id, { info, parts: rows.get(info.id)?.parts ?? [] });
    const row = part && type === "message.part.updated" ? rows.get(part.messageID) : undefined;
    if (row && part) row.parts = [...row.parts.filter((one) => one.id !== part.id), part];
  }
  const byId = (one: Part, other: Part) => (one.id < other.id ? -1 : 1);
  return [...rows.values()].map(({ info, parts }) => withoutTimes({ info, parts: parts.sort(byId) }));
}

/** Live events have a more exact time for the end of a text. */
function withoutTimes({ info, parts }: Row): unknown {
  return { info, parts: parts.map((part) => ({ ...part, time: undefined })) };
}
