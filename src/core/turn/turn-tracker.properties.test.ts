import fc from "fast-check";
import { expect, test } from "vitest";
import { isKept } from "../../../test/support/core/events.ts";
import { LiveReader } from "../../../test/support/daemon/live-reader.ts";
import { universalEventSchema } from "../../../test/support/rules/event-schema.ts";
import type { Signal, SignalBody } from "./signal.ts";
import { TurnTracker } from "./turn-tracker.ts";
import type { Draft, UniversalEvent } from "./universal-event.ts";

const id = (letter: string) => fc.integer({ min: 1, max: 4 }).map((n) => `${letter}${n}`);
const words = fc.string({ maxLength: 4 });
const state = fc.oneof(
  fc.record({ status: fc.constant("pending" as const) }),
  fc.record({ status: fc.constant("running" as const), input: fc.constant({}), output: words }),
  fc.record({ status: fc.constant("completed" as const), input: fc.constant({}), output: words }),
  fc.record({ status: fc.constant("error" as const), input: fc.constant({}), output: words, rejected: fc.boolean() }),
);
const failure = fc.option(
  fc.record({ kind: fc.constantFrom("aborted" as const, "failed" as const), message: fc.constantFrom("x", "y") }),
);

const said: fc.Arbitrary<SignalBody> = fc.oneof(
  fc.record({ type: fc.constant("prompt" as const), message: id("u"), parts: fc.constant([]) }),
  fc.constantFrom<SignalBody>({ type: "busy" }, { type: "stopped" }, { type: "died" }, { type: "rest" }),
  fc.constantFrom<SignalBody>({ type: "session_ended", reason: "exit" }, { type: "unparsed", reason: "?", raw: "?" }),
  fc.record({ type: fc.constant("rest" as const), queued: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ type: fc.constant("message" as const), message: id("a"), prompt: fc.option(id("u")) }),
  fc.record({
    type: fc.constantFrom("part" as const, "delta" as const),
    message: id("a"),
    part: id("p"),
    kind: fc.constantFrom("text" as const, "reasoning" as const),
    text: words,
  }),
  fc.record({ type: fc.constant("tool" as const), message: id("a"), call: id("c"), name: fc.constant("read"), state }),
  fc.record({ type: fc.constant("tool_input_delta" as const), call: id("c"), text: words }),
  fc.record({
    type: fc.constant("file" as const),
    message: id("a"),
    file: fc.record({
      type: fc.constant("file" as const),
      path: fc.constantFrom("a", "b"),
      change: fc.constant("modified" as const),
      diff: fc.option(words),
    }),
  }),
  fc.record({ type: fc.constant("message_done" as const), message: id("a"), error: failure, usage: fc.constant(null) }),
  fc.record({
    type: fc.constant("permission" as const),
    ask: id("q"),
    title: words,
    call: fc.constant(null),
    detail: fc.constant(null),
  }),
  fc.record({ type: fc.constant("permission_over" as const), ask: id("q"), outcome: fc.constant("once" as const) }),
  fc.record({ type: fc.constant("error" as const), id: id("e"), message: words, item: fc.constant(null) }),
);

const story = fc.array(
  fc
    .tuple(said, fc.option(fc.constant("below")))
    .map(
      ([one, below]): Signal => ({ at: 1, session: "s", ...(below === null ? {} : { nativeSession: below }), ...one }),
    ),
  { maxLength: 60 },
);

function tell(tracker: TurnTracker, signals: readonly Signal[]): Draft[] {
  return signals.flatMap((signal) => tracker.take(signal));
}

function kept(drafts: readonly Draft[]): UniversalEvent[] {
  return drafts.filter(isKept).map((draft, seq) => ({ ...draft, id: `e${seq}`, seq, lane: "lane" }));
}

/** What ends when the program dies. File changes are reported only at the end, so after a restart they are new. */
function endsOf(tracker: TurnTracker): [string, number | null][] {
  const ends = tell(tracker, [{ at: 2, session: "s", type: "died" }]);
  return ends
    .filter(
      (draft) =>
        !("item" in draft.data) || typeof draft.data.item !== "object" || draft.data.item?.kind !== "file_change",
    )
    .map(({ type, turn }) => [type, turn]);
}

const runs = { numRuns: 2000 };

test("whatever a runtime signals, each turn ends once, before the next begins, and contains all of its events", () => {
  fc.assert(
    fc.property(story, (signals) => {
      let open: number | null = null;
      let last = 0;
      for (const draft of tell(new TurnTracker(), [...signals, { at: 2, session: "s", type: "died" }])) {
        if (draft.type === "turn.started") {
          expect(open).toBeNull();
          open = last += 1;
        }
        expect(draft.turn).toBe(open);
        if (draft.type === "turn.ended") open = null;
      }
      expect(open).toBeNull();
    }),
    runs,
  );
});

