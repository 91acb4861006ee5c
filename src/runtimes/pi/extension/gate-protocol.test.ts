import { expect, test } from "vitest";
import { eventLines } from "../../../../test/support/core/event-lines.ts";
import { PiWatcher } from "../../../../test/support/pi/pi-fixture.ts";
import type { Json } from "../../json-fields.ts";
import { RpcClient } from "../client.ts";
import { SessionReader } from "../transcript/reader.ts";

const prompt = { role: "user", content: [{ type: "text", text: "go" }], timestamp: 1 };
const failure = {
  ...{ role: "assistant", content: [{ type: "text", text: "" }], timestamp: 2 },
  ...{ stopReason: "error", errorMessage: "There is no key." },
};
const begins: Json[] = [
  { type: "agent_start" },
  { type: "message_start", message: prompt },
  { type: "message_end", message: prompt },
];
const rest: Json = { type: "response", command: "get_state", id: "rest:1", data: { isStreaming: false } };
const unsaid = [...begins, { type: "agent_end", messages: [failure] }, rest];
const said = [
  ...begins,
  { type: "message_end", message: { ...failure, content: [] } },
  { type: "agent_end", messages: [prompt, failure] },
  rest,
];

test.each([
  ["only at its end", unsaid],
  ["also before its end", said],
])("the failure of a turn is published once if pi reports it %s", (_when, lines) => {
  const told = eventLines(new PiWatcher().receive(lines).drafts).filter((line) => !line.startsWith("usage"));
  expect(told).toEqual(["turn.started 1", "prompt 'go'", "error There is no key.", "turn.ended error"]);
  const talk = new RpcClient({ write: () => {}, now: () => 3, onIdle: () => {}, onChange: () => {} });
  for (const line of lines) talk.receive(line);
  expect(new SessionReader("session").newest(null, talk.messages).rows).toMatchObject([
    { role: "user", text: "go" },
    { role: "assistant", error: { kind: "failed", message: "There is no key." } },
  ]);
});
