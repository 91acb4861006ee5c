/** Keeps an OpenCode server running as a daemon would, until its input ends or it is killed. Prints the address. */
import type { ServerSupervisorOptions } from "../../../src/runtimes/opencode/server/server-supervisor.ts";
import { ServerSupervisor } from "../../../src/runtimes/opencode/server/server-supervisor.ts";

const supervisor = new ServerSupervisor(JSON.parse(process.argv[2] ?? "") as ServerSupervisorOptions);
process.stdout.write(`${JSON.stringify(await supervisor.start())}\n`);
process.stdin.resume().once("end", () => supervisor.close({ keep: true }));
