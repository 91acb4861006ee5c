/** What Waybill's extension does in the real pi. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Json } from "../../src/runtimes/json-fields.ts";
import { PiWorld } from "../support/pi/pi-program.ts";

const asks = { tools: [{ tool: "question", input: { questions: [{ question: "Which?" }] } }] };

let world: PiWorld;
beforeAll(async () => {
  world = await new PiWorld().open({
    rules: [
      { when: "be quick", steps: [{ say: "Was quick." }] },
      { when: "ask me", steps: [asks, { say: "Thanks." }] },
    ],
  });
});
afterAll(() => world.close());

test("a prompt without a key is accepted; pi reports the error only at the end of the turn, and only Waybill writes it", async () => {
  const keyless = await world.start("keyless", { args: ["--provider", "keyless"] }).ready();
  await keyless.turn("be quick");
  const told = keyless.lines.filter(({ type }) => type === "message_end").map(({ message }) => message as Json);
  expect(told.map(({ role }) => role)).toEqual(["user"]);
  const failure = { errorMessage: expect.stringContaining("API key"), timestamp: expect.any(Number) };
  expect(keyless.client.messages.at(-1)).toMatchObject(failure);
  const { timestamp } = keyless.client.messages.at(-1) ?? {};
  expect(world.rows("keyless")).toEqual([]);
  await keyless.client.request("set_model", { provider: "scripted", modelId: "scripted" });
  await keyless.turn("be quick");
  const rows = world.rows("keyless").filter(({ type }) => type === "message" || type === "custom");
  expect(rows).toMatchObject([
    { message: { role: "user" } },
    { customType: "waybill.failed", data: { message: { ...failure, timestamp } } },
    { message: { role: "user" } },
    { message: { role: "assistant", stopReason: "stop" } },
  ]);
});

test("a user's extension with a tool of the same name as ours changes nothing", async () => {
  const theirs = join(world.home, "theirs.ts");
  const tool = '{ name: "question", label: "q", description: "q", parameters: { type: "object" }, execute() {} }';
  writeFileSync(theirs, `export default (pi) => pi.registerTool(${tool});`);
  const program = world.start("theirs", { args: ["--extension", theirs] });
  await program.ready();
  expect(program.client.hasGate).toBe(true);
  await program.client.prompt("ask me");
  await program.until(() => program.client.asks.length > 0);
  expect(program.client.asks).toMatchObject([{ kind: "question", isOurs: true, title: "Which?" }]);
});
