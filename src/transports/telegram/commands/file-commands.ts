/** What the agent changed in this workspace: `/diff` shows it, `/files` lists the files or sends one. */
import { relative } from "node:path";
import { changesIn } from "../../../service/workspace/git-changes.ts";
import { count } from "../outgoing/amounts.ts";
import { row } from "../outgoing/chat-row.ts";
import type { ChangedFile } from "../outgoing/workspace-files.ts";
import { changedFiles, diffOf, lastTurnChanges, presentFiles, sendableFile } from "../outgoing/workspace-files.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { diffFence } from "../text/fenced-blocks.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer, laneOfCall } from "./command.ts";

/** A longer diff is sent as a file. */
const maxInline = 3000;
const maxFile = 5_000_000;
const contextLines = 3;

export const diff: Command = {
  name: "diff",
  description: "Show what the agent changed",
  async run(call, context) {
    const { lane } = await laneOfCall(call, context);
    const changes = lastTurnChanges(await changedFiles(context.service, lane));
    const shown = diffOf(changes, lane.directory);
    if (shown !== null) return diffAnswer(call, "Changes from the last turn that changed files", shown);
    const committed = await gitDiff(lane.directory, context);
    if (committed !== "") return diffAnswer(call, "Changes since the last commit", committed);
    const names =
      changes.length > 0 ? ` ${count(changes.length, "file")} changed without a diff; /files lists them.` : "";
    return answer(call, `There is no diff to show.${names}`);
  },
};

async function gitDiff(directory: string, { service }: TelegramContext): Promise<string> {
  const changes = await changesIn(await service.workspace(directory), { mode: "git", context: contextLines });
  return changes.map(({ patch }) => patch ?? "").join("");
}

function diffAnswer(call: CommandCall, title: string, text: string): Handled {
  if (text.length <= maxInline) return answer(call, `${title}:\n\n${diffFence(text)}`);
  const { place, messageId } = call.message;
  const isCut = text.length > maxFile;
  const file = row(place, `diff:${call.update.id}`, {
    kind: "file",
    thread: place.thread,
    name: "changes.diff",
    source: { text: text.slice(0, maxFile) },
    caption: isCut ? `${title} (truncated)` : title,
    replyTo: messageId,
  });
  return { outbox: [file] };
}

const maxListed = 30;

export const files: Command = {
  name: "files",
  description: "List the files that the agent changed, or send one by number or path",
  async run(call, context) {
    const { service } = context;
    const { lane } = await laneOfCall(call, context);
    const changed = presentFiles(await changedFiles(service, lane));
    if (call.args === "") return answer(call, filesText(changed, lane.directory));
    const numbered = /^\d{1,6}$/.test(call.args) ? changed[Number(call.args) - 1] : undefined;
    const file = await sendableFile(numbered?.path ?? call.args, await service.workspace(lane.directory));
    const { place, messageId: replyTo } = call.message;
    const source = { path: file.path };
    const body = { kind: "file", thread: place.thread, name: file.name, source, replyTo } as const;
    return { outbox: [row(place, `file:${call.update.id}`, body)] };
  },
};

function filesText(changed: readonly Pick<ChangedFile, "path" | "change">[], directory: string): string {
  if (changed.length === 0) return "The agent program reports no changed files here. `/files PATH` sends any file.";
  const lines = changed.slice(0, maxListed).map(({ path, change }, index) => {
    return `${index + 1}. \`${relative(directory, path) || path}\`${change === "added" ? " (new)" : ""}`;
  });
  const more = changed.length > maxListed ? [`… and ${changed.length - maxListed} more.`] : [];
  return [...lines, ...more, "", "`/files N` or `/files PATH` sends one."].join("\n");
}
