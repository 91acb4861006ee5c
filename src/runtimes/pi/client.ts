/**
 * The client of one pi process in RPC mode: prompts, requests, asks, and the messages of the newest turn, which reach
 * the session file a moment later, or only with the first answer. Does no I/O: lines come in through `receive` and go
 * out through `write`.
 */
import type { Json } from "../json-fields.ts";
import { asObject, asText } from "../json-fields.ts";
import type { AskAnswer, SubmitOutcome } from "../port.ts";
import type { AgentClient, ClientConnection } from "../process-pool/agent-process.ts";
import type { RpcFraming, RpcMessage } from "../process-pool/rpc-peer.ts";
import { RpcError, RpcPeer } from "../process-pool/rpc-peer.ts";
import type { PiAsk } from "./asks.ts";
import { askIn, dialogResponse } from "./asks.ts";
import { gateStatus, missingToolsStatus, unreportedFailure } from "./extension/gate-protocol.ts";

/** pi's own: a command is an object with its name as type, and everything but a response is an event. */
const piFraming: RpcFraming = {
  newId: (count) => `waybill:${count}`,
  read(line) {
    const id = asText(line.id);
    if (line.type !== "response" || id === null) return null;
    if (line.success !== true) return { type: "response", id, error: { message: asText(line.error) ?? "" } };
    return { type: "response", id, result: asObject(line.data) ?? {} };
  },
  write: (message) => ("method" in message ? { type: message.method, ...message.params, ...idOf(message) } : message),
};

const idOf = (message: RpcMessage) => (message.type === "request" ? { id: message.id } : {});

export class RpcClient implements AgentClient {
  readonly #connection: ClientConnection;
  readonly #asks = new Map<string, PiAsk & { askedAt: number }>();
  readonly #rpc: RpcPeer;
  #turn = new TurnState();
  /** Whether a prompt was sent whose turn has not started yet. */
  #isPrompted = false;
  #hasEnded = false;
  /** The complete messages of the newest turn. */
  messages: Json[] = [];
  lastOutputAt: number | null = null;
  /** Whether Waybill's extension is loaded. */
  hasGate = false;
  /** Whether Waybill's own tools were unavailable to the newest turn. */
  lacksTools = false;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
    this.#rpc = new RpcPeer({ framing: piFraming, write: connection.write });
  }

  get isWorking(): boolean {
    return !this.#hasEnded && (this.#isPrompted || this.#turn.isWorking);
  }

  get isRetrying(): boolean {
    return this.isWorking && this.#turn.isRetrying;
  }

  get asks(): readonly (PiAsk & { askedAt: number })[] {
    return [...this.#asks.values()];
  }

  /** Resolves when pi has accepted or refused the prompt, or has ended. */
  async prompt(message: string, images: readonly Json[] = []): Promise<SubmitOutcome> {
    this.#isPrompted = true;
    try {
      await this.request("prompt", { message, ...(images.length > 0 && { images }) });
    } catch (error) {
      if (!(error instanceof RpcError)) return { outcome: "unknown", reason: "program_ended" };
      this.#promptHandled();
      return { outcome: "not_sent", reason: error.message || "pi did not accept the prompt" };
    }
    void this.#checkTurnStarted();
    return { outcome: "accepted" };
  }

  /** Rejects if pi refuses, or ends before it responds. */
  request(command: string, params: Json = {}): Promise<Json> {
    return this.#rpc.request(command, params);
  }

  /** Switches the idle process to another session. False if it refuses, or has lost its gate afterwards. */
  async switchSession(sessionPath: string): Promise<boolean> {
    this.messages = [];
    this.lastOutputAt = null;
    this.hasGate = false;
    this.lacksTools = false;
    // The translator also starts over with each session, and both have to reach the same result.
    this.#turn = new TurnState();
    const result = await this.request("switch_session", { sessionPath }).catch(() => null);
    return result !== null && result.cancelled !== true && this.hasGate;
  }

  answer(askId: string, answer: AskAnswer): void {
    const ask = this.#asks.get(askId);
    if (!ask) return;
    this.#asks.delete(askId);
    this.#connection.write(dialogResponse(ask, answer));
    this.#connection.onChange();
  }

  /** Also cancels the dialogs of other extensions, since the end of a turn does not. */
  interrupt(): Promise<Json | null> {
    for (const ask of this.#asks.values()) if (!ask.isOurs) this.#connection.write(dialogResponse(ask, null));
    this.#asks.clear();
    return this.request("abort").catch(() => null);
  }

  end(reason: string): void {
    this.#hasEnded = true;
    this.#asks.clear();
    this.messages = [];
    this.#rpc.end(reason);
    this.#connection.onChange();
  }

  receive(line: Json): void {
    const change = this.#turn.receive(line);
    if (change === "check") this.#connection.write({ type: "get_state", id: this.#turn.checkId });
    switch (line.type) {
      case "response":
        this.#rpc.receive(line);
        break;
      case "agent_start":
        this.#isPrompted = false;
        break;
      case "message_update":
        this.lastOutputAt = this.#connection.now();
        break;
      case "message_end":
        this.#addMessage(asObject(line.message) ?? {});
        break;
      case "agent_end":
        this.#agentEnded(line);
        break;
      case "extension_ui_request":
        this.#dialogReceived(line);
        break;
    }
    if (change === "idle") this.#turnEnded();
  }

  #turnEnded(): void {
    this.#asks.clear();
    this.#connection.onIdle();
    this.#connection.onChange();
  }

  #addMessage(message: Json): void {
    if (message.role === "user") this.messages = [];
    this.messages.push({ ...message, endedAt: this.#connection.now() });
    this.#connection.onChange();
  }

  #agentEnded(line: Json): void {
    const isKnown = ({ timestamp }: Json) => this.messages.some((one) => one.timestamp === timestamp);
    const failure = unreportedFailure(line, isKnown);
    if (failure) this.#addMessage(failure);
  }

  #dialogReceived(line: Json): void {
    if (line.method === "setStatus" && line.statusKey === gateStatus.key) this.hasGate = true;
    if (line.method === "setStatus" && line.statusKey === missingToolsStatus) {
      this.lacksTools = asText(line.statusText) !== null;
    }
    const ask = askIn(line);
    if (!ask) return;
    this.#asks.set(ask.id, { ...ask, askedAt: this.#connection.now() });
    this.#connection.onChange();
  }

  /** One of the user's extensions may have handled the prompt itself; then no turn follows. */
  async #checkTurnStarted(): Promise<void> {
    const state = await this.request("get_state").catch(() => null);
    if (this.#isPrompted && state?.isStreaming === false) this.#promptHandled();
  }

  #promptHandled(): void {
    this.#isPrompted = false;
    this.#connection.onChange();
  }
}

