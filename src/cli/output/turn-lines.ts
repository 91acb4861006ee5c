/** A lane's turns as lines to read: text as it comes, a line for each tool, asks, errors, and how the turn ended. */
import type { UniversalEvent } from "../../client/index.ts";
import type { DeliveryEndNote } from "../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote } from "../../core/turn/delivery-notes.ts";
import type { Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";
import { count, oneLine } from "./words.ts";

/** Lines that stay, and what stands below them for the moment. */
export type Shown = { lines: string[]; status: string };

type Of<T extends UniversalEvent["type"]> = Extract<UniversalEvent, { type: T }>;
type Item = Of<"item.completed">["data"]["item"];
type Part = Item["parts"][number];
type Words = Extract<Part, { type: "text" | "reasoning" }>;

type ShownWords = {
  item: string;
  kind: Words["type"];
  text: string;
  line: string;
  /** Something else was shown in mid-line, so that the line was ended there. */
  broken: boolean;
};

const longestInput = 100;

export class TurnLines {
  readonly #paint: Paint;
  /** What was shown of the text parts of open messages: all of it, and the line that is not whole yet. */
  readonly #shown = new Map<string, ShownWords>();
  /** What the tools that run were called with, in words. */
  readonly #calls = new Map<string, string>();
  #status = "";

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  take(event: UniversalEvent): Shown {
    this.#status = "";
    // What a subagent does stands further right.
    const indent = event.nativeSession === undefined ? "" : "  ";
    const lines = this.#lines(event);
    const above = lines.length > 0 && event.type !== "item.delta" ? this.#brokenOff(event) : [];
    return { lines: [...above, ...lines.map((line) => `${indent}${line}`)], status: this.#status };
  }

  /** What stood below the lines and was not whole, when something else is shown in its place. */
  #brokenOff(event: UniversalEvent): string[] {
    const own = event.type === "item.completed" ? event.data.item.id : null;
    const open = [...this.#shown.values()].filter(({ item, line }) => item !== own && line !== "");
    return open.map((words) => {
      const { line, kind } = words;
      Object.assign(words, { line: "", broken: true });
      return this.#styled(line, kind);
    });
  }

  #lines(event: UniversalEvent): string[] {
    const paint = this.#paint;
    switch (event.type) {
      case "session.started":
        return [paint("dim", event.data.resumed ? "the session was taken up again" : "a new session")];
      case "session.ended":
        return [paint("dim", `the session ended (${oneLine(event.data.reason)})`)];
      case "turn.started":
        return [paint("bold", `turn ${event.turn}`)];
      case "turn.ended":
        return this.#ended(event);
      case "item.started":
        return [];
      case "item.delta":
        return this.#delta(event);
      case "item.completed":
        return this.#completed(event.data.item);
      case "permission.requested":
        return [this.#asks(`permission: ${oneLine(event.data.title)}`, event.data.ask, "once|always|reject")];
      case "question.requested": {
        const { ask, questions } = event.data;
        const words = questions.map(({ question }) => oneLine(question)).join(" / ");
        return [this.#asks(`a question: ${words}`, ask, "once --answer TEXT")];
      }
      case "permission.resolved":
      case "question.resolved":
        return [paint("dim", `answered: ${event.data.outcome}`)];
      case "usage":
        return event.data.of === "turn" ? [paint("dim", usageWords(event))] : [];
      case "error":
        return [paint("red", `error: ${oneLine(event.data.message)}`)];
      case "unparsed":
        return [paint("dim", `not understood: ${oneLine(event.data.reason)}`)];
      default:
        return event satisfies never;
    }
  }

  #ended({ data: { reason, error, queued } }: Of<"turn.ended">): string[] {
    this.#shown.clear();
    this.#calls.clear();
    const style = { completed: "green", error: "red", aborted: "yellow", interrupted: "yellow" } as const;
    const because = error === null ? "" : ` (${oneLine(error)})`;
    const next = queued === 0 ? "" : `; ${count(queued, "prompt")} next`;
    return [this.#paint(style[reason], `the turn ended: ${reason}${because}${next}`)];
  }

  #asks(words: string, ask: string, answer: string): string {
    return this.#paint("yellow", `the agent asks for ${words}  [waybill answer ${oneLine(ask)} ${answer}]`);
  }

  #delta({ data: { item, part, kind, text } }: Of<"item.delta">): string[] {
    if (kind === "text" || kind === "reasoning") return this.#words(item, part, kind, text);
    const call = this.#calls.get(item.replace(/^result:/, "call:"));
    if (kind === "output" && call !== undefined) this.#status = `${call} … ${oneLine(text).slice(0, longestInput)}`;
    return [];
  }

  /** The lines that have become whole; the rest is the status. */
  #words(item: string, part: string, kind: Words["type"], text: string): string[] {
    const shown = this.#shownOf(item, part, kind);
    const lines = `${shown.line}${shown.broken ? text.replace(/^\n/, "") : text}`.split("\n");
    const line = lines.pop() ?? "";
    Object.assign(shown, { text: shown.text + text, line, broken: false });
    this.#shown.set(`${item}/${part}`, shown);
    this.#status = this.#styled(line, kind);
    return lines.map((one) => this.#styled(one, kind));
  }

  #shownOf(item: string, part: string, kind: Words["type"]): ShownWords {
    return this.#shown.get(`${item}/${part}`) ?? { item, kind, text: "", line: "", broken: false };
  }

  #styled(text: string, kind: Words["type"]): string {
    return kind === "reasoning" ? this.#paint("dim", printable(text)) : printable(text);
  }

  #completed(item: Item): string[] {
    switch (item.kind) {
      case "message":
        return item.role === "user" ? [this.#prompt(item)] : item.parts.flatMap((part) => this.#rest(item, part));
      case "tool_call":
        return this.#called(item);
      case "tool_result":
        return [this.#returned(item)];
      case "file_change":
        return item.parts.flatMap((part) =>
          part.type === "file" ? [this.#paint("cyan", `${part.change} ${oneLine(part.path)}`)] : [],
        );
      case "plan":
        return [this.#paint("dim", "the plan was changed")];
      case "status":
        return this.#statusOf(item);
      default:
        return item.kind satisfies never;
    }
  }

  /** What the ledger does is told by its own commands; here only how a message ended. */
  #statusOf({ name, status, parts: [part] }: Item): string[] {
    const style = status === "failed" ? "yellow" : "dim";
    if (name === attemptNote) return [];
    if (name !== deliveryNote || part?.type !== "json") return [this.#paint(style, oneLine(name ?? "status"))];
    const { message, status: how } = part.value as DeliveryEndNote;
    return [this.#paint(style, `message ${oneLine(message)}: ${oneLine(how)}`)];
  }

  #prompt({ parts }: Item): string {
    const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
    return `${this.#paint("cyan", "prompt:")} ${oneLine(text)}`;
  }

  /** What was not shown as it came. */
  #rest(item: Item, part: Part): string[] {
    if (part.type !== "text" && part.type !== "reasoning") return [];
    const { text, line, broken } = this.#shownOf(item.id, part.id, part.type);
    this.#shown.delete(`${item.id}/${part.id}`);
    const more = part.text.slice(text.length);
    // Some of it was missed in the middle, as by a slow reader: what was shown is not how it goes.
    if (more !== "" && !part.text.startsWith(text)) return this.#anew(line, part);
    const words = line + (broken ? more.replace(/^\n/, "") : more);
    return words === "" ? [] : words.split("\n").map((one) => this.#styled(one, part.type));
  }

  #anew(line: string, { type, text }: Words): string[] {
    const above = line === "" ? [] : [this.#styled(line, type)];
    const again = this.#paint("dim", "some of this was missed; the whole of it:");
    return [...above, again, ...text.split("\n").map((one) => this.#styled(one, type))];
  }

  #called(item: Item): string[] {
    const [part] = item.parts;
    const input = part?.type === "tool_call" ? oneLine(JSON.stringify(part.input) ?? "") : "";
    const words = `${oneLine(item.name ?? "tool")} ${input.slice(0, longestInput)}`;
    this.#calls.set(item.id, words);
    this.#status = `${words} …`;
    return [];
  }

  #returned(item: Item): string {
    const [part] = item.parts;
    const call = this.#calls.get(item.parent ?? "") ?? oneLine(item.name ?? "tool");
    this.#calls.delete(item.parent ?? "");
    if (part?.type !== "tool_result" || !part.isError) return `${this.#paint("green", "done")} ${call}`;
    if (part.rejected) return `${this.#paint("yellow", "refused")} ${call}`;
    return `${this.#paint("red", "failed")} ${call}: ${oneLine(part.output).slice(0, 2 * longestInput)}`;
  }
}

function usageWords({ data: { tokens, cost } }: Of<"usage">): string {
  const used = `${tokens.input + tokens.cacheRead + tokens.cacheWrite} tokens in, ${tokens.output} out`;
  return cost === null ? used : `${used}, $${cost.toFixed(4)}`;
}
