/** The content of a prompt, and how it is submitted. The server's answer proves nothing: a prompt counts as accepted when its message is stored. */

import { messageOf } from "../../platform/app-error.ts";
import type { Clock } from "../../platform/clock.ts";
import { fileText, readFiles } from "../model-files.ts";
import type { Prompt, SubmitOutcome } from "../port.ts";
import type { AgentSelection } from "./arguments.ts";
import type { OpencodeApi, PromptPart } from "./client/api.ts";
import { OpencodeError } from "./client/api.ts";

export type PromptSettings = AgentSelection & { system?: string };

/** The server answers before it stores the message. */
const storeTimeoutMs = 3000;
const storePollMs = 50;

export async function sendPrompt(
  { api, clock }: { api: OpencodeApi; clock: Clock },
  prompt: Prompt,
  settings: PromptSettings,
  signal: AbortSignal,
): Promise<SubmitOutcome> {
  const { sessionId, messageId } = prompt;
  try {
    const body = { messageID: messageId, parts: await promptParts(prompt), ...settings };
    await api.prompt(sessionId, body, signal);
  } catch (error) {
    signal.throwIfAborted();
    return outcomeOf(error);
  }
  const deadline = clock.now() + storeTimeoutMs;
  while (!(await api.message(sessionId, messageId, signal))) {
    if (clock.now() >= deadline) return { outcome: "unknown", reason: "prompt_not_stored_yet" };
    await new Promise<void>((resolve) => void clock.at(clock.now() + storePollMs, resolve));
  }
  return { outcome: "accepted" };
}

function outcomeOf(error: unknown): SubmitOutcome {
  const reason = messageOf(error);
  if (!(error instanceof OpencodeError)) return { outcome: "not_sent", reason };
  // If the session no longer exists, the next read reports it as stale.
  if (error.status === 400) return { outcome: "refused", reason };
  return error.status === 0 || error.status >= 500 ? { outcome: "unknown", reason } : { outcome: "not_sent", reason };
}

/** The parts of a prompt: its text, and one part per file. The same prompt always has the same ids. */
export async function promptParts({ partId, text, attachments }: Prompt): Promise<PromptPart[]> {
  const files = await readFiles(attachments);
  return [
    { id: partId, type: "text", text },
    ...files.map((file, index): PromptPart => {
      // OpenCode orders parts by id, so the ids of files begin with the id of the text.
      const id = `${partId}${String(index + 1).padStart(2, "0")}`;
      // OpenCode would turn a text file into new parts each time it is sent.
      if (file.kind === "text") return { id, type: "text", text: fileText(file), synthetic: true };
      const url = `data:${file.mimeType};base64,${file.base64}`;
      return { id, type: "file", mime: file.mimeType, filename: file.name, url };
    }),
  ];
}
