import { describe, expect, it } from "vitest";
import type { DeliveryDetail } from "waybill/client";
import { evidenceItems, verdictOf } from "./evidence-list.ts";

type Evidence = DeliveryDetail["evidence"];
type Fields = Partial<Omit<DeliveryDetail, "evidence">> & { evidence?: Partial<Evidence> };

const detail = ({ evidence, ...fields }: Fields): DeliveryDetail =>
  ({
    ...{ status: "accepted", why: null, attemptList: [{}], readCommittedAt: null, missingFiles: [] },
    ...fields,
    evidence: {
      ...{ proof: null, outcome: null, visibleReply: null, deliveredUserMessageId: null, assistantMessageId: null },
      ...{ toolNames: [], turnEndedAt: null, readCommitError: null },
      ...evidence,
    },
  }) as unknown as DeliveryDetail;

const verdict = (fields: Fields) => verdictOf(detail(fields));
const states = (fields: Fields) =>
  Object.fromEntries(evidenceItems(detail(fields)).map(({ key, state }) => [key, state]));

describe("the verdict", () => {
  it("says what the proof is and what it means", () => {
    expect(verdict({ status: "responded", evidence: { proof: "tool" } })).toMatchObject({
      suffices: true,
      name: "Work",
    });
  });

  it("says why the evidence is not enough", () => {
    const { suffices, meaning } = verdict({
      status: "retry_scheduled",
      why: "The agent only acknowledged the message.",
    });
    expect([suffices, meaning]).toEqual([false, "The agent only acknowledged the message."]);
  });

  it("judges nothing while the agent works", () => {
    expect(verdict({ why: "The agent is waiting for a permission." })).toMatchObject({
      suffices: false,
      name: "No proof yet",
    });
  });

  it("has no evidence before anything was sent, or after a person ended it", () => {
    expect(verdict({ status: "pending", attemptList: [] }).meaning).toMatch(/Nothing was sent/);
    expect(verdict({ status: "cancelled", attemptList: [] }).name).toBe("Ended without proof");
  });
});

describe("the evidence", () => {
  it("is empty before anything was sent", () => {
    expect(evidenceItems(detail({ attemptList: [] }))).toEqual([]);
  });

  it("is open while the agent has written nothing", () => {
    expect(states({})).toEqual({ prompt: "open", agent: "open", turn: "open", read: "open" });
  });

  it("names rows, tools, and the reply with its correlation", () => {
    const items = evidenceItems(
      detail({
        status: "responded",
        readCommittedAt: "2026-01-31T12:00:00.000Z",
        evidence: {
          ...{ proof: "destination_reply", outcome: "question", deliveredUserMessageId: "msg_1" },
          ...{ assistantMessageId: "msg_2", toolNames: ["bash", "message_send"] },
          visibleReply: { messageId: "reply-1", mailbox: "user", correlation: "relayOfMessageId" },
          turnEndedAt: "2026-01-31T12:00:00.000Z",
        },
      }),
    );
    expect(items.every(({ state }) => state === "yes")).toBe(true);
    expect(items.flatMap(({ ids }) => ids)).toEqual(["msg_1", "msg_2", "reply-1"]);
    const words = items.map((item) => item.words).join("\n");
    expect(words).toMatch(/bash, message_send/);
    expect(words).toMatch(/names this message\. It is in the mailbox of user/);
    expect(words).toMatch(/a question; it is the sender's turn/);
  });

  it("takes the end of the turn from the attempt's times if needed", () => {
    const attemptList = [{ finishedAt: "2026-01-31T12:00:00.000Z" }] as DeliveryDetail["attemptList"];
    expect(states({ status: "failed_terminal", attemptList }).turn).toBe("yes");
  });

  it("says what is finally missing", () => {
    expect(states({ status: "failed_terminal" }).read).toBe("no");
    expect(states({ status: "responded", evidence: { readCommitError: "read-only file" } }).read).toBe("no");
    expect(states({ status: "responded", missingFiles: ["notes.md"] }).files).toBe("no");
  });
});
