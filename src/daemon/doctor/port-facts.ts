/** Whether the daemon could listen where it is to listen, and who does if it could not. */
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { z } from "zod";
import { messageOf } from "../../app-error.ts";
import { daemonFilePath } from "../../home.ts";
import type { Config } from "../config/config.ts";
import type { PortFacts } from "./facts.ts";

export async function lookAtPort({ host, port, home }: Pick<Config, "host" | "port" | "home">): Promise<PortFacts> {
  const place = { host, port };
  const running = runningDaemon(home);
  if (running && (port === 0 || running.port === port)) return { ...place, state: "ours", pid: running.pid };
  if (port === 0) return { ...place, state: "any" };
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve({ ...place, state: "taken" });
      else resolve({ ...place, state: "refused", why: messageOf(error) });
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve({ ...place, state: "free" })));
  });
}

const daemonFile = z.object({
  url: z.url(),
  workerPid: z.int().positive().nullish(),
  supervisorPid: z.int().positive().nullish(),
});

/** What the daemon file says, as long as a process that it names is alive. */
function runningDaemon(home: string): { pid: number; port: number } | null {
  const parsed = daemonFile.safeParse(daemonFileContent(home));
  if (!parsed.success) return null;
  const { url, workerPid, supervisorPid } = parsed.data;
  const pid = [supervisorPid, workerPid].find((one) => typeof one === "number" && isAlive(one));
  return typeof pid === "number" ? { pid, port: Number(new URL(url).port || "80") } : null;
}

function daemonFileContent(home: string): unknown {
  try {
    return JSON.parse(readFileSync(daemonFilePath(home), "utf8"));
  } catch {
    // No daemon, or half a file: in both cases it names nobody.
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
