import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { Delivery, Message } from "waybill/client";

type Page = { messages: Message[]; deliveries: Delivery[]; nextCursor?: string };

/** What was requested and not answered yet, oldest first. */
const open: { cursor: string | undefined; answer: (page: Page) => void; fail: (error: Error) => void }[] = [];

/** A turn that runs, and the requests for its text so far. */
const item = { id: "i1", kind: "message", role: "assistant", parts: [] };
const runningTurn = [
  { seq: 1, type: "turn.started", turn: 1, time: 1, data: { prompt: null } },
  { seq: 2, type: "item.started", turn: 1, time: 2, data: { item } },
];
const openTurns: ((turn: object) => void)[] = [];

// Files share their modules with the next file in the same process.
vi.resetModules();
vi.doMock("./client.ts", () => ({
  client: {
    messages: ({ cursor }: { cursor?: string }) =>
      new Promise<Page>((answer, fail) => open.push({ cursor, answer, fail })),
    laneEvents: async () => ({ events: runningTurn.toReversed(), nextBefore: null }),
    turn: () => new Promise((answer) => openTurns.push(answer)),
  },
}));
vi.stubGlobal("document", { hidden: true });

const { conversationOf, loadOlder, onHandOver, reloadConversations, resumeConversations } = await import(
  "./conversations.ts"
);

afterAll(() => {
  vi.doUnmock("./client.ts");
  vi.unstubAllGlobals();
  vi.resetModules();
});

const message = (id: string, minute: number, handOver: object | null = null): Message =>
  ({
    ...{ id, to: { team: "crew", member: "nate" }, lane: null, member: { team: "crew", name: "nate" } },
    ...{ createdAt: `2026-01-01T00:0${minute}:00.000Z`, handOver },
  }) as Message;
const page = (messages: Message[], nextCursor?: string): Page => ({
  ...{ messages, deliveries: [] },
  ...(nextCursor !== undefined && { nextCursor }),
});
const answered = () => new Promise((resolve) => setTimeout(resolve));

let name = 0;
let id = "";
beforeEach(() => {
  open.length = 0;
  name += 1;
  id = `crew/nate${name}`;
});

const idsIn = (store: ReturnType<typeof conversationOf>) => store.latest().messages.map((one) => one.id);

test("what was requested before everything was read again is not added", async () => {
  const store = conversationOf(id);
  open[0]?.answer(page([message("new", 5)], "older"));
  await answered();
  const older = loadOlder(id);
  reloadConversations();
  open.at(-1)?.answer(page([message("newest", 6)], "newer"));
  await answered();
  open.find(({ cursor }) => cursor === "older")?.answer(page([message("old", 1)]));
  await older;
  expect(idsIn(store)).toEqual(["newest"]);
  expect(store.latest()).toMatchObject({ state: "ready", olderCursor: "newer", isLoadingOlder: false });
});

test("a conversation that could not be loaded is loaded when the daemon is back", async () => {
  const store = conversationOf(id);
  open[0]?.fail(new Error("away"));
  await answered();
  expect(store.latest().state).toBe("failed");
  resumeConversations();
  open.at(-1)?.answer(page([message("m1", 1)]));
  await answered();
  expect(store.latest()).toMatchObject({ state: "ready", error: null });
});

test("what happens to a row while its conversation is being read is not missed", async () => {
  const store = conversationOf(id);
  const [first] = open;
  const happened = { team: "crew", inbox: `nate${name}`, messageId: "m1", state: "taken", reason: null, at: "now" };
  onHandOver(happened as never);
  open.at(-1)?.answer(page([message("m1", 1, { state: "taken", reason: null, changedAt: "now" })]));
  first?.answer(page([message("m1", 1, { state: "handed_over", reason: null, changedAt: "before" })]));
  await answered();
  expect(store.latest().messages[0]?.handOver?.state).toBe("taken");
});

test.each(["before", "during"])(
  "the text so far of a turn is there if everything is read again %s its request",
  async (when) => {
    openTurns.length = 0;
    const store = conversationOf(`words${name}`);
    const [first] = open;
    if (when === "before") reloadConversations();
    first?.answer(page([]));
    await vi.waitFor(() => expect(openTurns).toHaveLength(1));
    if (when === "during") reloadConversations();
    open.at(-1)?.answer(page([]));
    await vi.waitFor(() => expect(openTurns).toHaveLength(2));
    const items = [{ ...item, parts: [{ type: "text", id: "p1", text: "It begins" }] }];
    for (const answer of openTurns) answer({ turn: 1, items, cut: [] });
    await vi.waitFor(() => expect(store.latest().state).toBe("ready"));
    expect(store.latest().events.turns[0]?.items[0]?.parts).toEqual([{ type: "text", id: "p1", text: "It begins" }]);
  },
);
