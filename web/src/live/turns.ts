/**
 * What an agent did in a lane, as turns: a pure reducer over universal events. History and live events go through the
 * same function, in the order of their numbers; known events change nothing.
 */
import type { UniversalEvent } from "waybill/client";

type Body<T extends UniversalEvent["type"]> = Extract<UniversalEvent, { type: T }>;
export type Item = Body<"item.started">["data"]["item"];
export type Part = Item["parts"][number];
export type Question = Body<"question.requested">["data"]["questions"][number];

export type ShownItem = Item & {
  startedAt: number;
  endedAt: number | null;
  /** The subagent's session, if it happened in one. */
  nativeSession: string | null;
};

export type TurnError = { message: string; at: number };

export type AskNote = {
  id: string;
  kind: "permission" | "question";
  title: string;
  /** The tool call that waits for it. */
  call: string | null;
  /** None for a permission. */
  questions: readonly Question[];
  at: number;
};

/** `answers`: by question. */
export type AskOutcome = { outcome: string; answers: readonly (readonly string[])[] | null };

export type Usage = { tokens: number; cost: number | null; model: string | null };

export type Turn = {
  /** Unique in its lane. */
  number: number;
  startedAt: number;
  endedAt: number | null;
  /** Null while it runs. */
  reason: "completed" | "error" | "aborted" | "interrupted" | null;
  error: string | null;
  prompt: string | null;
  items: readonly ShownItem[];
  errors: readonly TurnError[];
  asks: readonly AskNote[];
  /** By ask. Kept apart, because an ask may be in an older page of history than its outcome. */
  askOutcomes: ReadonlyMap<string, AskOutcome>;
  usage: Usage | null;
};

/** The daemon's note that a prompt was sent for a message. */
export type AttemptNote = { message: string; number: number; kind: string; prompt: string | null; at: number };

export type LaneEvents = {
  /** The numbers of the oldest and the newest event that are known; 0 when there is none. */
  firstSeq: number;
  lastSeq: number;
  turns: readonly Turn[];
  attempts: readonly AttemptNote[];
};

export const noEvents: LaneEvents = { firstSeq: 0, lastSeq: 0, turns: [], attempts: [] };

/** Events in the order of their numbers. Known ones are skipped. */
export function withEvents(state: LaneEvents, events: readonly UniversalEvent[]): LaneEvents {
  let next = state;
  for (const event of events) next = withEvent(next, event);
  return next;
}

/** Prepends older events. */
export function withOlderEvents(state: LaneEvents, older: readonly UniversalEvent[]): LaneEvents {
  const first = older[0];
  if (!first) return state;
  const before = withEvents(noEvents, older);
  return {
    firstSeq: first.seq,
    lastSeq: Math.max(state.lastSeq, before.lastSeq),
    turns: joinTurns(before.turns, state.turns),
    attempts: [...before.attempts, ...state.attempts],
  };
}

/** A turn that begins in one page of history may continue in the next. */
function joinTurns(older: readonly Turn[], newer: readonly Turn[]): readonly Turn[] {
  const last = older.at(-1);
  const [first, ...rest] = newer;
  if (!last || !first || last.number !== first.number) return [...older, ...newer];
  const known = new Map(last.items.map((item) => [item.id, item]));
  for (const item of first.items)
    known.set(item.id, { ...item, startedAt: known.get(item.id)?.startedAt ?? item.startedAt });
  const joined: Turn = {
    ...last,
    // A delta that overtakes the first page of history begins a turn that the page may already end.
    endedAt: first.endedAt ?? last.endedAt,
    reason: first.reason ?? last.reason,
    error: first.error ?? last.error,
    items: [...known.values()],
    errors: [...last.errors, ...first.errors],
    asks: [...last.asks, ...first.asks],
    askOutcomes: new Map([...last.askOutcomes, ...first.askOutcomes]),
    usage: first.usage ?? last.usage,
  };
  return [...older.slice(0, -1), joined, ...rest];
}

