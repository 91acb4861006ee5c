/** Formats a lane's turns as lines: streamed text, a line for each tool, asks, errors, and how the turn ended. */
import type { UniversalEvent } from "../../client/index.ts";
import type { DeliveryEndNote, RetryNote } from "../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote, retryNote } from "../../core/turn/delivery-notes.ts";
import { inParentheses, oneLine, pluralized } from "./format.ts";
import type { Paint } from "./terminal.ts";
import { printable } from "./terminal.ts";

/** Lines that stay, and the status below them. */
type TurnOutput = { lines: string[]; status: string };

type EventOf<T extends UniversalEvent["type"]> = Extract<UniversalEvent, { type: T }>;
type Item = EventOf<"item.completed">["data"]["item"];
type Part = Item["parts"][number];
type TextPart = Extract<Part, { type: "text" | "reasoning" }>;

type StreamedText = {
  item: string;
  kind: TextPart["type"];
  text: string;
  /** The last line, which is not complete yet. */
  line: string;
  /** Something else had to be shown mid-line, so the line was ended there. */
  interrupted: boolean;
};

const maxInputLength = 100;

export class TurnLines {
  readonly #paint: Paint;
  /** The text parts of open messages, as shown until now. */
  readonly #streamed = new Map<string, StreamedText>();
  /** The running tools, with their input. */
  readonly #calls = new Map<string, string>();
  #status = "";

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  add(event: UniversalEvent): TurnOutput {
    this.#status = "";
    // The events of a subagent are indented.
    const indent = event.nativeSession === undefined ? "" : "  ";
    const lines = this.#lines(event);
    const above = lines.length > 0 && event.type !== "item.delta" ? this.#interrupt(event) : [];
    return { lines: [...above, ...lines.map((line) => `${indent}${line}`)], status: this.#status };
  }

  /** Ends the incomplete lines of other items before another line is shown. */
  #interrupt(event: UniversalEvent): string[] {
    const own = event.type === "item.completed" ? event.data.item.id : null;
    const open = [...this.#streamed.values()].filter(({ item, line }) => item !== own && line !== "");
    return open.map((streamed) => {
      const { line, kind } = streamed;
      Object.assign(streamed, { line: "", interrupted: true });
      return this.#styled(line, kind);
    });
  }

  #lines(event: UniversalEvent): string[] {
    const paint = this.#paint;
    switch (event.type) {
      case "session.started":
        return [paint("dim", event.data.resumed ? "the session was resumed" : "a new session")];
      case "session.ended":
        return [paint("dim", `the session ended${inParentheses(event.data.reason)}`)];
      case "turn.started":
        return [paint("bold", `turn ${event.turn}`)];
      case "turn.ended":
        return this.#turnEnded(event);
      case "item.started":
        return [];
      case "item.delta":
        return this.#delta(event);
      case "item.completed":
        return this.#completed(event.data.item);
      case "permission.requested":
        return [this.#ask(`permission: ${oneLine(event.data.title)}`, event.data.ask, "once|always|reject")];
      case "question.requested": {
        const { ask, questions } = event.data;
        const text = questions.map(({ question }) => oneLine(question)).join(" / ");
        return [this.#ask(`a question: ${text}`, ask, "once --answer TEXT")];
      }
      case "permission.resolved":
      case "question.resolved":
        return [paint("dim", `answered: ${event.data.outcome}`)];
      case "usage":
        return event.data.of === "turn" ? [paint("dim", usageText(event))] : [];
      case "error":
        return [paint("red", `error: ${oneLine(event.data.message)}`)];
      case "unparsed":
        return [paint("dim", `could not be parsed: ${oneLine(event.data.reason)}`)];
      default:
        return event satisfies never;
    }
  }

  #turnEnded({ data: { reason, error, queued } }: EventOf<"turn.ended">): string[] {
    this.#streamed.clear();
    this.#calls.clear();
    const style = { completed: "green", error: "red", aborted: "yellow", interrupted: "yellow" } as const;
    const next = queued === 0 ? "" : `; ${pluralized(queued, "prompt")} next`;
    return [this.#paint(style[reason], `the turn ended: ${reason}${inParentheses(error)}${next}`)];
  }

  #ask(text: string, ask: string, answer: string): string {
    return this.#paint("yellow", `the agent asks for ${text}  [waybill answer ${oneLine(ask)} ${answer}]`);
  }

  #delta({ data: { item, part, kind, text } }: EventOf<"item.delta">): string[] {
    if (kind === "text" || kind === "reasoning") return this.#appendText(item, part, kind, text);
    const call = this.#calls.get(item.replace(/^result:/, "call:"));
    if (kind === "output" && call !== undefined) this.#status = `${call} … ${oneLine(text).slice(0, maxInputLength)}`;
    return [];
  }

