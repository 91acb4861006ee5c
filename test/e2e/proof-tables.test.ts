/**
 * The tables of proof and retry, row by row, on the daemon as a process: one lane for each row, with an agent that does
 * what the row says. The agent itself counts its prompts.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { DeliveryDetail, ListedDelivery, NewMessage } from "../../src/client/index.ts";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import { recordingCalls, stubCalls } from "../support/agents/stub-calls.ts";
import { quickDelivery } from "../support/daemon/daemon-home.ts";
import { Program } from "../support/daemon/program.ts";

const waybill = new Program({}, { ofModules: true });

type Steps = NonNullable<NonNullable<StubScriptInput["always"]>[number]["steps"]>;
type Intent = keyof typeof messageOf;

const messageOf = {
  task: { taskRefs: [{ id: "17" }] },
  do: { actionMode: "do" },
  delegate: { actionMode: "delegate" },
  ask: { actionMode: "ask" },
  notify: { actionMode: "notify" },
} satisfies Record<string, Partial<NewMessage>>;
const intents = Object.keys(messageOf) as Intent[];
/** A `notify` needs no answer: a turn without an error is enough, whatever the agent did in it. */
const noticeOnly: readonly Intent[] = ["notify"];

/** What an agent does in each of its turns on a tool lane, and the intents for which that is enough. */
const sufficiency: { agent: string; steps: Steps; suffices: readonly Intent[]; by: string }[] = [
  { agent: "replies", steps: [{ reply: "The port is 8080." }], suffices: intents, by: "destination_reply" },
  { agent: "answers in plain text", steps: [{ say: "The port is 8080." }], suffices: intents, by: "plain_text" },
  {
    agent: "acknowledges in a reply",
    steps: [{ reply: "Got it, will do" }],
    suffices: noticeOnly,
    by: "notified_turn",
  },
  { agent: "acknowledges in plain text", steps: [{ say: "Understood." }], suffices: noticeOnly, by: "notified_turn" },
  {
    agent: "changes a task",
    steps: [{ tool: "task_start" }],
    suffices: ["task", "do", "delegate", "notify"],
    by: "tool",
  },
  { agent: "executes", steps: [{ tool: "bash" }], suffices: ["task", "do", "notify"], by: "tool" },
  { agent: "looks something up", steps: [{ tool: "read" }], suffices: noticeOnly, by: "notified_turn" },
  { agent: "calls an unknown tool", steps: [{ tool: "unheard_of" }], suffices: noticeOnly, by: "notified_turn" },
  { agent: "fails at a tool", steps: [{ tool: "bash", fails: true }], suffices: noticeOnly, by: "notified_turn" },
  { agent: "says nothing", steps: [], suffices: noticeOnly, by: "notified_turn" },
];

type Expected = { status: string; prompts: number; ids?: number; sessions?: number; attempts?: number };

const answer = { say: "The port is 8080." };
const always = (...steps: Steps): StubScriptInput => ({ always: [{ steps }] });
const firstThenAnswer = (turn: NonNullable<StubScriptInput["turns"]>[number]): StubScriptInput => ({
  turns: [turn],
  always: [{ steps: [answer] }],
});
const waiting = { status: "accepted", prompts: 1 };
const exhausted = { status: "failed_terminal", prompts: 2, ids: 2, attempts: 2 };

/** What an agent does with an `ask` on a text lane, and what follows. Each may be prompted twice. */
const eligibility: { row: string; script: StubScriptInput; expected: Expected }[] = [
  { row: "permission_blocked: neither retry nor read", script: always({ ask: "permission" }), expected: waiting },
  { row: "question_blocked: neither retry nor read", script: always({ ask: "question" }), expected: waiting },
  { row: "pending: neither retry nor read", script: always({ hang: true }), expected: waiting },
  { row: "empty_assistant_turn: retry, no read", script: always(), expected: exhausted },
  { row: "interrupted: retry, no read", script: always({ crash: true }), expected: exhausted },
  { row: "tool_error: retry, no read", script: always({ tool: "bash", fails: true }), expected: exhausted },
  { row: "session_error: retry, no read", script: always({ error: "It broke." }), expected: exhausted },
  {
    row: "session_stale: a fresh session, which spends no attempt",
    script: firstThenAnswer({ steps: [{ stale: true }] }),
    expected: { status: "responded", prompts: 2, ids: 2, sessions: 2, attempts: 1 },
  },
  {
    row: "accepted and lost: the same ids again",
    script: firstThenAnswer({ arrival: "lost" }),
    expected: { status: "responded", prompts: 2, ids: 1, attempts: 1 },
  },
  {
    row: "stored and never run: the same ids again",
    script: firstThenAnswer({ arrival: "forgotten" }),
    expected: { status: "responded", prompts: 2, ids: 1, attempts: 1 },
  },
  {
    row: "acceptance unknown, and found by a read: no second prompt",
    script: firstThenAnswer({ arrival: "after_timeout", steps: [answer] }),
    expected: { status: "responded", prompts: 1, attempts: 1 },
  },
  {
    row: "answered after an empty turn: the retry is the last prompt",
    script: firstThenAnswer({ steps: [] }),
    expected: { status: "responded", prompts: 2, ids: 2, attempts: 2 },
  },
  {
    row: "refused for good: no second prompt",
    script: firstThenAnswer({ arrival: "refused" }),
    expected: { status: "failed_terminal", prompts: 1, attempts: 1 },
  },
];

