import { expect, test } from "vitest";
import { observe } from "../../../src/core/proof/observe.ts";
import type { TranscriptSlice } from "../../../src/core/transcript/transcript.ts";
import type { Prompt } from "../../../src/runtimes/port.ts";
import { anAttempt } from "../../support/core/transcript.ts";
import type { RuntimeHarness } from "../runtime-conformance.ts";
import type { Opened } from "./watched-session.ts";
import { openSession } from "./watched-session.ts";

/** What the core observes for a prompt. */
export function observed({ runtime }: RuntimeHarness, slice: TranscriptSlice, { text, attachments, ...ids }: Prompt) {
  const attempts = [anAttempt(ids)];
  const { takesIds } = runtime.traits;
  return observe({ slices: [slice], attempts, messageId: ids.messageId, replyRecipient: "user", takesIds });
}

export function proof(opened: Opened): void {
  test("the agent's final text is observed as the answer to its prompt", async () => {
    const session = await openSession(opened());
    const { prompt, slice } = await session.played("answers");
    const answer = { state: "responded_plain_text", found: true, settled: true, turnEndedWell: true };
    expect(observed(opened(), slice, prompt)).toMatchObject({ ...answer, evidence: { finalText: "It is 4." } });
  });

  test("the agent's tool calls are observed", async () => {
    const session = await openSession(opened());
    const { prompt, slice } = await session.played("works");
    const seen = observed(opened(), slice, prompt);
    expect(seen).toMatchObject({ state: "responded_non_visible_tool", toolNames: ["read"], turnEndedWell: true });
  });

  test("an ask blocks its prompt, and a refusal is observed as one", async () => {
    const session = await openSession(opened());
    const prompt = await session.send("permission");
    const { id } = await session.asked();
    expect(observed(opened(), await session.read(), prompt).state).toBe("permission_blocked");
    await opened().runtime.answer(session.lane, id, { decision: "reject" });
    const seen = observed(opened(), await session.rests(), prompt);
    expect(seen).toMatchObject({ state: "tool_error", reason: "ask_rejected", askRejected: true });
  });

  test("a prompt that quotes another prompt's id proves nothing about it", async () => {
    const session = await openSession(opened());
    const quoted = session.prompt("answers this");
    const { slice } = await session.played(`answers ${quoted.messageId} ${quoted.text}`);
    expect(observed(opened(), slice, quoted)).toMatchObject({ state: "not_observed", found: false });
  });
}
