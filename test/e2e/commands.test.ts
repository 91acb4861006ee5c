/** The command line and the running daemon as a user runs them: the README's commands, and those that need processes. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageFile } from "../../src/platform/package-files.ts";
import type { DaemonProcess } from "../support/daemon/daemon-process.ts";
import { Program } from "../support/daemon/program.ts";

describe("the demo, as the README shows it", () => {
  let waybill: Program;
  let daemon: DaemonProcess;
  beforeAll(async () => {
    waybill = new Program();
    daemon = await waybill.up();
  });
  afterAll(() => waybill.dispose());

  test("says that its answers are scripted, and how to connect a real model", async () => {
    const { msg } = await daemon.waitForLine({ event: "demo_profile" });
    expect(msg).toMatch(/answers are scripted.*npx waybill init; npx waybill up$/);
    const events = daemon.lines.map(({ event }) => event);
    expect(events).toContain("opencode_started");
  });

  const readmeLines = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    .split("\n")
    .flatMap(
      (line) => /^npx waybill (send|deliveries)\b(.*?)\s*(?:#.*)?$/.exec(line)?.[0].replace(/\s+#.*$/, "") ?? [],
    );

  test("has three commands to try", () => {
    expect(readmeLines).toHaveLength(3);
  });

  test("a first message gets its answer on standard output", async () => {
    const { code, stdout, stderr } = await waybill.run(words(readmeLines[0]));
    expect(code).toBe(0);
    expect(stderr).toMatch(/sent\n.*accepted, which proves nothing yet\n.*responded after 1 attempt/);
    expect(stdout).toMatch(/^Your message reached a real OpenCode/);
  });

  test("an agent that is silent at first is asked again", async () => {
    const { code, stdout, stderr } = await waybill.run(words(readmeLines[1]));
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /accepted.*\n.*without an answer.*\n.*will be asked again.*\n.*asked again.*\n.*accepted.*\n.*responded after 2/,
    );
    expect(stdout).toMatch(/^This is the sleepy demo agent/);
  });

  test("both deliveries are listed", async () => {
    const { stdout } = await waybill.run(words(readmeLines[2]));
    expect(stdout).toMatch(/sleepy +responded +2 of 2.*demo +responded +1 of/s);
  });

  const say = (text: string) => waybill.run(["send", "--lane", "demo", "--wait", text]);
  const openAsk = async () => {
    for (;;) {
      const { asks } = await waybill.json<{ asks: { id: string; kind: string }[] }>("asks");
      if (asks[0]) return asks[0];
    }
  };

  test("empty: the agent is asked again", async () => {
    const { code, stderr, stdout } = await say("empty");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^I said nothing at first/)]);
    expect(stderr).toMatch(/without an answer.*asked again/s);
  });

  test("ack: the acknowledgement is shown and marked, the agent is asked to continue, and then answers", async () => {
    const { code, stderr, stdout } = await say("ack");
    expect(code).toBe(0);
    expect(stderr).toMatch(/without an answer \(visible_reply_ack_only.*asked again.*responded after 2 attempts/s);
    expect(stderr).toMatch(/^Got it, will do\. \(only an acknowledgement.*\)$/m);
    expect(stdout).toMatch(/^At first I only said/);
  });

  test("slow: the agent is not asked twice", async () => {
    const { code, stderr, stdout } = await say("slow");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^That took a while/)]);
    expect(stderr).toMatch(/responded after 1 attempt/);
    expect(stderr).not.toMatch(/again/);
  });

  test("edit: the file exists", async () => {
    expect(await say("edit")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^I wrote notes.md/) });
    const notes = readFileSync(`${waybill.home}/demo/work/notes.md`, "utf8");
    expect(notes).toMatch(/Written by the demo agent/);
  });

  test("permission: a person is asked, and the work continues", async () => {
    const sent = say("permission");
    const ask = await openAsk();
    expect(ask.kind).toBe("permission");
    expect(await waybill.run(["answer", ask.id, "once"])).toMatchObject({ code: 0 });
    expect(await sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^With your permission/) });
  });

  test("question: the answer reaches the agent", async () => {
    const sent = say("question");
    const ask = await openAsk();
    expect(ask.kind).toBe("question");
    expect(await waybill.run(["answer", ask.id, "once", "--answer", "Green"])).toMatchObject({ code: 0 });
    expect(await sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/Green/) });
  });
});

describe("a running daemon as a process", () => {
  let waybill: Program;
  beforeAll(async () => {
    waybill = new Program();
    waybill.configure({ chat: { always: [{ steps: [{ say: "Yes: 412 tests." }] }] } });
    await waybill.up();
    // The first message opens the lane's session, which is an event of the lane.
    await waybill.client().sendAndWait({ to: { lane: "chat" }, text: "Green?" });
  });
  afterAll(() => waybill.dispose());

  test("watch shows events until Ctrl-C", async () => {
    let seen = false;
    let told = "";
    const watching = waybill.run(["watch", "--json", "--lane", "chat"], {
      onOutput: (text, child) => {
        told += text;
        // A message from before the watch is not shown, but its proof may be.
        if (seen || !/"type":"message"/.test(told) || !told.includes('"proven"')) return;
        seen = true;
        child.kill("SIGINT");
      },
    });
    // Events from before the watch are not shown.
    while (!seen) await waybill.client().sendAndWait({ to: { lane: "chat" }, text: "Green?" });
    const watched = await watching;
    expect(watched.code).toBe(130);
    const types = watched.stdout
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(new Set(types)).toEqual(new Set(["message", "delivery"]));
  });

  test("open prints an address that signs a browser in once", async () => {
    const { stdout } = await waybill.run(["open", "--print"]);
    const url = stdout.trim();
    expect(url).not.toContain(waybill.token);
    const first = await fetch(url, { redirect: "manual" });
    const cookie = first.headers.get("set-cookie") ?? "";
    expect([first.status, cookie]).toEqual([
      303,
      expect.stringMatching(/HttpOnly.*SameSite=Strict|SameSite=Strict.*HttpOnly/),
    ]);
    const page = await fetch(waybill.daemonFile.url ?? "", { headers: { cookie: cookie.split(";")[0] ?? "" } });
    expect(page.status).toBe(existsSync(packageFile("dist/page")) ? 200 : 503);
    expect((await fetch(url, { redirect: "manual" })).status).toBe(403);
  });

  test("doctor finds no problem with a running daemon", async () => {
    const { checks } = await waybill.json<{ checks: { name: string; status: string }[] }>("doctor");
    expect(checks.filter((check) => check.status === "failed")).toEqual([]);
  });

  test("the store is backed up while the daemon runs", async () => {
    expect(await waybill.run(["store", "backup", `${waybill.directory}/backup.db`])).toMatchObject({ code: 0 });
    expect(await waybill.run(["store", "check", `${waybill.directory}/backup.db`])).toMatchObject({ code: 0 });
  });
});

/** Splits like a shell, as far as these lines need it, without `npx waybill`. */
function words(line = ""): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "").slice(2);
}