test("whatever a runtime signals, each item begins once and ends once, and no ask outlives its turn", () => {
  fc.assert(
    fc.property(story, (signals) => {
      const begun = new Set<string>();
      const ended = new Set<string>();
      const asks = new Set<string>();
      for (const draft of tell(new TurnTracker(), [...signals, { at: 2, session: "s", type: "died" }])) {
        if (draft.type === "item.started") expect(begun.has(draft.data.item.id)).toBe(false);
        if (draft.type === "item.started") begun.add(draft.data.item.id);
        if (draft.type === "item.delta") expect(begun.has(draft.data.item) && !ended.has(draft.data.item)).toBe(true);
        if (draft.type === "item.completed") {
          expect(begun.has(draft.data.item.id) && !ended.has(draft.data.item.id)).toBe(true);
          ended.add(draft.data.item.id);
        }
        if (draft.type === "permission.requested") asks.add(draft.data.ask);
        if (draft.type === "permission.resolved") expect(asks.delete(draft.data.ask)).toBe(true);
        if (draft.type === "turn.ended") expect(asks.size).toBe(0);
      }
      expect(ended).toEqual(begun);
    }),
    runs,
  );
});

test("published events match the schema", () => {
  fc.assert(
    fc.property(story, (signals) => {
      for (const event of kept(tell(new TurnTracker(), signals))) {
        expect(universalEventSchema.safeParse(event).error).toBeUndefined();
      }
    }),
    { numRuns: 200 },
  );
});

test("repeating all signals after a restart publishes no item twice and leaves the turn unchanged", () => {
  fc.assert(
    fc.property(story, (signals) => {
      const before = new TurnTracker();
      const first = kept(tell(before, signals));
      const after = new TurnTracker();
      for (const event of first) after.restore(event);
      expect(after.inTurn).toBe(before.inTurn);
      const copy = new TurnTracker();
      for (const event of first) copy.restore(event);
      expect(endsOf(copy)).toEqual(endsOf(before));
      const again = signals.filter(({ type }) => ["prompt", "message", "part", "tool", "message_done"].includes(type));
      const known = new Set(first.flatMap((event) => (event.type === "item.started" ? [event.data.item.id] : [])));
      for (const draft of tell(after, again)) {
        if (draft.type === "item.started") expect(known.has(draft.data.item.id)).toBe(false);
      }
    }),
    runs,
  );
});

type Step = { do: "add" | "repeat" | "restart"; text: number; words: string; isLate: boolean };

const steps = fc.array(
  fc.record<Step>({
    do: fc.constantFrom("add", "add", "add", "repeat", "restart"),
    text: fc.integer({ min: 0, max: 3 }),
    words: fc.string({ minLength: 1, maxLength: 4 }),
    isLate: fc.boolean(),
  }),
  { maxLength: 40 },
);

const textKeys = ["a1/p0", "a1/p1", "a2/p2", "result:c1/c1"];

/** Two texts of one message, one of another, and a tool's output. */
function saysText(text: number, whole: string, added: string | null): Signal {
  const common = { at: 1, session: "s" };
  if (text === 3) {
    const state = { status: "running" as const, input: {}, output: whole };
    return { ...common, type: "tool", message: "a1", call: "c1", name: "bash", state };
  }
  const part = { message: text === 2 ? "a2" : "a1", part: `p${text}`, kind: "text" as const };
  if (added === null) return { ...common, type: "part", ...part, text: whole };
  return { ...common, type: "delta", ...part, text: added };
}

function knownTexts(tracker: TurnTracker): LiveReader["texts"] {
  const reader = new LiveReader();
  reader.join(tracker.live);
  return reader.texts;
}

test("a reader that joins mid-turn shows exactly the known text, even with a late stream and across restarts", () => {
  fc.assert(
    fc.property(steps, fc.nat(40), (all, joinsAt) => {
      const truth = ["", "", "", ""];
      const told: Draft[] = [];
      const reader = new LiveReader();
      let stream: Draft[] = [];
      let tracker = new TurnTracker();
      for (const [index, { do: what, text, words, isLate }] of all.entries()) {
        if (what === "restart") {
          stream = [];
          tracker = new TurnTracker();
          for (const event of kept(told)) tracker.restore(event);
        } else {
          if (what === "add") truth[text] += words;
          const news = tracker.take(saysText(text, truth[text] ?? "", what === "add" ? words : null));
          told.push(...news);
          stream.push(...news);
        }
        if (index < joinsAt) continue;
        if (index === joinsAt || what === "restart") reader.join(tracker.live);
        if (!isLate) for (const draft of stream.splice(0)) if (reader.take(draft)) reader.join(tracker.live);
        const known = knownTexts(tracker);
        for (const [place, key] of textKeys.entries()) {
          const shown = reader.texts.get(key);
          if (stream.length === 0 && known.has(key)) expect(shown).toEqual({ ...known.get(key), text: truth[place] });
          else if (shown?.isExact) expect(truth[place]?.startsWith(shown.text)).toBe(true);
        }
      }
    }),
    runs,
  );
});
