/**
 * What becomes of each type of event that OpenCode knows. The compiler holds the table against the program's own types,
 * so that a new version cannot bring one that nobody looked at.
 */
import type { Event } from "@opencode-ai/sdk/v2/types";

/**
 * `said`: it is translated. `doubled`: another event says the same, and only that one is taken. `not_told`: it is not
 * about what an agent does in its session.
 */
export type Becomes = "said" | "doubled" | "not_told";

/** Of the session, in its older form: these are what the translation is made from. */
const sessionEvents = {
  "session.created": "said",
  "session.deleted": "said",
  "session.status": "said",
  "session.idle": "said",
  "session.error": "said",
  "message.updated": "said",
  "message.removed": "said",
  "message.part.updated": "said",
  "message.part.removed": "said",
  "message.part.delta": "said",
  "permission.asked": "said",
  "permission.replied": "said",
  "question.asked": "said",
  "question.replied": "said",
  "question.rejected": "said",
  "todo.updated": "said",
  "command.executed": "said",
  // Title, sums of usage, revert: nothing of a turn.
  "session.updated": "not_told",
  // All changes since the session began, over and over; tools and patches say which message made them.
  "session.diff": "doubled",
  // A part of the prompt for the summary says it, and stands in the transcript.
  "session.compacted": "doubled",
} as const satisfies Partial<Record<Event["type"], Becomes>>;

/** The newer form of the same session; what it tells of one that the older API drives stands in the older events. */
const nextEvents = {
  "session.next.agent.switched": "doubled",
  "session.next.model.switched": "doubled",
  "session.next.moved": "doubled",
  "session.next.prompted": "doubled",
  "session.next.prompt.admitted": "doubled",
  "session.next.context.updated": "doubled",
  "session.next.synthetic": "doubled",
  "session.next.shell.started": "doubled",
  "session.next.shell.ended": "doubled",
  "session.next.step.started": "doubled",
  "session.next.step.ended": "doubled",
  "session.next.step.failed": "doubled",
  "session.next.text.started": "doubled",
  "session.next.text.delta": "doubled",
  "session.next.text.ended": "doubled",
  "session.next.reasoning.started": "doubled",
  "session.next.reasoning.delta": "doubled",
  "session.next.reasoning.ended": "doubled",
  "session.next.tool.input.started": "doubled",
  "session.next.tool.input.delta": "doubled",
  "session.next.tool.input.ended": "doubled",
  "session.next.tool.called": "doubled",
  "session.next.tool.progress": "doubled",
  "session.next.tool.success": "doubled",
  "session.next.tool.failed": "doubled",
  "session.next.retried": "doubled",
  "session.next.compaction.started": "doubled",
  "session.next.compaction.delta": "doubled",
  "session.next.compaction.ended": "doubled",
  "session.next.revert.staged": "doubled",
  "session.next.revert.cleared": "doubled",
  "session.next.revert.committed": "doubled",
  "permission.v2.asked": "doubled",
  "permission.v2.replied": "doubled",
  "question.v2.asked": "doubled",
  "question.v2.replied": "doubled",
  "question.v2.rejected": "doubled",
} as const satisfies Partial<Record<Event["type"], Becomes>>;

/** Of the server, a directory, a terminal or a screen. */
const otherEvents = {
  "models-dev.refreshed": "not_told",
  "integration.updated": "not_told",
  "integration.connection.updated": "not_told",
  "catalog.updated": "not_told",
  "installation.updated": "not_told",
  "installation.update-available": "not_told",
  "file.edited": "not_told",
  "file.watcher.updated": "not_told",
  "reference.updated": "not_told",
  "plugin.added": "not_told",
  "project.updated": "not_told",
  "project.directories.updated": "not_told",
  "pty.created": "not_told",
  "pty.updated": "not_told",
  "pty.exited": "not_told",
  "pty.deleted": "not_told",
  "lsp.updated": "not_told",
  "tui.prompt.append": "not_told",
  "tui.command.execute": "not_told",
  "tui.toast.show": "not_told",
  "tui.session.select": "not_told",
  "mcp.tools.changed": "not_told",
  "mcp.browser.open.failed": "not_told",
  "vcs.branch.updated": "not_told",
  "workspace.ready": "not_told",
  "workspace.failed": "not_told",
  "workspace.status": "not_told",
  "worktree.ready": "not_told",
  "worktree.failed": "not_told",
  "server.connected": "not_told",
  "server.instance.disposed": "not_told",
  "global.disposed": "not_told",
} as const satisfies Partial<Record<Event["type"], Becomes>>;

const known = { ...sessionEvents, ...nextEvents, ...otherEvents } satisfies Record<Event["type"], Becomes>;

export const eventTable: Readonly<Record<string, Becomes>> = {
  ...known,
  // Not among the program's types: each stored event a second time, and the sign of life of the stream.
  sync: "doubled",
  "server.heartbeat": "not_told",
};
