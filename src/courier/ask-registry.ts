/**
 * The asks that wait for a person, in memory: an ask lives in the agent program, and every delivery that one blocks
 * is reconciled again after a start.
 *
 * Events announce an ask a moment before a reconcile observes it, say what it is about, and are the only source for a
 * turn that no delivery started. So an announced ask is listed and can be answered, without the message that it
 * blocks. Once observed, it stays for as long as reconciles find it.
 */
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding } from "../core/delivery/record.ts";
import type { LogItem } from "../core/log/log-item.ts";
import type { Ask } from "../core/transcript/transcript.ts";
import { readDetail } from "../core/turn/signal.ts";
import type { Question, UniversalEvent } from "../core/turn/universal-event.ts";
import type { AskAnswer } from "../runtimes/port.ts";
import type { LogStore } from "../store/port.ts";

/** What an ask is about, as far as its program reports it. */
export type AskSubject = {
  /** The waiting tool call. */
  call: string | null;
  tool: string | null;
  input: unknown;
  /** What the program reports about a permission, in its own form. */
  detail: unknown;
  /** The change to be allowed, if the program reports one. */
  diff: string | null;
  /** Empty for a permission. */
  questions: readonly Question[];
  /** The session of the subagent that asks; null for the lane's own. */
  nativeSession: string | null;
};

export type OpenAsk = Pick<Ask, "id" | "kind" | "title"> &
  AskSubject & {
    laneId: string;
    deliveryId: string | null;
    messageId: string | null;
    /** The sender of the message that the agent works on. */
    person: string | null;
    since: number;
  };

/** Passes a person's answer on to the program that asked. */
export type AnswerAsk = (answer: AskAnswer) => Promise<void>;

const nobody = { deliveryId: null, messageId: null, person: null };
const nothingKnown: AskSubject = {
  ...{ call: null, tool: null, input: null, detail: null, diff: null },
  ...{ questions: [], nativeSession: null },
};

/** An ask was opened, or is over. */
type AskChange = Pick<Parameters<LogStore["passAsk"]>[0], "ask" | "laneId" | "open">;

export class AskRegistry {
  readonly #open = new Map<string, Omit<OpenAsk, keyof AskSubject>>();
  /** Announced by events, until they report how it ended. */
  readonly #announced = new Map<string, { ask: OpenAsk; isObserved: boolean }>();
  readonly #calls = new OpenCalls();
  /** For asks from agents that Waybill does not run: what they are about, and how to answer them. */
  readonly #elsewhere = new Map<string, { subject: AskSubject; answer: AnswerAsk }>();
  readonly #tell: (change: AskChange) => void;

  /** `tell` is called when an ask opens or ends, and when more becomes known about one. */
  constructor(tell: (change: AskChange) => void) {
    this.#tell = tell;
  }

