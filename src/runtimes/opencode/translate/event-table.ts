/**
 * How the translation handles each type of OpenCode event. A test compares the table with OpenCode's own types, so a new
 * version cannot add a type unnoticed.
 */

/** `duplicate`: another event with the same content is translated instead. `ignored`: not about a session's work. */
export type EventHandling = "translated" | "duplicate" | "ignored";

function each(handling: EventHandling, prefix: string, names: string): Record<string, EventHandling> {
  return Object.fromEntries(names.split(" ").map((name) => [`${prefix}${name}`, handling]));
}

export const eventHandling: Readonly<Record<string, EventHandling>> = {
  // Session events in the older form, which the translation uses.
  ...each("translated", "session.", "created deleted status idle error"),
  ...each("translated", "message.", "updated removed part.updated part.removed part.delta"),
  ...each("translated", "permission.", "asked replied"),
  ...each("translated", "question.", "asked replied rejected"),
  ...each("translated", "", "todo.updated command.executed"),
  // Title, usage totals, revert: not part of a turn.
  "session.updated": "ignored",
  // Repeats all changes since the session began. Tools and patches also name the message that made each change.
  "session.diff": "duplicate",
  // The transcript has it as a part of the prompt for the summary.
  "session.compacted": "duplicate",
  // The newer form of the same events. A session that is driven by the older API has both.
  ...each("duplicate", "session.next.", "agent.switched model.switched moved prompted prompt.admitted context.updated"),
  ...each("duplicate", "session.next.", "synthetic shell.started shell.ended step.started step.ended step.failed"),
  ...each("duplicate", "session.next.", "text.started text.delta text.ended"),
  ...each("duplicate", "session.next.", "reasoning.started reasoning.delta reasoning.ended"),
  ...each("duplicate", "session.next.", "tool.input.started tool.input.delta tool.input.ended"),
  ...each("duplicate", "session.next.", "tool.called tool.progress tool.success tool.failed retried"),
  ...each("duplicate", "session.next.", "compaction.started compaction.delta compaction.ended"),
  ...each("duplicate", "session.next.", "revert.staged revert.cleared revert.committed"),
  ...each("duplicate", "", "permission.v2.asked permission.v2.replied"),
  ...each("duplicate", "question.v2.", "asked replied rejected"),
  // About the server, a directory, a terminal or a screen.
  ...each("ignored", "", "models-dev.refreshed integration.updated integration.connection.updated catalog.updated"),
  ...each("ignored", "", "installation.updated installation.update-available file.edited file.watcher.updated"),
  ...each("ignored", "", "reference.updated plugin.added project.updated project.directories.updated"),
  ...each("ignored", "", "pty.created pty.updated pty.exited pty.deleted lsp.updated"),
  ...each("ignored", "tui.", "prompt.append command.execute toast.show session.select"),
  ...each("ignored", "", "mcp.tools.changed mcp.browser.open.failed vcs.branch.updated"),
  ...each("ignored", "", "workspace.ready workspace.failed workspace.status worktree.ready worktree.failed"),
  ...each("ignored", "", "server.connected server.instance.disposed global.disposed"),
  // Missing from OpenCode's types: a copy of each stored event, and the stream's heartbeat.
  sync: "duplicate",
  "server.heartbeat": "ignored",
};