  /** Returns the lines that are complete now; the incomplete one is the status. */
  #appendText(item: string, part: string, kind: TextPart["type"], text: string): string[] {
    const streamed = this.#streamedText(item, part, kind);
    const lines = `${streamed.line}${streamed.interrupted ? text.replace(/^\n/, "") : text}`.split("\n");
    const line = lines.pop() ?? "";
    this.#streamed.set(`${item}/${part}`, { ...streamed, text: streamed.text + text, line, interrupted: false });
    this.#status = this.#styled(line, kind);
    return lines.map((one) => this.#styled(one, kind));
  }

  #streamedText(item: string, part: string, kind: TextPart["type"]): StreamedText {
    return this.#streamed.get(`${item}/${part}`) ?? { item, kind, text: "", line: "", interrupted: false };
  }

  #styled(text: string, kind: TextPart["type"]): string {
    return kind === "reasoning" ? this.#paint("dim", printable(text)) : printable(text);
  }

  #completed(item: Item): string[] {
    switch (item.kind) {
      case "message":
        return item.role === "user" ? [this.#prompt(item)] : item.parts.flatMap((part) => this.#remainder(item, part));
      case "tool_call":
        return this.#toolCall(item);
      case "tool_result":
        return [this.#toolResult(item)];
      case "file_change":
        return item.parts.flatMap((part) =>
          part.type === "file" ? [this.#paint("cyan", `${part.change} ${oneLine(part.path)}`)] : [],
        );
      case "plan":
        return [this.#paint("dim", "the plan was changed")];
      case "status":
        return this.#statusItem(item);
      default:
        return item.kind satisfies never;
    }
  }

  /** Of the ledger's notes, shows only retries and outcomes; `waybill watch` shows the rest. */
  #statusItem({ name, status, parts: [part] }: Item): string[] {
    const style = status === "failed" ? "yellow" : "dim";
    if (name === attemptNote) return [];
    if (name === retryNote && part?.type === "json") {
      const { message, reason, next } = part.value as RetryNote;
      const at = new Date(next).toLocaleTimeString();
      return [
        this.#paint("yellow", `message ${oneLine(message)} will be asked again at ${at}${inParentheses(reason)}`),
      ];
    }
    if (name !== deliveryNote || part?.type !== "json") return [this.#paint(style, oneLine(name ?? "status"))];
    const { message, status: outcome } = part.value as DeliveryEndNote;
    return [this.#paint(style, `message ${oneLine(message)}: ${oneLine(outcome)}`)];
  }

  #prompt({ parts }: Item): string {
    const text = parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
    return `${this.#paint("cyan", "prompt:")} ${oneLine(text)}`;
  }

  /** The text of a completed part that was not streamed. */
  #remainder(item: Item, part: Part): string[] {
    if (part.type !== "text" && part.type !== "reasoning") return [];
    const { text, line, interrupted } = this.#streamedText(item.id, part.id, part.type);
    this.#streamed.delete(`${item.id}/${part.id}`);
    const styledLines = (whole: string) => whole.split("\n").map((one) => this.#styled(one, part.type));
    const more = part.text.slice(text.length);
    if (more !== "" && !part.text.startsWith(text)) {
      // A delta was missed, for example by a slow reader, so the streamed text has a gap.
      const note = this.#paint("dim", "some of this was missed; here is all of it:");
      return [...(line === "" ? [] : styledLines(line)), note, ...styledLines(part.text)];
    }
    const rest = line + (interrupted ? more.replace(/^\n/, "") : more);
    return rest === "" ? [] : styledLines(rest);
  }

  #toolCall(item: Item): string[] {
    const [part] = item.parts;
    const input = part?.type === "tool_call" ? oneLine(JSON.stringify(part.input) ?? "") : "";
    const call = `${oneLine(item.name ?? "tool")} ${input.slice(0, maxInputLength)}`;
    this.#calls.set(item.id, call);
    this.#status = `${call} …`;
    return [];
  }

  #toolResult(item: Item): string {
    const [part] = item.parts;
    const call = this.#calls.get(item.parent ?? "") ?? oneLine(item.name ?? "tool");
    this.#calls.delete(item.parent ?? "");
    if (part?.type !== "tool_result" || !part.isError) return `${this.#paint("green", "done")} ${call}`;
    if (part.rejected) return `${this.#paint("yellow", "refused")} ${call}`;
    return `${this.#paint("red", "failed")} ${call}: ${oneLine(part.output).slice(0, 2 * maxInputLength)}`;
  }
}

function usageText({ data: { tokens, cost } }: EventOf<"usage">): string {
  const used = `${tokens.input + tokens.cacheRead + tokens.cacheWrite} tokens in, ${tokens.output} out`;
  return cost === null ? used : `${used}, $${cost.toFixed(4)}`;
}
