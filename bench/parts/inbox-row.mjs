/** A row as Claude Code writes it to a team's inbox: about 300 bytes as JSON without white space. */
import { randomUUID } from "node:crypto";

export function inboxRow() {
  return {
    from: "team-lead",
    text: "Please look at the test that fails on main since this morning, say in a sentence what is wrong, and fix it.",
    summary: "Failing test on main",
    timestamp: new Date().toISOString(),
    color: "blue",
    msgV: 1,
    msg_id: randomUUID(),
    type: "message",
    read: false,
  };
}