function withEvent(state: LaneEvents, event: UniversalEvent): LaneEvents {
  if (event.type === "item.delta") return withDelta(state, event);
  if (event.seq <= state.lastSeq) return state;
  const counted = { ...state, firstSeq: state.firstSeq === 0 ? event.seq : state.firstSeq, lastSeq: event.seq };
  if ((event.type === "item.started" || event.type === "item.completed") && event.data.item.kind === "status") {
    return event.source === "daemon" ? withNote(counted, event) : withItem(counted, event);
  }
  switch (event.type) {
    case "turn.started":
      return { ...counted, turns: [...counted.turns, beganAt(event, event.data.prompt)] };
    case "turn.ended": {
      const { reason, error } = event.data;
      return changeTurn(counted, event, (turn) => ({ ...turn, endedAt: event.time, reason, error }));
    }
    case "item.started":
    case "item.completed":
      return withItem(counted, event);
    case "error": {
      const { message } = event.data;
      return changeTurn(counted, event, (turn) => ({ ...turn, errors: [...turn.errors, { message, at: event.time }] }));
    }
    case "usage":
      return changeTurn(counted, event, (turn) => ({ ...turn, usage: addUsage(turn, event.data) }));
    case "permission.requested":
    case "question.requested":
      return changeTurn(counted, event, (turn) => ({ ...turn, asks: [...turn.asks, askNote(event)] }));
    case "permission.resolved":
    case "question.resolved": {
      const { ask, outcome } = event.data;
      const answers = event.type === "question.resolved" ? event.data.answers : null;
      return changeTurn(counted, event, (turn) => ({
        ...turn,
        askOutcomes: new Map([...turn.askOutcomes, [ask, { outcome, answers }]]),
      }));
    }
    case "session.started":
    case "session.ended":
    case "unparsed":
      return counted;
    default:
      return event satisfies never;
  }
}

function beganAt(event: UniversalEvent, prompt: string | null): Turn {
  return {
    number: event.turn ?? 0,
    startedAt: event.time,
    endedAt: null,
    reason: null,
    error: null,
    prompt,
    items: [],
    errors: [],
    asks: [],
    askOutcomes: new Map(),
    usage: null,
  };
}

/** The turn of an event, which may have begun before the known events. Events between turns belong to the last one. */
function changeTurn(state: LaneEvents, event: UniversalEvent, change: (turn: Turn) => Turn): LaneEvents {
  const { turns } = state;
  const index = event.turn === null ? turns.length - 1 : turns.findLastIndex(({ number }) => number === event.turn);
  const known = turns[index];
  if (known) return { ...state, turns: turns.with(index, change(known)) };
  return event.turn === null ? state : { ...state, turns: [...turns, change(beganAt(event, null))] };
}

function withItem(state: LaneEvents, event: Body<"item.started"> | Body<"item.completed">): LaneEvents {
  const { item } = event.data;
  const isOver = event.type === "item.completed";
  return changeTurn(state, event, (turn) => {
    const index = turn.items.findIndex(({ id }) => id === item.id);
    const known = turn.items[index];
    const shown: ShownItem = {
      ...item,
      // A program may report less at the end than before.
      parts: isOver || !known ? item.parts : known.parts,
      startedAt: known?.startedAt ?? event.time,
      endedAt: isOver ? event.time : null,
      nativeSession: event.nativeSession ?? null,
    };
    return { ...turn, items: known ? turn.items.with(index, shown) : [...turn.items, shown] };
  });
}

/** Its position is known (`offset`), so text received another way is not shown twice. */
function withDelta(state: LaneEvents, event: Body<"item.delta">): LaneEvents {
  return changeTurn(state, event, (turn) => {
    const index = turn.items.findIndex(({ id }) => id === event.data.item);
    const item = turn.items[index];
    if (!item || item.endedAt !== null) return turn;
    const parts = withText(item.parts, event.data, item.name ?? "");
    return parts === item.parts ? turn : { ...turn, items: turn.items.with(index, { ...item, parts }) };
  });
}

type Delta = Body<"item.delta">["data"];

