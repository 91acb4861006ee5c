/**
 * OpenCode's own clients against OpenCode's own server: what a person gets who uses them without Waybill. It says what
 * the compatible API has to match, and that the helpers which run the clients can be trusted.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ScriptedModel } from "../../src/scripted-model/server.ts";
import { startScriptedModel } from "../../src/scripted-model/server.ts";
import { attachOpencode, printedEvents, runOpencode } from "../support/opencode-clients.ts";
import type { OpencodeServer } from "../support/opencode-server.ts";
import { startOpencode } from "../support/opencode-server.ts";
import type { Scenes } from "../support/scenes.ts";
import { modelScript, opencodeTools } from "../support/scenes.ts";
import type { Terminal } from "../support/terminal.ts";

const scenes: Scenes = {
  "run it": [{ say: "I run it.", do: { shell: "echo done-by-bash" } }, { say: "It ran." }],
  "ask me": [{ say: "I ask.", do: { asks: ["Which colour?"] } }, { say: "So be it." }],
  "wait for": [{ hangs: "stopped" }],
  "cannot be": [{ error: "the provider refuses" }],
};
const password = "of-the-test";
let model: ScriptedModel;
let server: OpencodeServer;
let terminal: Terminal | null = null;

beforeAll(async () => {
  model = await startScriptedModel({ script: {} });
  server = await startOpencode({ modelUrl: model.url, password, config: { permission: { bash: "ask" } } });
  const script = modelScript(scenes, opencodeTools, server.directory);
  model.setScript({ ...script, otherwise: [{ say: "You said: {{text}}" }] });
});
afterEach(async () => {
  await terminal?.close();
  terminal = null;
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
});

const client = (...args: string[]) => ({ url: server.url, password, directory: server.directory, args });
const newestSession = async () => {
  const [session] = await server.call<Array<{ id: string; title: string }>>("GET", "/session");
  return session?.id ?? "";
};
const texts = async (session: string) => {
  type Row = { info: { role: string }; parts: Array<{ type: string; text?: string }> };
  const rows = await server.call<Row[]>("GET", `/session/${session}/message`);
  return rows.map(({ info, parts }) => `${info.role}: ${parts.map(({ text }) => text ?? "").join("")}`);
};

describe("opencode run --attach", () => {
  test("prints what happens in the turn, and goes on in the session that it is given", async () => {
    const first = await runOpencode("run it", client("--auto", "--format", "json"));
    expect(first).toMatchObject({ code: 0, stderr: "" });
    // The program ends with the answer to its prompt, which native gives while its last events are still on their way.
    // So only what comes before an ask is sure to be printed.
    const printed = printedEvents(first).map(({ type, part }) => part?.text ?? type);
    expect(printed.slice(0, 2)).toEqual(["step_start", "I run it."]);

    const session = await newestSession();
    expect(await runOpencode("hello you", client("--session", session))).toMatchObject({ code: 0 });
    expect(await runOpencode("hello again", client("--continue"))).toMatchObject({ code: 0 });
    expect((await texts(session)).slice(-5)).toEqual([
      "assistant: It ran.",
      "user: hello you",
      "assistant: You said: hello you",
      "user: hello again",
      "assistant: You said: hello again",
    ]);
  });

  test("refuses what it is not allowed to decide, and says so", async () => {
    const { code, stderr } = await runOpencode("run it", client());
    expect(code).toBe(0);
    expect(stderr).toContain("permission requested: bash (echo done-by-bash); auto-rejecting");
    expect(await texts(await newestSession())).toEqual(["user: run it", "assistant: I run it."]);
  });

  test("fails without the password, and without the session", async () => {
    const { url, directory } = server;
    const [unknown, lost] = await Promise.all([
      runOpencode("hello", { url, directory }),
      runOpencode("hello", client("--session", "ses_nothing")),
    ]);
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining("Session not found") });
  });
});

describe("opencode attach", () => {
  /** As a person does: seen in the input before it is sent. */
  const send = async (text: string) => {
    terminal?.type(text);
    await terminal?.waitFor(text);
    terminal?.press("enter");
  };
  const start = async (...args: string[]) => {
    terminal = attachOpencode(client(...args));
    await terminal.waitFor(args.length === 0 ? "Ask anything" : "ctrl+p commands");
    return terminal;
  };

  test("shows answers, asks for permission, asks questions, and stops", async () => {
    const { waitFor, press } = await start();
    await send("hello there");
    await waitFor("You said: hello there");

    await send("run it");
    await waitFor(/Permission required[\s\S]*\$ echo done-by-bash/);
    press("enter");
    await waitFor("It ran.");

    await send("ask me");
    await waitFor(/Which colour\?[\s\S]*1\. Red/);
    press("down");
    press("enter");
    await waitFor("So be it.");

    await send("wait for me");
    await waitFor(/wait for me[\s\S]*▣ {2}Build[\s\S]*esc interrupt/);
    press("escape");
    await waitFor("esc again to interrupt");
    press("escape");
    await waitFor("interrupted");
  });

  test("shows the session that it is given, and the provider's error", async () => {
    const { id } = await server.call<{ id: string }>("POST", "/session", {});
    await server.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "hello before" }] });
    const { waitFor } = await start("--session", id);
    await waitFor("You said: hello before");
    await send("it cannot be");
    await waitFor("the provider refuses");
  });
});