/**
 * Derives from pi's events whether it is working. `agent_end` does not end a turn: pi may retry after an error, or
 * compact and continue, and reports that only afterwards. So the client then requests pi's state, and the events before
 * the response count. The client and the translator see the same lines and reach the same result. No I/O.
 */
/** `check`: request pi's state with the id `checkId`. `idle`: the turn has ended. */
export type TurnChange = "check" | "idle" | null;

export class TurnState {
  #phase: "idle" | "working" | "ended" = "idle";
  #isCompacting = false;
  #checks = 0;
  /** Whether pi is waiting before it calls its model again. */
  isRetrying = false;

  get isWorking(): boolean {
    return this.#phase !== "idle" || this.#isCompacting;
  }

  get checkId(): string {
    return `rest:${this.#checks}`;
  }

  receive(line: Json): TurnChange {
    switch (line.type) {
      case "agent_start":
        this.#phase = "working";
        this.#isCompacting = false;
        this.isRetrying = false;
        return null;
      case "agent_end":
        this.#phase = "ended";
        return this.#check();
      case "auto_retry_start":
        this.isRetrying = true;
        return null;
      case "auto_retry_end":
        this.isRetrying = false;
        return this.#check();
      case "compaction_start":
        this.#isCompacting = true;
        return null;
      case "compaction_end":
        this.#isCompacting = line.willRetry === true;
        return this.#check();
      case "response":
        return line.id === this.checkId && asText(line.command) === "get_state" ? this.#stateReceived(line) : null;
      default:
        return null;
    }
  }

  #check(): TurnChange {
    this.#checks += 1;
    return "check";
  }

  #stateReceived(line: Json): TurnChange {
    if (this.#phase !== "ended" || this.isRetrying || this.#isCompacting) return null;
    // pi has reported the end and is about to stop.
    if (asObject(line.data)?.isStreaming === true) return this.#check();
    this.#phase = "idle";
    return "idle";
  }
}
