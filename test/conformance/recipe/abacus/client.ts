/** Speaks JSON-RPC with one Abacus process. Does no I/O. */
import type { Json } from "../../../../src/runtimes/json-fields.ts";
import type { AskAnswer } from "../../../../src/runtimes/port.ts";
import type { AgentClient, ClientConnection } from "../../../../src/runtimes/process-pool/agent-process.ts";
import type { AgentAsk } from "../../../../src/runtimes/process-pool/asks.ts";
import { RpcPeer } from "../../../../src/runtimes/process-pool/rpc-peer.ts";
import { askIn } from "./lines.ts";

export class AbacusClient implements AgentClient {
  readonly #connection: ClientConnection;
  readonly #rpc: RpcPeer;
  asks: (AgentAsk & { askedAt: number })[] = [];
  lastOutputAt: number | null = null;
  isWorking = false;

  constructor(connection: ClientConnection) {
    this.#connection = connection;
    this.#rpc = new RpcPeer({
      write: connection.write,
      onNotification: (method) => this.#notified(method),
      onRequest: ({ id, params }) => {
        this.asks.push({ ...askIn(id, params), askedAt: connection.now() });
        connection.onChange();
      },
    });
  }

  request(method: string, params?: Json): Promise<Json> {
    return this.#rpc.request(method, params);
  }

  async prompt(id: string, text: string): Promise<void> {
    this.isWorking = true;
    const { isKnown } = await this.request("prompt", { id, text });
    if (isKnown === true) this.isWorking = false;
  }

  receive(line: Json): void {
    this.#rpc.receive(line);
  }

  answer(askId: string, { decision, answers = [] }: AskAnswer): void {
    this.asks = this.asks.filter(({ id }) => id !== askId);
    this.#rpc.respond(askId, { decision, answers });
  }

  interrupt(): Promise<Json> {
    return this.request("stop");
  }

  end(reason: string): void {
    this.isWorking = false;
    this.asks = [];
    this.#rpc.end(reason);
    this.#connection.onChange();
  }

  #notified(method: string): void {
    this.lastOutputAt = this.#connection.now();
    if (method === "turn/ended") {
      this.isWorking = false;
      this.asks = [];
      this.#connection.onIdle();
    }
    this.#connection.onChange();
  }
}
