/**
 * A port for a server that is started later, or that is to come back at the same place: nobody else gets it meanwhile.
 * One that a system gives out by itself would be given to the next who asks as soon as it is free again, so this one is
 * below those; and a test that has it keeps the port of the same number that datagrams have, which no other test can
 * take then. That ends with its process, however it ends.
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
