/** Receives what the tool in test/e2e/fixtures/mail-tools.mjs sends, on loopback, and puts it into Waybill's mailboxes. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PostMessage } from "../../../src/runtimes/port.ts";
import { freePort } from "../daemon/free-port.ts";

export type Sent = { to: string; text: string; relayOfMessageId: string; outcome?: string };

export class MailOffice {
  /** The error for the next message; null if it is accepted. */
  refusal: string | null = null;
  /** True: the next message is accepted, but its tool is told that it failed. */
  failsAfterwards = false;
  readonly sent: Sent[] = [];
  /** For files of a test. */
  readonly directory = mkdtempSync(join(tmpdir(), "waybill-mail-"));
  deliver: PostMessage = async () => {};
  address = "";
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Sent;
    const { refusal } = this;
    this.refusal = null;
    if (refusal !== null) return response.writeHead(503).end(refusal);
    this.sent.push(message);
    await this.deliver({ id: `sent-${this.sent.length}`, lane: "lane", summary: null, ...message });
    if (!this.failsAfterwards) return response.end('{"ok":true}');
    this.failsAfterwards = false;
    return response.writeHead(504).end("The connection was reset.");
  });

  async open(): Promise<this> {
    const port = await freePort();
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${port}`;
    return this;
  }

  /** The command of the MCP server that sends here. */
  get command(): [string, string, string] {
    return [
      process.execPath,
      fileURLToPath(new URL("../../e2e/fixtures/mail-tools.mjs", import.meta.url)),
      this.address,
    ];
  }

  async close(): Promise<void> {
    rmSync(this.directory, { recursive: true, force: true });
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
