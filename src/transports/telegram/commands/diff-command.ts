/** `/diff`: shows what the agent changed in its last turn, or `git diff` if the agent program reports no diffs. */

import { changesIn } from "../../../service/workspace/git-changes.ts";
import { row } from "../outgoing/say.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { diffFence } from "../text/fence.ts";
import { changedFiles, lastTurnChanges } from "../workspace-files/changed-files.ts";
import { diffOf } from "../workspace-files/diff-text.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer, both } from "./command.ts";
import { count } from "./status-text.ts";
import { laneOfCall } from "./topic-lane.ts";

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
  return both({ outbox: [file] }, {});
}
