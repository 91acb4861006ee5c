/**
 * What agents ask for through their tools. The caller is the one whom the connection's token belongs to; nothing that a call
 * says changes who sends. What cannot be done throws an `AppError` whose message and hint a model can act on.
 */
import type { Message, MessageOutcome, TaskRef } from "../core/message/message.ts";
import type { MemberKind, MemberState, TeamState } from "../core/team/team.ts";
import type { AgentAddress } from "../mail/admission.ts";
import type { AgentMessage } from "../mail/agent-mail.ts";

export type { AgentMessage, MemberState };

export type Caller = AgentAddress;

/** `waits` says why it is not under way yet, and what that means; null when nothing stands in its way. */
export type SendReceipt = { messageId: string; to: string; known: boolean; waits: string | null };

/** A message as an agent sees it. */
export type AgentMail = Pick<Message, "id" | "from" | "text" | "summary" | "actionMode" | "relayOfMessageId"> & {
  to: string;
  taskRefs: readonly TaskRef[];
  outcome: MessageOutcome | null;
  sentAt: number;
  isRead: boolean;
};

export type ListQuery = {
  box: "received" | "sent";
  unreadOnly?: boolean | undefined;
  /** Messages that the caller has got: they are read from now on. Waybill itself marks those of lanes. */
  read?: readonly string[] | undefined;
  limit: number;
};

/** What became of a message that the caller sent. `replies` are oldest first. */
export type SentState = {
  messageId: string;
  state: "answered" | "failed" | "waiting";
  /** Why it failed, or what it waits for. */
  reason: string | null;
  replies: readonly AgentMail[];
};

export type MemberView = {
  name: string;
  displayName: string | null;
  kind: MemberKind;
  role: string | null;
  state: MemberState;
};

export type TeamView = {
  name: string;
  displayName: string | null;
  state: TeamState;
  members: readonly MemberView[];
};

/** Who the caller is, who else is there, and what waits for it. */
export type Briefing = {
  you: MemberView;
  team: TeamView | null;
  /** Messages to the caller that it has not answered, oldest first. */
  open: readonly AgentMail[];
};

export type AgentService = {
  /** Null for a token that Waybill did not make, or whose member or lane is gone. */
  callerOf(token: string): Promise<Caller | null>;
  send(caller: Caller, message: AgentMessage): Promise<SendReceipt>;
  list(caller: Caller, query: ListQuery): Promise<readonly AgentMail[]>;
  /** Resolves when the message is answered or has failed, and as `waiting` when `signal` is aborted or the daemon stops. */
  wait(caller: Caller, messageId: string, signal: AbortSignal): Promise<SentState>;
  briefing(caller: Caller): Promise<Briefing>;
  /** The teams that the caller may write to. */
  teams(caller: Caller): Promise<readonly TeamView[]>;
  /** To the person whose daemon this is, unless another one is named. */
  notifyPerson(
    caller: Caller,
    note: { text: string; summary?: string | undefined; person?: string | undefined },
  ): Promise<SendReceipt>;
  /** The caller has begun its work: the same as a heartbeat, answered with the briefing. */
  checkIn(caller: Caller): Promise<Briefing>;
  heartbeat(caller: Caller): Promise<void>;
};
