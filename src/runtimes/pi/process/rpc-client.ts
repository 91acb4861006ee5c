/**
 * What is said to one pi program and heard from it, in the words of its RPC mode: prompts, requests, asks, and the
 * messages of the newest turn, which reach its session file a moment later, or with the first answer only. No I/O of its
 * own: lines come in by `hear`, and go out by `write`.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import type { AskAnswer } from "../../port.ts";
import type { Talk } from "../../process-pool/agent-process.ts";
import { gateStatus } from "../extension/gate-protocol.ts";
import { unreportedFailure } from "../extension/unreported-failure.ts";
import type { PiAsk } from "./asks.ts";
import { answerTo, askIn } from "./asks.ts";
import { TurnWatch } from "./turn-state.ts";

export type TalkOptions = {
  write: (line: object) => void;
  now: () => number;
  onRest: () => void;
  /** Something happened that is worth a look. */
  onChange: () => void;
};

export type OpenAsk = PiAsk & { askedAt: number };

/** What became of a prompt: pi has it, does not take it, or is gone. */
export type Taken = { taken: true } | { taken: false; reason: string } | { gone: true };

export class RpcClient implements Talk {
  readonly #options: TalkOptions;
  #watch = new TurnWatch();
  readonly #asks = new Map<string, OpenAsk>();
  readonly #waiting = new Map<string, (response: Json | null) => void>();
  #count = 0;
  /** A prompt is on its way, and the turn that it starts was not heard yet. */
  #prompted = false;
  #over: string | null = null;
  /** The messages of the newest turn, as far as they are whole. */
  heard: Json[] = [];
  /** When the model was last heard: a long answer is in the file only when it is whole. */
  lastWordAt: number | null = null;
  /** Whether Waybill's extension runs inside. */
  hasGate = false;

  constructor(options: TalkOptions) {
    this.#options = options;
  }

  get isWorking(): boolean {
    return this.#over === null && (this.#prompted || this.#watch.isWorking);
  }

  get isRetrying(): boolean {
    return this.isWorking && this.#watch.retries;
  }

  get asks(): readonly OpenAsk[] {
    return [...this.#asks.values()];
  }

  /** Resolves when pi has taken the prompt, or has not. */
  async prompt(message: string): Promise<Taken> {
    this.#prompted = true;
    const response = await this.request({ type: "prompt", message });
    if (response === null) return { gone: true };
    if (response.success !== true) {
      this.#prompted = false;
      this.#options.onChange();
      return { taken: false, reason: asText(response.error) ?? "pi did not take the prompt" };
    }
    void this.#checkThatItRuns();
    return { taken: true };
  }

  /** Its answer, or null when it is gone before. */
  request(command: Json): Promise<Json | null> {
    if (this.#over !== null) return Promise.resolve(null);
    this.#count += 1;
    const id = `waybill:${this.#count}`;
    const answered = new Promise<Json | null>((resolve) => this.#waiting.set(id, resolve));
    this.#options.write({ ...command, id });
    return answered;
  }

  /** Into another session, at rest. False when it does not go there, or is without its gate then. */
  async moveTo(sessionPath: string): Promise<boolean> {
    this.heard = [];
    this.lastWordAt = null;
    this.hasGate = false;
    // Whoever translates the lines begins anew with a session, and has to come to the same result.
    this.#watch = new TurnWatch();
    const response = await this.request({ type: "switch_session", sessionPath });
    return response?.success === true && asObject(response.data)?.cancelled !== true && this.hasGate;
  }

  answer(ask: PiAsk, answer: AskAnswer): void {
    this.#asks.delete(ask.id);
    this.#options.write(answerTo(ask, answer));
    this.#options.onChange();
  }

  /** What somebody else's extension asks is not ended by the end of a turn. */
  takeBackAsks(): void {
    for (const ask of this.#asks.values()) if (!ask.isOurs) this.#options.write(answerTo(ask, null));
    this.#asks.clear();
  }

  end(how: string): void {
    this.#over = how;
    this.#asks.clear();
    this.heard = [];
    for (const resolve of this.#waiting.values()) resolve(null);
    this.#waiting.clear();
    this.#options.onChange();
  }

  hear(line: Json): void {
    const watched = this.#watch.hear(line);
    if (watched === "ask") this.#options.write({ type: "get_state", id: this.#watch.askId });
    switch (line.type) {
      case "response":
        this.#response(line);
        break;
      case "agent_start":
        this.#prompted = false;
        break;
      case "message_update":
        this.lastWordAt = this.#options.now();
        break;
      case "message_end":
        this.#message(asObject(line.message) ?? {});
        break;
      case "agent_end":
        this.#ended(line);
        break;
      case "extension_ui_request":
        this.#dialog(line);
        break;
    }
    if (watched === "rests") this.#rests();
  }

  #rests(): void {
    this.#asks.clear();
    this.#options.onRest();
    this.#options.onChange();
  }

  #message(message: Json): void {
    if (message.role === "user") this.heard = [];
    this.heard.push({ ...message, endedAt: this.#options.now() });
    this.#options.onChange();
  }

  #ended(line: Json): void {
    const failure = unreportedFailure(line, ({ timestamp }) => this.heard.some((one) => one.timestamp === timestamp));
    if (failure) this.#message(failure);
  }

  #dialog(line: Json): void {
    if (line.method === "setStatus" && line.statusKey === gateStatus.key) this.hasGate = true;
    const ask = askIn(line);
    if (!ask) return;
    this.#asks.set(ask.id, { ...ask, askedAt: this.#options.now() });
    this.#options.onChange();
  }

  #response(line: Json): void {
    const id = asText(line.id) ?? "";
    this.#waiting.get(id)?.(line);
    this.#waiting.delete(id);
  }

  /** An extension of the user's may have dealt with the prompt by itself, and then no turn follows. */
  async #checkThatItRuns(): Promise<void> {
    const state = asObject((await this.request({ type: "get_state" }))?.data) ?? {};
    if (!this.#prompted || state.isStreaming !== false) return;
    this.#prompted = false;
    this.#options.onChange();
  }
}
