/** `/files`: lists the files that the agent created or changed in this workspace, or sends one of them. */
import { relative } from "node:path";
import { row } from "../outgoing/say.ts";
import type { ChangedFile } from "../workspace-files/changed-files.ts";
import { changedFiles, presentFiles } from "../workspace-files/changed-files.ts";
import { sendableFile } from "../workspace-files/sendable-file.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";
import { laneOfCall } from "./topic-lane.ts";

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

export function filesText(changed: readonly Pick<ChangedFile, "path" | "change">[], directory: string): string {
  if (changed.length === 0) return "The agent program reports no changed files here. `/files PATH` sends any file.";
  const lines = changed.slice(0, maxListed).map(({ path, change }, index) => {
    return `${index + 1}. \`${relative(directory, path) || path}\`${change === "added" ? " (new)" : ""}`;
  });
  const more = changed.length > maxListed ? [`… and ${changed.length - maxListed} more.`] : [];
  return [...lines, ...more, "", "`/files N` or `/files PATH` sends one."].join("\n");
}
