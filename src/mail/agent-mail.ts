/**
 * Messages that agents send with their tools. The connection identifies the sender. Before admission Waybill resolves
 * the recipient's name and checks that the message may be a reply and has substance. A refusal tells the model what to
 * send instead. The same message in the same turn is one message, however often the call is repeated.
 */
import { createHash } from "node:crypto";
import { waybillSender } from "../core/delivery/texts.ts";
import { laneName } from "../core/lane/lane.ts";
import type { ActionMode, Address, Mail, ReplyOutcome, TaskRef } from "../core/message/message.ts";
import { addressKey, isSameAddress, replyAddress, replyOutcomes, writtenAddress } from "../core/message/message.ts";
import { judgeSubstance } from "../core/proof/acknowledgement.ts";
import type { Team } from "../core/team/team.ts";
import { canonicalName } from "../core/team/team.ts";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { PostMessage } from "../runtimes/port.ts";
import { knownMember, laneUnknown } from "../store/known.ts";
import type { LedgerStore, MailStore } from "../store/port.ts";
import type { Admitted, AgentAddress, Directory, MessageAdmission, ResolvedAddress } from "./admission.ts";
import { resolveName } from "./admission.ts";
import type { RateLimit } from "./rate-limit.ts";

/** The person who owns the daemon. */
export const owner = "user";

export type AgentMessage = {
  to: string;
  text: string;
  outcome?: ReplyOutcome | undefined;
  summary?: string | undefined;
  actionMode?: ActionMode | undefined;
  relayOfMessageId?: string | undefined;
  taskRefs?: readonly TaskRef[] | undefined;
};

type AgentMailStore = Directory & Pick<MailStore, "message" | "mailFrom" | "mailOf"> & Pick<LedgerStore, "outstanding">;

export type AgentMailDeps = {
  store: AgentMailStore;
  admission: MessageAdmission;
  rateLimit: RateLimit;
  clock: Clock;
};

/** An agent's address, name and team. */
export type AgentIdentity = { address: AgentAddress; name: string; team: Team | null };

export async function identityOf(agent: AgentAddress, store: Directory): Promise<AgentIdentity> {
  if (agent.kind === "member") {
    const { name } = await knownMember(store, agent);
    return { address: agent, name, team: await store.team(agent.team) };
  }
  const lane = await store.lane(agent.lane);
  if (!lane) throw laneUnknown(agent.lane, await store.lanes());
  const team = lane.team === null ? null : await store.team(canonicalName(lane.team));
  return { address: agent, name: laneName(lane), team };
}

/** `id` is the id of the tool call, if the call keeps it when it is repeated. */
export async function sendAsAgent(
  agent: AgentAddress,
  message: AgentMessage,
  { store, admission, rateLimit, clock }: AgentMailDeps,
  id?: string,
): Promise<Admitted> {
  const sender = await identityOf(agent, store);
  const relayed = await relayedMessage(message, sender, store);
  const address = relayed ? replyAddress(relayed) : (await recipientOf(message.to, sender, store)).address;
  if (isSameAddress(address, agent)) throw toItself();
  refuseEmptyWords(message);
  const messageId = id ?? (await derivedId(sender, address, message, store, clock));
  if (!(await store.message(address, messageId))) rateLimit.take(addressKey(agent));
  const { text, outcome, summary, actionMode, relayOfMessageId, taskRefs } = message;
  return admission.admit(
    {
      id: messageId,
      to: writtenAddress(address),
      from: sender.name,
      text,
      outcome,
      summary,
      actionMode,
      relayOfMessageId,
      taskRefs: taskRefs && [...taskRefs],
      source: "mcp",
    },
    { agent },
  );
}

/**
 * For the agent that is built into Waybill. Its scripts are trusted: an unknown name is taken as a person's, and a
 * reply needs no outcome.
 */
export function postMessageWith({ store, admission }: Pick<AgentMailDeps, "store" | "admission">): PostMessage {
  return async ({ lane, to, summary, relayOfMessageId, outcome, ...message }) => {
    const agent = { kind: "lane", lane } as const;
    const { name: from, team } = await identityOf(agent, store);
    const relayed = relayOfMessageId === null ? null : await store.message(agent, relayOfMessageId);
    const isReply = relayed !== null && canonicalName(relayed.replyRecipient) === canonicalName(to);
    const address = isReply ? replyAddress(relayed) : (await resolveName(to, { team, people: [to] }, store)).address;
    const optional = {
      summary: summary ?? undefined,
      relayOfMessageId: relayOfMessageId ?? undefined,
      // Admission refuses an unknown outcome and lists the valid ones.
      outcome: (outcome ?? undefined) as ReplyOutcome | undefined,
    };
    await admission.admit({ ...message, ...optional, to: writtenAddress(address), from, source: "mcp" }, { agent });
  };
}

/** An agent may write to the owner and to the people of its team. */
export async function recipientOf(to: string, { team }: AgentIdentity, store: Directory): Promise<ResolvedAddress> {
  if (canonicalName(to) === waybillSender) throw toWaybill();
  return resolveName(to, { team, people: [owner] }, store);
}

