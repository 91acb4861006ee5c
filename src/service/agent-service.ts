/**
 * What agents request through their tools. The caller is the owner of the connection's token; nothing in a call
 * changes the sender. A call that fails throws an `AppError` with a message and a hint that a model can act on.
 */
import type { Message, MessageOutcome, TaskRef } from "../core/message/message.ts";
import type { MemberKind, MemberState, TeamState } from "../core/team/team.ts";
import type { AgentAddress } from "../mail/admission.ts";
import type { AgentMessage } from "../mail/agent-mail.ts";

export type { AgentMessage, MemberState };

export type Caller = AgentAddress;

/** `waits` says why it has not been sent yet, and what that means; null if nothing blocks it. */
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
  /** Messages that the caller has received; they are marked as read. Waybill itself marks those of lanes. */
  read?: readonly string[] | undefined;
  limit: number;
};

/** The state of a message that the caller sent. `replies` are oldest first. */
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

/** The caller's identity, its team, and the messages that wait for it. */
export type Briefing = {
  you: MemberView;
  team: TeamView | null;
  /** Messages to the caller that it has not answered, oldest first. */
  open: readonly AgentMail[];
};

export type AgentService = {
  /** Null for a token that Waybill did not create, or whose member or lane was removed. */
  callerOf(token: string): Promise<Caller | null>;
  send(caller: Caller, message: AgentMessage): Promise<SendReceipt>;
  list(caller: Caller, query: ListQuery): Promise<readonly AgentMail[]>;
  /**
   * Resolves when the message is answered or has failed, and as `waiting` when `signal` is aborted or the daemon
   * stops.
   */
  wait(caller: Caller, messageId: string, signal: AbortSignal): Promise<SentState>;
  briefing(caller: Caller): Promise<Briefing>;
  /** The teams that the caller may write to. */
  teams(caller: Caller): Promise<readonly TeamView[]>;
  /** To the person who runs this daemon, unless another one is named. */
  notifyPerson(
    caller: Caller,
    note: { text: string; summary?: string | undefined; person?: string | undefined },
  ): Promise<SendReceipt>;
  /** The caller has started its work: the same as a heartbeat, answered with the briefing. */
  checkIn(caller: Caller): Promise<Briefing>;
  heartbeat(caller: Caller): Promise<void>;
};
