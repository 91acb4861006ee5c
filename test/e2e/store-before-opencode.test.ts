/**
 * A store that the version before has left behind with an OpenCode lane, killed by SIGKILL in mid-turn; OpenCode finished the
 * turn alone (test/fixtures/store-before-0.2/opencode). This version opens it and goes on.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelProcess } from "../support/model-process.ts";
import { killedOpencode } from "../support/opencode-kills.ts";
import { Program } from "../support/program.ts";
import { laterBy, moveTimes } from "../support/store-times.ts";

const fixture = (name: string) =>
  fileURLToPath(new URL(`../fixtures/store-before-0.2/opencode/${name}`, import.meta.url));
const waybill = new Program();
const model = new ModelProcess({
  rules: [{ when: "/text of ([\\w-]+)/", steps: [{ say: "Asked now: {{1}} is done." }] }],
});

beforeAll(async () => {
  await killedOpencode.configure(waybill, await model.url);
  mkdirSync(waybill.home, { mode: 0o700 });
  copyFileSync(fixture("waybill.db"), join(waybill.home, "waybill.db"));
  const store = new Database(join(waybill.home, "waybill.db"));
  const last = store.prepare("SELECT max(at) FROM delivery_event").pluck().get() as number;
  moveTimes(store, laterBy(Date.now() - 3_600_000 - last));
  store.prepare("UPDATE lane SET directory = ?").run(waybill.work);
  store.close();
  const data = join(waybill.directory, "data", "opencode");
  mkdirSync(data, { recursive: true });
  copyFileSync(fixture("opencode.db"), join(data, "opencode.db"));
  const sessions = new Database(join(data, "opencode.db"));
  sessions.prepare("UPDATE session SET directory = ?, path = ?").run(waybill.work, waybill.work.slice(1));
  sessions.close();
  await waybill.up();
});
afterAll(async () => {
  await waybill.dispose();
  await model.close();
});

describe("a store of the version before, with an OpenCode lane that was killed in mid-turn", () => {
  test("finds the answer of the turn, and sends only what was never sent", async () => {
    const statuses = async () => {
      const { deliveries } = await waybill.client().deliveries({});
      return Object.fromEntries(deliveries.map(({ messageId, status }) => [messageId, status]));
    };
    await expect
      .poll(statuses, { timeout: 60_000 })
      .toEqual({ "done-1": "responded", "running-1": "responded", "waiting-1": "responded" });
    const prompts = model.calls.filter(({ kind }) => kind === "turn").map(({ prompt }) => prompt);
    expect(prompts).toEqual([expect.stringContaining("The text of waiting-1.")]);
  });

  test("gives each answer once", async () => {
    const { messages } = await waybill.client().messages({});
    const answers = messages.flatMap(({ relayOfMessageId, text }) =>
      relayOfMessageId ? [[relayOfMessageId, text]] : [],
    );
    expect(answers).toHaveLength(3);
    expect(Object.fromEntries(answers)).toEqual({
      "done-1": "The first answer: everything builds.",
      "running-1": "The second answer: everything builds.",
      "waiting-1": "Asked now: waiting-1 is done.",
    });
  });
});
