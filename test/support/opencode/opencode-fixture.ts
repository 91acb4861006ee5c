/** Recorded streams of the real OpenCode, and the events that the translation and the turn tracker produce. */
import { readdirSync, readFileSync } from "node:fs";
import type { Signal } from "../../../src/core/turn/signal.ts";
import { TurnTracker } from "../../../src/core/turn/turn-tracker.ts";
import type { Draft } from "../../../src/core/turn/universal-event.ts";
import type { StoredMessage } from "../../../src/runtimes/opencode/client/api.ts";
import type { OpencodeEvent } from "../../../src/runtimes/opencode/client/event-stream.ts";
import { PublishedSession } from "../../../src/runtimes/opencode/session/session-publisher.ts";
import { restSignal, signalsFromRows, unpublishedRows } from "../../../src/runtimes/opencode/translate/row-signals.ts";
import { OpencodeTranslator } from "../../../src/runtimes/opencode/translate/translate.ts";
import { isKept } from "../core/events.ts";
import { aLane } from "../daemon/waybill.ts";

export type Fixture = { events: OpencodeEvent[]; rows: Record<string, StoredMessage[]> };

const directory = new URL("../../fixtures/opencode/", import.meta.url);
/** The lane's session in every fixture. */
export const session = "ses_1";

export const fixtureNames = readdirSync(directory)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))
  .sort();

export function fixture(name: string): Fixture {
  const lines = readFileSync(new URL(`${name}.jsonl`, directory), "utf8")
    .trim()
    .split("\n");
  const parsed = lines.map((line) => JSON.parse(line) as { payload?: OpencodeEvent; rows?: Fixture["rows"] });
  const events = parsed.flatMap(({ payload }) =>
    payload ? [{ ...payload, properties: payload.properties ?? {} }] : [],
  );
  return { events, rows: parsed.at(-1)?.rows ?? {} };
}

/** A lane's watcher: passes everything through one turn tracker. */
export class Watcher {
  readonly tracker = new TurnTracker();
  readonly translator: OpencodeTranslator;
  readonly drafts: Draft[] = [];
  readonly #rows: Fixture["rows"];
  readonly #published = new PublishedSession({
    ...aLane(),
    pausedReason: null,
    teamHold: null,
    sessionId: session,
    generation: 1,
    version: 1,
  });

  constructor({ rows }: Fixture) {
    this.#rows = rows;
    this.translator = new OpencodeTranslator(() => session);
  }

  hear(events: readonly OpencodeEvent[]): this {
    for (const event of events) this.take(this.translator.translate(event, 1));
    return this;
  }

  /** The rows as stored at the end, when the session is idle. */
  readRows(): this {
    const all = this.#rows[session] ?? [];
    const isNew = this.#published.openPrompt === null && this.#published.endedPrompt === null;
    const rows = isNew ? all : (unpublishedRows(all, this.#published) ?? all);
    const subtaskRows = new Map(Object.entries(this.#rows));
    this.take(signalsFromRows({ root: session, rows, subtaskRows, busy: false }, this.translator));
    return this.take([{ at: 1, session, ...restSignal(rows) }]);
  }

  take(signals: readonly Signal[]): this {
    for (const signal of signals) {
      this.#published.apply(signal);
      this.drafts.push(...this.tracker.take(signal));
    }
    return this;
  }

  get kept(): Draft[] {
    return this.drafts.filter(isKept);
  }
}

/** One line per event; an item that starts and ends immediately is one line. */
export function lines(drafts: readonly Draft[]): string[] {
  return drafts.flatMap((draft) => {
    const line = lineOf(draft);
    return line === null ? [] : [`${draft.nativeSession === undefined ? "" : "  "}${line}`];
  });
}

function lineOf(draft: Draft): string | null {
  const { type, data } = draft;
  switch (type) {
    case "item.started":
      return data.item.role === "assistant" ? `message ${data.item.id} begins` : null;
    case "item.completed":
      return itemLine(data.item);
    case "item.delta":
      return `delta ${data.kind} '${data.text}'`;
    case "turn.started":
      return `turn.started ${data.prompt}`;
    case "turn.ended":
      return `turn.ended ${data.reason}`;
    case "usage":
      return null;
    case "error":
      return `error ${data.message.split("\n")[0]}`;
    case "permission.requested":
      return `permission.requested ${data.title}`;
    case "question.requested":
      return `question.requested ${data.questions.map(({ question }) => question).join(" ")}`;
    case "permission.resolved":
      return `permission.resolved ${data.outcome}`;
    case "question.resolved":
      return `question.resolved ${data.outcome}${data.answers === null ? "" : ` ${data.answers.join(" / ")}`}`;
    case "unparsed":
      return `unparsed ${data.reason}`;
    default:
      return type;
  }
}

type Item = Extract<Draft, { type: "item.completed" }>["data"]["item"];

function itemLine({ kind, role, name, status, parts, id }: Item): string {
  const failed = status === "failed" ? " failed" : "";
  if (role === "user") return `prompt ${parts.map(partLine).join(", ")}`;
  if (kind === "message") return `message ${id} ends${failed} ${parts.map(partLine).join(", ")}`.trimEnd();
  if (kind === "file_change") return `file_change ${parts.map(partLine).join(", ")}`;
  return `${kind}${name === null ? "" : ` ${name}`}${failed}`;
}

function partLine(part: Item["parts"][number]): string {
  switch (part.type) {
    case "text":
      return `'${part.text}'`;
    case "reasoning":
      return `thought '${part.text}'`;
    case "file":
      return `${part.path} ${part.change}${part.diff === null ? "" : " with diff"}`;
    case "image":
      return `image ${part.name}`;
    case "json":
      return `json ${Object.keys(part.value as object)}`;
    default:
      return part.type;
  }
}
