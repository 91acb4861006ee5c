/** The HTTP server. It can go down and come back on the same port, with its state intact. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ServerState, serve } from "./serve.ts";

export type LoopbackServer = { port: number; goDown(): Promise<void>; comeBack(): Promise<void> };

export async function startLoopbackServer(state: ServerState, wantedPort: number): Promise<LoopbackServer> {
  let server: Server | undefined = await listen(state, wantedPort);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async goDown() {
      const stopping = server;
      if (!stopping) return;
      server = undefined;
      const closed = new Promise((resolve) => stopping.close(resolve));
      stopping.closeAllConnections();
      await closed;
    },
    async comeBack() {
      server ??= await listen(state, port);
    },
  };
}

async function listen(state: ServerState, port: number): Promise<Server> {
  const server = createServer((request, response) => void serve(state, request, response));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}
