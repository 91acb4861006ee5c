/** Whether the daemon could listen on its addresses, and if not, which process does. */
import { createServer } from "node:net";
import type { Config } from "../../daemon/config/config.ts";
import type { DaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import { readDaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import { messageOf } from "../../platform/app-error.ts";
import type { ConfiguredFacts, PortFacts } from "./facts.ts";

type PortConfig = Pick<Config, "host" | "port" | "home" | "opencodeApi">;

export async function inspectPorts(config: PortConfig): Promise<Pick<ConfiguredFacts, "port" | "opencodeApiPort">> {
  const { host, port, home, opencodeApi } = config;
  const file = runningDaemon(home);
  const running = (port: number | null) => (file && port !== null ? { pid: file.supervisorPid, port } : null);
  const apiUrl = file?.opencodeApiUrl ?? null;
  const apiPort = apiUrl === null ? null : Number(new URL(apiUrl).port);
  return {
    port: await inspectPort({ host, port }, running(file?.port ?? null)),
    opencodeApiPort: opencodeApi && (await inspectPort(opencodeApi, running(apiPort))),
  };
}

async function inspectPort(
  { host, port }: { host: string; port: number },
  running: { pid: number; port: number } | null,
): Promise<PortFacts> {
  const address = { host, port };
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

/** The daemon that the file names, if its process is alive. */
function runningDaemon(home: string): DaemonFile | null {
  const file = readDaemonFile(home);
  return file && isAlive(file.supervisorPid) ? file : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
