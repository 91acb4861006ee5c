/**
 * Reserves a port for a server that starts later or restarts on the same port. The system hands out ephemeral ports again
 * as soon as they are free, so this one is below that range. To reserve it, a test binds the UDP port of the same number,
 * which no other test can then bind. The reservation ends with the process, however that exits.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";

const [lowest, highest] = [10_000, 30_000];
const host = "127.0.0.1";

export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if ((await keep(port)) && (await isFree(port))) return port;
  }
}

async function keep(port: number): Promise<boolean> {
  const socket = createSocket("udp4").unref();
  try {
    socket.bind({ port, address: host, exclusive: true });
    await once(socket, "listening");
    return true;
  } catch {
    socket.close();
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
