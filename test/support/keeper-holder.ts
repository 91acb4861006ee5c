/** Keeps an OpenCode server as a daemon would, until its input ends or it is killed. Says the address. */
import type { KeeperOptions } from "../../src/runtimes/opencode/server/server-keeper.ts";
import { ServerKeeper } from "../../src/runtimes/opencode/server/server-keeper.ts";

const keeper = new ServerKeeper(JSON.parse(process.argv[2] ?? "") as KeeperOptions);
process.stdout.write(`${JSON.stringify(await keeper.start())}\n`);
process.stdin.resume().once("end", () => keeper.close({ keep: true }));