function withText(parts: Part[], delta: Delta, tool: string): Part[] {
  const index = parts.findIndex((part) => partId(part) === delta.part);
  const known = parts[index];
  const before = known ? textOf(known) : "";
  const { offset } = delta;
  // Its position is unknown, or there is a gap: the live turn or the completed item will bring the text.
  if (offset === undefined || offset > before.length) return parts;
  const added = delta.text.slice(before.length - offset);
  if (added === "") return parts;
  const part = partWith(known, delta, before + added, tool);
  return known ? parts.with(index, part) : [...parts, part];
}

/** Whether a delta lies beyond the known text: then the live turn must be requested. */
export function isBehind({ turns }: LaneEvents, { turn, data }: Body<"item.delta">): boolean {
  const item = turns.findLast(({ number }) => number === turn)?.items.find(({ id }) => id === data.item);
  if (!item || item.endedAt !== null || data.offset === undefined) return false;
  const known = item.parts.find((part) => partId(part) === data.part);
  return data.offset > (known ? textOf(known).length : 0);
}

function partWith(known: Part | undefined, { part: id, kind }: Delta, text: string, name: string): Part {
  if (kind === "text" || kind === "reasoning") return { type: kind, id, text };
  if (kind === "input") return { type: "tool_call", call: id, name, input: text };
  const result = known?.type === "tool_result" ? known : { isError: false, rejected: false };
  return { ...result, type: "tool_result", call: id, name, output: text };
}

function partId(part: Part): string {
  if (part.type === "tool_call" || part.type === "tool_result") return part.call;
  return part.type === "file" ? part.path : part.id;
}

function textOf(part: Part): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  if (part.type === "tool_result") return part.output;
  return part.type === "tool_call" && typeof part.input === "string" ? part.input : "";
}

/** Applies the live turn, for a reader that joined in the middle of it. */
export function withOpenItems(state: LaneEvents, turnNumber: number | null, items: readonly Item[]): LaneEvents {
  const index = state.turns.findLastIndex(({ number }) => number === turnNumber);
  const turn = state.turns[index];
  if (!turn) return state;
  const known = new Map(turn.items.map((item) => [item.id, item]));
  for (const item of items) {
    const shown = known.get(item.id);
    if (shown && shown.endedAt === null) known.set(item.id, { ...shown, parts: longerParts(shown.parts, item.parts) });
  }
  return { ...state, turns: state.turns.with(index, { ...turn, items: [...known.values()] }) };
}

function longerParts(known: readonly Part[], told: readonly Part[]): Part[] {
  const byId = new Map(known.map((part) => [partId(part), part]));
  for (const part of told) {
    const shown = byId.get(partId(part));
    // The stream may have been faster than the response.
    const isAhead = shown !== undefined && textOf(shown).startsWith(textOf(part));
    if (!isAhead) byId.set(partId(part), part);
  }
  return [...byId.values()];
}

function addUsage({ usage }: Turn, data: Body<"usage">["data"]): Usage {
  const tokens = data.tokens.input + data.tokens.output + data.tokens.reasoning + data.tokens.cacheRead;
  // The turn's usage repeats that of its messages.
  if (data.of === "turn" || usage === null) return { tokens, cost: data.cost, model: data.model };
  const cost = data.cost === null ? usage.cost : (usage.cost ?? 0) + data.cost;
  return { tokens: usage.tokens + tokens, cost, model: data.model ?? usage.model };
}

function askNote(event: Body<"permission.requested"> | Body<"question.requested">): AskNote {
  const { ask: id, call } = event.data;
  const base = { id, call, at: event.time };
  if (event.type === "permission.requested")
    return { ...base, kind: "permission", title: event.data.title, questions: [] };
  const { questions } = event.data;
  return { ...base, kind: "question", title: questions.map(({ question }) => question).join(" "), questions };
}

function withNote(state: LaneEvents, event: Body<"item.started"> | Body<"item.completed">): LaneEvents {
  const { name, parts } = event.data.item;
  const [part] = parts;
  if (event.type !== "item.completed" || name !== "attempt" || part?.type !== "json") return state;
  const value = part.value as Omit<AttemptNote, "at">;
  return { ...state, attempts: [...state.attempts, { ...value, at: event.time }] };
}