/** The message that this one replies to, after checking that it may; null if it is not a reply. */
async function relayedMessage(
  message: AgentMessage,
  sender: AgentIdentity,
  store: AgentMailStore,
): Promise<Mail | null> {
  const { relayOfMessageId: id, to, outcome } = message;
  if (id === undefined) return null;
  const relayed = await store.message(sender.address, id);
  if (!relayed) throw await relayUnknown(id, sender, store);
  if (relayed.from === waybillSender) throw toWaybill();
  if (!(await isReplyRecipient(to, relayed, sender, store))) throw wrongRecipient(to, relayed);
  if (outcome === undefined) throw outcomeMissing(id);
  return relayed;
}

async function isReplyRecipient(to: string, relayed: Mail, sender: AgentIdentity, store: Directory): Promise<boolean> {
  if (canonicalName(to) === canonicalName(relayed.replyRecipient)) return true;
  try {
    return isSameAddress((await recipientOf(to, sender, store)).address, replyAddress(relayed));
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * The same message in the same turn gets the same id, because a call is repeated when its answer was lost. Outside a
 * turn that Waybill began, the same message within a few minutes gets the same id.
 */
async function derivedId(
  { address }: AgentIdentity,
  to: Address,
  message: AgentMessage,
  store: AgentMailStore,
  clock: Clock,
): Promise<string> {
  const turn = address.kind === "lane" ? await store.outstanding(address.lane) : null;
  if (turn) return idIn(turn.id, address, to, message);
  const window = Math.floor(clock.now() / repeatWindowMs);
  const before = idIn(String(window - 1), address, to, message);
  return (await store.message(to, before)) ? before : idIn(String(window), address, to, message);
}

const repeatWindowMs = 5 * 60_000;

function idIn(context: string, from: Address, to: Address, message: AgentMessage): string {
  const { text, outcome, summary, actionMode, relayOfMessageId, taskRefs = [] } = message;
  const tasks = taskRefs.map(({ team, id, title }) => [team ?? null, id, title ?? null]);
  const parts = [
    context,
    addressKey(from),
    addressKey(to),
    text,
    outcome,
    summary,
    actionMode,
    relayOfMessageId,
    tasks,
  ];
  return `agt-${createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32)}`;
}

/** An acknowledgement that names nothing says nothing. One that names its message is shown, but closes nothing. */
function refuseEmptyWords({ text, relayOfMessageId, taskRefs = [], summary }: AgentMessage): void {
  if (relayOfMessageId !== undefined || taskRefs.length > 0 || judgeSubstance(text) !== "acknowledgement") return;
  if (summary !== undefined && judgeSubstance(summary) === "substance") return;
  throw new AppError({
    code: "acknowledgement_only",
    message: "An acknowledgement alone was not sent: it names no message, task or file.",
    hint:
      "Say what you found, did or need. To answer a message, give its id as relayOfMessageId and an outcome; " +
      "if there is nothing to say yet, send nothing and do the work first.",
  });
}

async function relayUnknown(id: string, { address }: AgentIdentity, store: AgentMailStore): Promise<AppError> {
  const own = (await store.mailFrom(address, 200)).some((mail) => mail.id === id);
  const received = (await store.mailOf(address, 200)).filter((mail) => mail.from !== waybillSender);
  const open = received.filter(({ readAt }) => readAt === null).slice(0, 10);
  const known = open.length > 0 ? open : received.slice(0, 3);
  const ids = known.map((mail) => `"${mail.id}" from ${mail.from}`).join(", ");
  return new AppError({
    code: "relay_unknown",
    message: own
      ? `Message "${id.slice(0, 130)}" is your own; you cannot reply to it.`
      : `You have received no message "${id.slice(0, 130)}".`,
    hint: ids === "" ? "Leave relayOfMessageId out: nothing was sent to you." : `You can reply to: ${ids}.`,
  });
}

function wrongRecipient(to: string, { id, replyRecipient }: Mail): AppError {
  return new AppError({
    code: "wrong_recipient",
    message: `A reply to message "${id}" goes to "${replyRecipient}", not to "${to.slice(0, 80)}".`,
    hint: `Send it to "${replyRecipient}"; or leave relayOfMessageId out to write to somebody else.`,
  });
}

function outcomeMissing(id: string): AppError {
  return new AppError({
    code: "outcome_missing",
    message: `A reply to message "${id}" must state its outcome.`,
    hint: `Add outcome: one of ${replyOutcomes.join(", ")}.`,
  });
}

function toItself(): AppError {
  return new AppError({
    code: "recipient_is_sender",
    message: "You cannot write to yourself.",
    hint: "team_list shows whom you can write to.",
  });
}

function toWaybill(): AppError {
  return new AppError({
    code: "recipient_unknown",
    message: "Waybill reads no messages, and its own need no reply.",
    hint: "Write to a member of your team or to a person; team_list shows them.",
  });
}
