/**
 * Tracks one Claude Code process by the lines it prints: the prompts that it has queued and not finished, its asks, and
 * its responses to our requests. Does no I/O: lines come in through `receive` and go out through `write`.
 *
 * The program echoes a prompt only with the first output of the answer, so a prompt counts as queued when its lifecycle
 * line arrives. If the program already knows a prompt, it only echoes it.
 */
import { randomUUID } from "node:crypto";
import type { Json } from "../json-fields.ts";
import { asList, asObject, asText } from "../json-fields.ts";
import type { AskAnswer } from "../port.ts";
import type { AgentClient, ClientConnection } from "../process-pool/agent-process.ts";
import type { RpcFraming, RpcRequest } from "../process-pool/rpc-peer.ts";
import { RpcPeer } from "../process-pool/rpc-peer.ts";
import type { ToolAsk } from "./asks.ts";
import { askResponse, toolAskIn } from "./asks.ts";
import type { TurnResult } from "./lines.ts";
import { turnResult } from "./lines.ts";

/** The states of a prompt that the program has finished, with or without a turn. */
const endStates = new Set(["completed", "cancelled", "discarded", "refused"]);

/** Claude Code's own: control requests in both directions. Prompts are lines without a response. */
const controlFraming: RpcFraming = {
  newId: () => randomUUID(),
  read(line) {
    if (line.type === "control_request") {
      const id = asText(line.request_id);
      const params = asObject(line.request) ?? {};
      return id === null ? null : { type: "request", id, method: asText(params.subtype) ?? "", params };
    }
    if (line.type !== "control_response") return null;
    const { request_id, subtype, error, response } = asObject(line.response) ?? {};
    const id = asText(request_id) ?? "";
    if (subtype === "error") return { type: "response", id, error: { message: asText(error) ?? "refused" } };
    return { type: "response", id, result: asObject(response) ?? {} };
  },
  write(message) {
    if (message.type === "notification") return { type: message.method, ...message.params };
    const { id: request_id } = message;
    if (message.type === "request") {
      return { type: "control_request", request_id, request: { subtype: message.method, ...message.params } };
    }
    const response =
      "error" in message
        ? { subtype: "error", request_id, error: message.error.message }
        : { subtype: "success", request_id, response: message.result };
    return { type: "control_response", response };
  },
};

export class StdioClient implements AgentClient {
  readonly #connection: ClientConnection;
  readonly #onResult: (result: TurnResult) => void;
  readonly #asks = new Map<string, ToolAsk & { askedAt: number }>();
  readonly #unfinished = new Set<string>();
  readonly #known = new Set<string>();
  /** Unfinished prompts that somebody else sent to the session. */
  readonly #others = new Set<string>();
  /** Prompts that the program has not queued yet. */
  readonly #awaited = new Map<string, () => void>();
  readonly #rpc: RpcPeer;
  #unprompted = false;
  #endReason: string | null = null;
  /**
   * The newest row that the program reported. The transcript file must contain it before the session counts as idle.
   */
  newestRow: string | null = null;
  lastOutputAt: number | null = null;
  /** The MCP servers that were unavailable to the newest turn. */
  missingServers: readonly string[] = [];

  constructor(connection: ClientConnection, onResult: (result: TurnResult) => void) {
    this.#connection = connection;
    this.#onResult = onResult;
    const { write } = connection;
    this.#rpc = new RpcPeer({ framing: controlFraming, write, onRequest: (request) => this.#askReceived(request) });
  }

  get isWorking(): boolean {
    return this.#endReason === null && (this.#unfinished.size > 0 || this.#others.size > 0 || this.#unprompted);
  }

