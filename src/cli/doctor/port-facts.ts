/** Whether the daemon could listen at its address, and which process does if it could not. */
import { createServer } from "node:net";
import { messageOf } from "../../app-error.ts";
import type { Config } from "../../daemon/config/config.ts";
import { readDaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import type { PortFacts } from "./facts.ts";

export async function inspectPort({ host, port, home }: Pick<Config, "host" | "port" | "home">): Promise<PortFacts> {
  const address = { host, port };
  const running = runningDaemon(home);
  if (running && (port === 0 || running.port === port)) return { ...address, state: "ours", pid: running.pid };
  if (port === 0) return { ...address, state: "any" };
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve({ ...address, state: "taken" });
      else resolve({ ...address, state: "refused", why: messageOf(error) });
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve({ ...address, state: "free" })));
  });
}

/** The daemon that the file names, as long as its process is alive. */
function runningDaemon(home: string): { pid: number; port: number | null } | null {
  const file = readDaemonFile(home);
  return file && isAlive(file.supervisorPid) ? { pid: file.supervisorPid, port: file.port } : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
