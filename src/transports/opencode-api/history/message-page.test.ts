import { expect, it } from "vitest";
import { LaneHistory } from "../../../../test/support/core/lane-history.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import type { SessionMessage, SessionSettings } from "../projection/session-view.ts";
import { findMessage, messagePage, parsePageCursor } from "./message-page.ts";
import type { ReadBefore } from "./read-events.ts";

const settings: SessionSettings = {
  lane: "lane",
  directory: "/tmp",
  providerID: "stub",
  modelID: "default",
  agent: "default",
};
const sessionID = "ses_lane";

/**
 * At any time, `queued` more messages wait while one is processed. Some are sent before the end of the previous turn is
 * published, and some have their outcome before the end of their own turn.
 */
function aHistory(messages: number, { queued = 0, history = new LaneHistory() } = {}): LaneHistory {
  const first = history.events.length;
  const idOf = (one: number) => `msg_${first}_${one}`;
  for (let one = 0; one <= queued; one++) history.admit(idOf(one));
  history.send(idOf(0));
  for (let one = 0; one < messages; one++) {
    history.begin(idOf(one));
    history.says(`said-${first}-${one}-1`, "I look.");
    history.says(`said-${first}-${one}-2`, "That is what was asked for.");
    const isHasty = one % 3 === 0 && one + 1 < messages;
    if (one + queued + 1 < messages) history.admit(idOf(one + queued + 1));
    if (isHasty) history.send(idOf(one + 1));
    history.end(idOf(one), { early: one % 2 === 0 });
    if (!isHasty && one + 1 < messages) history.send(idOf(one + 1));
  }
  return history;
}

function readerOf(history: LaneHistory): { read: ReadBefore; count: () => number } {
  let count = 0;
  const read: ReadBefore = async (seq, limit) => {
    const events = history.before(seq, limit);
    count += events.length;
    return events;
  };
  return { read, count: () => count };
}

function allAtOnce(history: LaneHistory): readonly SessionMessage[] {
  const projection = new SessionProjection(settings);
  for (const event of history.events) projection.take(event);
  return projection.messages(sessionID);
}

it.each([0, 1, 6])("consecutive pages hold every message once, as published live, while %i wait", async (queued) => {
  const history = aHistory(40, { queued });
  const everything = allAtOnce(history);
  expect(everything.length).toBe(120);
  for (const limit of [3, 38, 39, 40, 41, 42, 43, 44, 45, 100]) {
    const { read } = readerOf(history);
    const rows: SessionMessage[] = [];
    for (let next: string | null | undefined; next !== null; ) {
      const before = next === undefined ? undefined : parsePageCursor(next);
      const page = await messagePage({ read, settings, sessionID, limit, before, live: [] });
      expect(page.messages.length).toBeLessThanOrEqual(limit);
      rows.unshift(...page.messages);
      next = page.next;
    }
    expect(rows).toEqual(everything);
  }
});

it("the cost of a page does not grow with the history before it", async () => {
  const history = aHistory(100);
  const costOf = async (before: string | null) => {
    const { read, count } = readerOf(history);
    const { next } = await messagePage({
      read,
      settings,
      sessionID,
      limit: 5,
      before: before === null ? undefined : parsePageCursor(before),
      live: [],
    });
    return { cost: count(), next };
  };
  const early = await costOf(null);
  aHistory(1000, { history });
  const late = await costOf(null);
  expect(late.cost).toBe(early.cost);
  expect((await costOf(late.next)).cost).toBe(early.cost);
});

it("lets other work run while it reads thousands of waiting messages", async () => {
  const history = new LaneHistory();
  for (let one = 0; one < 5000; one++) history.admit(`msg_${one}`);
  let [turns, isOver] = [0, false];
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { messages } = await messagePage({ ...readerOf(history), settings, sessionID, limit: 50, live: [] });
  isOver = true;
  expect(messages).toHaveLength(50);
  expect(turns).toBeGreaterThan(5000 / 250);
});

it("without a limit all messages are on one page", async () => {
  const history = aHistory(3);
  const page = await messagePage({ ...readerOf(history), settings, sessionID, limit: undefined, live: [] });
  expect(page).toEqual({ messages: allAtOnce(history), next: null });
});

it("a message is found by its id, however old it is", async () => {
  const history = aHistory(100);
  const options = { ...readerOf(history), settings, sessionID, live: [] };
  expect((await findMessage(options, "msg_0_0"))?.info).toMatchObject({ id: "msg_0_0", role: "user" });
  expect(await findMessage(options, "msg_nobody")).toBeNull();
});

it("text that is still being written is on the newest page", async () => {
  const history = aHistory(2);
  const everything = allAtOnce(history);
  const last = everything.at(-1);
  if (!last) throw new Error("nothing was said");
  const [first] = last.parts;
  const said = {
    ...last,
    parts: last.parts.map((part) => (part === first ? part : { ...part, live: true })),
  } as SessionMessage;
  const next = {
    ...last,
    info: { ...last.info, id: "msg_zzz", time: { created: last.info.time.created + 1 } },
  } as SessionMessage;
  const { messages: rows } = await messagePage({
    ...readerOf(history),
    settings,
    sessionID,
    limit: 2,
    live: [said, next],
  });
  expect(rows).toEqual([said, next]);
});

it("a message that has ended in the kept events is not replaced by an older live state", async () => {
  const history = aHistory(2);
  const everything = allAtOnce(history);
  const last = everything.at(-1);
  if (!last) throw new Error("nothing was said");
  const begun = { info: { ...last.info, time: { created: last.info.time.created } }, parts: [] } as SessionMessage;
  const { messages: rows } = await messagePage({
    ...readerOf(history),
    settings,
    sessionID,
    limit: undefined,
    live: [begun],
  });
  expect(rows).toEqual(everything);
});

it.each(["", "x", Buffer.from("{}").toString("base64url"), Buffer.from("[1").toString("base64url")])(
  "%j is not a cursor",
  (text) => {
    expect(() => parsePageCursor(text)).toThrow(expect.objectContaining({ code: "cursor_invalid" }));
  },
);