  get asks(): readonly (ToolAsk & { askedAt: number })[] {
    return [...this.#asks.values()];
  }

  /** Resolves to true when the program has queued the prompt, to false when the program ended before that. */
  prompt(uuid: string, text: string, files: readonly Json[] = []): Promise<boolean> {
    if (this.#endReason !== null) return Promise.resolve(false);
    if (!this.#known.has(uuid)) this.#unfinished.add(uuid);
    const queued = new Promise<boolean>((resolve) => {
      this.#awaited.set(uuid, () => resolve(this.#endReason === null));
    });
    const message = { role: "user", content: [{ type: "text", text }, ...files] };
    this.#rpc.notify("user", { uuid, message });
    return queued;
  }

  /** A control request to the program itself. */
  request(subtype: string, params: Json = {}): Promise<Json> {
    return this.#rpc.request(subtype, params);
  }

  /** Reconnects an MCP server; the program itself tries only when it starts. */
  reconnect(serverName: string): Promise<Json> {
    return this.request("mcp_reconnect", { serverName });
  }

  interrupt(): Promise<Json> {
    return this.request("interrupt");
  }

  answer(askId: string, answer: AskAnswer): void {
    const ask = this.#asks.get(askId);
    if (!ask) return;
    this.#asks.delete(askId);
    this.#rpc.respond(askId, askResponse(ask, answer));
    this.#connection.onChange();
  }

  end(reason: string): void {
    this.#endReason = reason;
    this.#asks.clear();
    this.#unfinished.clear();
    for (const resolve of this.#awaited.values()) resolve();
    this.#awaited.clear();
    this.#rpc.end(reason);
    this.#connection.onChange();
  }

  receive(line: Json): void {
    const uuid = asText(line.uuid);
    switch (line.type) {
      case "system":
        if (line.subtype === "init") this.missingServers = serversMissingIn(line);
        return;
      case "command_lifecycle":
        return this.#lifecycle(asText(line.command_uuid) ?? "", asText(line.state) ?? "");
      case "user":
        if (line.isReplay === true && uuid !== null) return this.#promptQueued(uuid);
        if (line.parent_tool_use_id == null && uuid !== null && line.isSynthetic !== true) this.newestRow = uuid;
        return;
      case "assistant":
        if (line.parent_tool_use_id == null && uuid !== null) this.newestRow = uuid;
        return this.#outputReceived();
      case "stream_event":
        // Other events, such as a provider's ping, only show that the connection is alive.
        if (asObject(line.event)?.type === "content_block_delta") this.lastOutputAt = this.#connection.now();
        return this.#outputReceived();
      case "result":
        return this.#turnEnded(line);
      case "control_request":
      case "control_response":
        return this.#rpc.receive(line);
      case "control_cancel_request":
        if (this.#asks.delete(asText(line.request_id) ?? "")) this.#connection.onChange();
        return;
    }
  }

  /** Output without a prompt of ours means that the program started a turn on its own. */
  #outputReceived(): void {
    if (this.#unfinished.size === 0) this.#unprompted = true;
  }

  #lifecycle(uuid: string, state: string): void {
    if (state === "queued" || state === "started") return this.#promptTaken(uuid);
    if (!endStates.has(state)) return;
    this.#promptQueued(uuid);
    const wasOpen = this.#unfinished.delete(uuid);
    if (this.#others.delete(uuid) || wasOpen) this.#connection.onChange();
  }

  /** The program names a prompt from elsewhere, such as another Claude Code session, when its turn begins. */
  #promptTaken(uuid: string): void {
    const isOurs = this.#known.has(uuid) || this.#awaited.has(uuid);
    this.#promptQueued(uuid);
    if (isOurs) return;
    this.#others.add(uuid);
    this.#connection.onChange();
  }

  #promptQueued(uuid: string): void {
    this.#known.add(uuid);
    this.#awaited.get(uuid)?.();
    this.#awaited.delete(uuid);
  }

  #turnEnded(line: Json): void {
    const result = turnResult(line, this.#unfinished, this.#connection.now());
    this.#unprompted = false;
    this.#others.clear();
    for (const uuid of result.prompts) this.#unfinished.delete(uuid);
    this.#asks.clear();
    this.#onResult(result);
    this.#connection.onIdle();
    this.#connection.onChange();
  }

  #askReceived({ id, method, params }: RpcRequest): void {
    const ask = toolAskIn({ request_id: id, request: params });
    if (ask === null) return;
    // Without a response the program, or a tool server behind it, would wait forever. It looks for this exact text.
    if (method !== "can_use_tool") {
      return this.#rpc.refuse(id, { message: `Unsupported control request subtype: ${method}` });
    }
    this.#asks.set(ask.id, { ...ask, askedAt: this.#connection.now() });
    this.#connection.onChange();
  }
}

function serversMissingIn({ mcp_servers }: Json): string[] {
  return asList(mcp_servers).flatMap((one) => {
    const { name, status } = asObject(one) ?? {};
    return typeof name === "string" && status === "failed" ? [name] : [];
  });
}