  /** Oldest first. */
  list(): OpenAsk[] {
    const unobserved = [...this.#announced.values()].filter(({ isObserved }) => !isObserved);
    const announced = unobserved.map(({ ask }) => ask);
    const observed = [...this.#open.values()].map((ask): OpenAsk => ({ ...this.#subjectOf(ask.id), ...ask }));
    return [...observed, ...announced].map((ask) => this.#withCall(ask)).sort((one, other) => one.since - other.since);
  }

  /** The lane whose agent asks this. */
  laneOf(askId: string): string | null {
    return this.#open.get(askId)?.laneId ?? this.#announced.get(askId)?.ask.laneId ?? null;
  }

  /** Something that another program asks, and how to answer it. It stays until it is answered or withdrawn. */
  askedElsewhere(
    asked: Pick<OpenAsk, "id" | "title" | "laneId" | "since" | "tool" | "input" | "detail">,
    answer: AnswerAsk,
  ): void {
    const { id, title, laneId, since, ...about } = asked;
    this.#elsewhere.set(id, { subject: { ...nothingKnown, ...about }, answer });
    this.#open.set(id, { id, title, laneId, since, kind: "permission", ...nobody });
    this.#tell({ ask: id, laneId, open: true });
  }

  /** Null for an ask of an agent that Waybill runs. */
  answerOf(askId: string): AnswerAsk | null {
    return this.#elsewhere.get(askId)?.answer ?? null;
  }

  /** A client that follows events may answer an ask immediately. */
  readonly onLog = (items: readonly LogItem[]): void => {
    for (const item of items) {
      if (item.type === "event") this.#onEvent(item.event);
      // A delivery whose turn is over is not blocked by any ask.
      else if (item.type === "delivery" && !mayAsk(item.record))
        this.#remove((ask) => ask.deliveryId === item.record.id);
    }
  };

  /** After a start: the events of a running turn, oldest first. Asks that they announce are not announced again. */
  restore(events: readonly UniversalEvent[]): void {
    for (const event of events) this.#onEvent(event);
  }

  /** All asks in a delivery's sessions. Those in a later delivery's turn are not its own. */
  observed(record: DeliveryRecord, asks: readonly Ask[], now: number): void {
    if (!mayAsk(record)) return;
    const ids = new Set(asks.map((ask) => ask.id));
    const added = asks.filter((ask) => !this.#open.has(ask.id));
    this.#remove((ask) => ask.deliveryId === record.id && !ids.has(ask.id));
    for (const { id, kind, title, askedAt } of added) {
      const announced = this.#announced.get(id);
      if (announced) announced.isObserved = true;
      const { laneId, messageId, replyRecipient: person } = record;
      this.#open.set(id, { id, kind, title, laneId, deliveryId: record.id, messageId, person, since: askedAt ?? now });
      this.#tell({ ask: id, laneId, open: true });
    }
  }

  answered(askId: string): void {
    const laneId = this.laneOf(askId);
    this.#announced.delete(askId);
    this.#elsewhere.delete(askId);
    this.#open.delete(askId);
    if (laneId !== null) this.#tell({ ask: askId, laneId, open: false });
  }

  laneRemoved(laneId: string): void {
    this.#calls.laneRemoved(laneId);
    for (const { id } of [...this.#announced.values()].flatMap(({ ask }) => (ask.laneId === laneId ? [ask] : []))) {
      this.#announced.delete(id);
      if (!this.#open.has(id)) this.#tell({ ask: id, laneId, open: false });
    }
    this.#remove((ask) => ask.laneId === laneId);
  }

  #onEvent(event: UniversalEvent): void {
    // Copied events happened in the lane that this one was forked from.
    if (event.copied === true || event.type === "item.delta") return;
    this.#calls.take(event);
    const { type, data, lane: laneId, time: since, nativeSession = null } = event;
    if (type === "permission.requested") {
      const { ask: id, title, call, detail } = data;
      const { tool, input, diff } = readDetail(detail);
      const about = { call, detail, tool, input, diff, questions: [], nativeSession };
      this.#announce({ id, kind: "permission", title, laneId, since, ...about });
    } else if (type === "question.requested") {
      const { ask: id, call, questions } = data;
      const title = questions.map(({ question }) => question).join("\n");
      const about = { ...nothingKnown, call, questions, nativeSession };
      this.#announce({ id, kind: "question", title, laneId, since, ...about });
    } else if (type === "permission.resolved" || type === "question.resolved") this.answered(data.ask);
  }

  #announce(asked: Omit<OpenAsk, keyof typeof nobody>): void {
    const ask = { ...asked, ...nobody };
    this.#announced.set(ask.id, { ask, isObserved: this.#open.has(ask.id) });
    this.#tell({ ask: ask.id, laneId: ask.laneId, open: true });
  }

  #subjectOf(id: string): AskSubject {
    const announced = this.#announced.get(id)?.ask;
    if (!announced) return this.#elsewhere.get(id)?.subject ?? nothingKnown;
    const { call, tool, input, detail, diff, questions, nativeSession } = announced;
    return { call, tool, input, detail, diff, questions, nativeSession };
  }

  /** Some programs ask before they have reported the full call. */
  #withCall(ask: OpenAsk): OpenAsk {
    const called = ask.call === null ? null : this.#calls.find(ask.laneId, ask.call);
    return { ...ask, tool: ask.tool ?? called?.tool ?? null, input: ask.input ?? called?.input ?? null };
  }

  #remove(which: (ask: Pick<OpenAsk, "id" | "laneId" | "deliveryId">) => boolean): void {
    for (const ask of [...this.#open.values()].filter(which)) {
      this.#open.delete(ask.id);
      this.#tell({ ask: ask.id, laneId: ask.laneId, open: false });
    }
  }
}

/** A turn may continue after its message was answered, and ask something that blocks the lane. */
function mayAsk(record: DeliveryRecord): boolean {
  return record.status === "pending" || (record.status !== "cancelled" && isOutstanding(record));
}

/** The agents' tool calls without a result, by lane: what an ask is about. */
/** `input` is null while the agent is still writing it. */
type OpenCall = { tool: string | null; input: unknown };

class OpenCalls {
  readonly #lanes = new Map<string, Map<string, OpenCall>>();

  find(laneId: string, call: string): OpenCall | null {
    return this.#lanes.get(laneId)?.get(call) ?? null;
  }

  take(event: UniversalEvent): void {
    const { type, lane, data } = event;
    if (type === "turn.ended") this.#lanes.delete(lane);
    else if (type === "item.started" && data.item.kind === "tool_call") {
      this.#add(lane, callOf(data.item.id), { tool: data.item.name, input: null });
    } else if (type === "item.completed") {
      const [part] = data.item.parts;
      if (part?.type === "tool_call") this.#add(lane, part.call, { tool: part.name, input: part.input });
      else if (part?.type === "tool_result") this.#lanes.get(lane)?.delete(part.call);
    }
  }

  laneRemoved(laneId: string): void {
    this.#lanes.delete(laneId);
  }

  #add(lane: string, id: string, call: OpenCall): void {
    const calls = this.#lanes.get(lane) ?? new Map<string, OpenCall>();
    this.#lanes.set(lane, calls.set(id, call));
  }
}

/** Items of calls are named `call:ID`. */
function callOf(item: string): string {
  return item.slice(item.indexOf(":") + 1);
}