const rows = sufficiency.flatMap(({ agent, steps, suffices, by }, index) =>
  intents.map((intent) => {
    const isEnough = suffices.includes(intent);
    // A reply may reach its destination before its turn has ended.
    const proofs = intent === "notify" ? ["notified_turn", ...(by === "destination_reply" ? [by] : [])] : [by];
    const lane = { id: `s${index}-${intent}`, script: always(...steps), contract: "tool", directory: waybill.work };
    return [
      `${intent}: ${isEnough ? "enough" : "not enough"} if an agent ${agent}`,
      { lane, intent, isEnough, proofs },
    ] as const;
  }),
);
const cases = eligibility.map(
  ({ row, script, expected }, index) =>
    [row, { lane: { id: `e${index}`, script, directory: waybill.work }, expected }] as const,
);
const details = new Map<string, DeliveryDetail>();

beforeAll(async () => {
  const lanes = [...rows, ...cases].map(([, { lane }]) => lane);
  const delivery = {
    ...quickDelivery,
    maxAttempts: 2,
    submitLimitMs: 500,
    lateReconcileDelaysMs: [],
    summarizeSilentWork: false,
    watchdogConcurrency: 16,
    watchdogConcurrencyPerTeam: 16,
  };
  waybill.configure({}, { lanes, delivery });
  await waybill.up(recordingCalls(waybill.directory));
  const client = waybill.client();
  const send = (lane: string, message: Partial<NewMessage>) =>
    client.send({ to: { lane }, messageId: lane, text: "Which port?", ...message });
  await Promise.all([
    ...rows.map(([, { lane, intent }]) => send(lane.id, messageOf[intent])),
    ...cases.map(([, { lane }]) => send(lane.id, messageOf.ask)),
  ]);
  const waits = new Set<string>(
    cases.filter(([, { expected }]) => expected === waiting).map(([, { lane }]) => lane.id),
  );
  const timing = { timeout: 200_000, interval: 100 };
  // One that was not sent yet has no next step either.
  const isOpen = ({ status, nextReconcileAt }: ListedDelivery) => status === "pending" || nextReconcileAt !== null;
  await vi.waitFor(async () => {
    const { deliveries } = await client.deliveries({ limit: 200 });
    expect(deliveries.filter((one) => isOpen(one) && !waits.has(one.lane))).toEqual([]);
  }, timing);
  // Long past the grace time, after many reads.
  await vi.waitFor(() => {
    const reads = stubCalls(waybill.directory).filter(({ call }) => call === "read");
    for (const id of waits) expect(reads.filter(({ lane }) => lane === id).length).toBeGreaterThan(5);
  }, timing);
  for (const { id, lane } of (await client.deliveries({ limit: 200 })).deliveries) {
    details.set(lane, await client.delivery(id));
  }
});
afterAll(() => waybill.dispose());

describe("sufficiency by intent, row by row", () => {
  test.each(rows)("%s", (_, { lane, isEnough, proofs }) => {
    const { status, readCommittedAt, evidence } = detailOf(lane.id);
    expect({ status, isRead: readCommittedAt !== null, prompts: promptsOf(lane.id).length }).toEqual(
      isEnough
        ? { status: "responded", isRead: true, prompts: 1 }
        : { status: "failed_terminal", isRead: false, prompts: 2 },
    );
    expect(isEnough ? proofs : [null]).toContain(evidence.proof);
  });
});

describe("retry eligibility, row by row", () => {
  test.each(cases)("%s", (_, { lane, expected }) => {
    const { status, readCommittedAt, attempts } = detailOf(lane.id);
    const prompts = promptsOf(lane.id);
    const distinct = (key: "id" | "session") => new Set(prompts.map((entry) => entry[key])).size;
    const counts = { prompts: prompts.length, ids: distinct("id"), sessions: distinct("session"), attempts };
    expect({ status, ...counts }).toEqual({ ids: 1, sessions: 1, attempts: 1, ...expected });
    expect(readCommittedAt !== null).toBe(expected.status === "responded");
  });
});

function promptsOf(laneId: string) {
  return waybill.prompts().filter(({ lane }) => lane === laneId);
}

function detailOf(laneId: string): DeliveryDetail {
  const detail = details.get(laneId);
  if (!detail) throw new Error(`no delivery in lane ${laneId}`);
  return detail;
}
