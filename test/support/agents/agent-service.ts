/** An in-memory service for agents' tools: two members of one team, who write to each other and to a person. */
import { AppError } from "../../../src/platform/app-error.ts";
import type {
  AgentMail,
  AgentMessage,
  AgentService,
  Caller,
  MemberView,
  SentState,
  TeamView,
} from "../../../src/service/agent-service.ts";

export const tomsToken = "the-token-of-tom";
export const annasToken = "the-token-of-anna";

export type TestAgents = AgentService & {
  /** By token; deleting an entry removes the member. */
  members: Map<string, string>;
  mails: AgentMail[];
  /** The number of current waits. */
  waiting: number;
  heartbeats: string[];
  /** Ends a message without an answer. */
  fail(messageId: string, reason: string): void;
  /** Runs before a send is executed. */
  beforeSend: () => void;
};

export function testAgents(): TestAgents {
  const failures = new Map<string, string>();
  const changed = new Set<() => void>();
  const change = () => {
    for (const look of [...changed]) look();
  };
  const agents: TestAgents = {
    members: new Map([
      [tomsToken, "tom"],
      [annasToken, "anna"],
    ]),
    mails: [],
    waiting: 0,
    heartbeats: [],
    beforeSend: () => {},
    fail(messageId, reason) {
      failures.set(messageId, reason);
      change();
    },
    async callerOf(token) {
      const member = agents.members.get(token);
      return member === undefined ? null : { kind: "member", team: "core", member };
    },
    async send(caller, message) {
      agents.beforeSend();
      const to = recipient(message.to);
      return deliver(nameOf(caller), to, message);
    },
    async list(caller, { box, unreadOnly, limit }) {
      const own = agents.mails.filter((mail) => (box === "sent" ? mail.from : mail.to) === nameOf(caller));
      return own.filter(({ isRead }) => !(unreadOnly && isRead)).slice(-limit);
    },
    async wait(caller, messageId, signal) {
      const sent = agents.mails.find(({ id, from }) => id === messageId && from === nameOf(caller));
      if (!sent) throw unknownMessage(messageId);
      agents.waiting += 1;
      try {
        return await new Promise<SentState>((resolve) => {
          const look = () => {
            const state = stateOf(messageId);
            if (state.state === "waiting" && !signal.aborted) return;
            changed.delete(look);
            signal.removeEventListener("abort", look);
            resolve(state);
          };
          changed.add(look);
          signal.addEventListener("abort", look);
          look();
        });
      } finally {
        agents.waiting -= 1;
      }
    },
    async briefing(caller) {
      const open = agents.mails.filter(({ id, to }) => to === nameOf(caller) && repliesTo(id).length === 0);
      return { you: memberView(nameOf(caller)), team: team(), open };
    },
    teams: async () => [team()],
    notifyPerson: async (caller, { person = "user", ...note }) =>
      deliver(nameOf(caller), person, { to: person, ...note }),
    async checkIn(caller) {
      await agents.heartbeat(caller);
      return agents.briefing(caller);
    },
    async heartbeat(caller) {
      agents.heartbeats.push(nameOf(caller));
    },
  };

  function deliver(from: string, to: string, message: AgentMessage) {
    const known = agents.mails.find((mail) => mail.from === from && mail.to === to && mail.text === message.text);
    const id = known?.id ?? `m${agents.mails.length + 1}`;
    if (!known) agents.mails.push(mailOf(id, from, to, message));
    change();
    return { messageId: id, to, known: known !== undefined, waits: null };
  }

  function repliesTo(id: string): AgentMail[] {
    return agents.mails.filter(({ relayOfMessageId }) => relayOfMessageId === id);
  }

  function stateOf(messageId: string): SentState {
    const replies = repliesTo(messageId);
    const failure = failures.get(messageId);
    if (failure !== undefined) return { messageId, state: "failed", reason: failure, replies };
    const answered = replies.some(({ outcome }) => outcome !== "progress");
    return {
      messageId,
      state: answered ? "answered" : "waiting",
      reason: answered ? null : "anna is working.",
      replies,
    };
  }

  function recipient(to: string): string {
    const name = to.replace(/^core\//, "");
    if (name === "user" || [...agents.members.values()].includes(name)) return name;
    throw new AppError({
      code: "member_unknown",
      message: `Unknown recipient ${JSON.stringify(to)}.`,
      hint: "team_list shows whom you can write to.",
    });
  }

  function team(): TeamView {
    const members = [...agents.members.values()].map(memberView);
    return { name: "core", displayName: "Core", state: "active", members };
  }
  return agents;
}

function mailOf(id: string, from: string, to: string, message: AgentMessage): AgentMail {
  const { text, summary = null, actionMode = null, outcome = null, relayOfMessageId = null, taskRefs = [] } = message;
  return { id, from, to, text, summary, actionMode, outcome, relayOfMessageId, taskRefs, sentAt: 0, isRead: false };
}

function memberView(name: string): MemberView {
  return { name, displayName: null, kind: "native", role: "developer", state: "active" };
}

function nameOf(caller: Caller): string {
  return caller.kind === "member" ? caller.member : caller.lane;
}

function unknownMessage(id: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `You sent no message ${id}.`,
    hint: 'message_list with box "sent" shows what you sent.',
  });
}
