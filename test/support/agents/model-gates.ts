/** A proxy between an agent and its model that holds the model's output before a certain word until a test releases it. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";

type Gate = { reached: Promise<void>; reach: () => void; opened: Promise<void>; open: () => void };

export class ModelGates {
  readonly #server = createServer((request, response) => this.#passOn(request, response));
  readonly #target: string;
  readonly #gates = new Map<string, Gate>();
  url = "";

  constructor(target: string) {
    this.#target = target;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** The word must come in one piece of the model's stream. */
  holdBefore(...words: string[]): void {
    for (const word of words) {
      let [reach, open] = [() => {}, () => {}];
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      this.#gates.set(word, { reached, reach, opened, open });
    }
  }

  /** Resolves when the model is about to say the word. */
  async reached(word: string): Promise<void> {
    await this.#gates.get(word)?.reached;
  }

  letPass(word: string): void {
    this.#gates.get(word)?.open();
  }

  async close(): Promise<void> {
    for (const { open } of this.#gates.values()) open();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #passOn(request: IncomingMessage, response: ServerResponse): void {
    const { method, url, headers } = request;
    const asked = httpRequest(new URL(url ?? "/", this.#target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      this.#write(answer, response).catch(() => response.destroy());
    });
    asked.once("error", () => response.destroy());
    request.pipe(asked);
  }

  async #write(answer: IncomingMessage, response: ServerResponse): Promise<void> {
    let rest = "";
    for await (const chunk of answer.setEncoding("utf8")) {
      const frames = `${rest}${chunk}`.split(/(?<=\n\n)/);
      rest = frames.at(-1)?.endsWith("\n\n") ? "" : (frames.pop() ?? "");
      for (const frame of frames) {
        await this.#pass(frame);
        response.write(frame);
      }
    }
    response.end(rest);
  }

  async #pass(frame: string): Promise<void> {
    for (const [word, gate] of this.#gates) {
      if (!frame.includes(word)) continue;
      gate.reach();
      await gate.opened;
    }
  }
}
