/** Another session of the real Claude Code that sends messages, with its own tool, to a session of the same home. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelScriptInput } from "@waybill/scripted-model";
import type { ClaudeLine, ClaudeProcess } from "./claude-process.ts";

/** Its start options. */
export const peerArguments = ["--allowedTools", "SendMessage"];

/** For the script of its model. */
export const peerRule: NonNullable<ModelScriptInput["rules"]>[number] = {
  when: "/^tell (\\S+): (.+)$/",
  steps: [
    { tools: [{ tool: "SendMessage", input: { to: "{{1}}", summary: "news", message: "{{2}}" } }] },
    { say: "{{result}}" },
  ],
};

/** Resolves when the other session has queued it. */
export async function tell(peer: ClaudeProcess, home: string, session: string, text: string): Promise<void> {
  const { result } = await peer.result(peer.prompt(`tell ${nameOf(home, session)}: ${text}`));
  if (JSON.parse(result).success !== true) throw new Error(`the message was not sent: ${result}`);
}

/** The name that other sessions use. A killed program leaves its file behind. */
function nameOf(home: string, session: string): string {
  const directory = join(home, ".claude", "sessions");
  const files = readdirSync(directory).filter((file) => file.endsWith(".json"));
  const open: ClaudeLine[] = files.map((file) => JSON.parse(readFileSync(join(directory, file), "utf8")));
  const [newest] = open
    .filter(({ sessionId }) => sessionId === session)
    .toSorted((one, other) => other.startedAt - one.startedAt);
  if (!newest) throw new Error(`no program has the session ${session}`);
  return newest.name;
}
