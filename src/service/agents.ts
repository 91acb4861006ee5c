/** The agent service on a running engine. */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import { waybillSender } from "../core/delivery/texts.ts";
import type { LogItem } from "../core/log/log-item.ts";
import type { Address, Mail } from "../core/message/message.ts";
import { isSameAddress, nameIn, senderOf } from "../core/message/message.ts";
import type { Member, Team } from "../core/team/team.ts";
import { holdOf } from "../core/team/team.ts";
import type { AgentAddress } from "../mail/admission.ts";
import type { AgentMailDeps } from "../mail/agent-mail.ts";
import { identityOf, owner, recipientOf, sendAsAgent } from "../mail/agent-mail.ts";
import { RateLimit } from "../mail/rate-limit.ts";
import { AppError } from "../platform/app-error.ts";
import type {
  AgentMail,
  AgentService,
  Briefing,
  MemberView,
  SendReceipt,
  SentState,
  TeamView,
} from "./agent-service.ts";
import { deliveryState, refuseWhileDraining, whyItWaits } from "./deliveries.ts";
import type { Engine } from "./engine.ts";

export function agentService({ engine, draining }: { engine: Engine; draining: AbortSignal }): AgentService {
  const { store, memberStates, tokens, policy, clock, admission } = engine;
  const mail: AgentMailDeps = { store, admission, clock, rateLimit: new RateLimit(policy.maxMessagesPerMinute, clock) };

  const memberView = async (team: Team, member: Member): Promise<MemberView> => {
    const { name, displayName, kind, role } = member;
    return { name, displayName, kind, role, state: await memberStates.stateOf(team, member) };
  };
  const teamView = async (team: Team): Promise<TeamView> => {
    const { name, displayName, state } = team;
    return { name, displayName, state, members: await Promise.all(team.members.map((one) => memberView(team, one))) };
  };
  const send: AgentService["send"] = async (caller, message): Promise<SendReceipt> => {
    refuseWhileDraining(draining);
    const { message: sent, delivery, known } = await sendAsAgent(caller, message, mail);
    // Nothing else shows that a native member received the message that it answers.
    if (caller.kind === "member" && message.relayOfMessageId) {
      await store.markRead(caller, [message.relayOfMessageId], clock.now());
    }
    const waits = delivery ? await whyRecordWaits(delivery, engine) : await whyNobodyReads(sent.recipient, engine);
    return { messageId: sent.id, to: await nameOf(sent, engine), known, waits };
  };
  const briefing = async (caller: AgentAddress): Promise<Briefing> => {
    const { name, team } = await identityOf(caller, store);
    const member = team?.members.find((one) => isMember(one, caller));
    const you: MemberView =
      team && member
        ? await memberView(team, member)
        : { name, displayName: null, kind: "lane", role: null, state: "active" };
    return { you, team: team && (await teamView(team)), open: await openMail(caller, engine) };
  };

  return {
    callerOf: (token) => tokens.agentOf(token),
    send,
    async list(caller, { box, unreadOnly = false, read = [], limit }) {
      if (box === "sent") return agentMails(await store.mailFrom(caller, limit), engine);
      if (caller.kind === "lane") {
        const received = await store.mailOf(caller, unreadOnly ? mostUnread : limit);
        const wanted = unreadOnly ? received.filter(({ readAt }) => readAt === null).slice(0, limit) : received;
        return agentMails(wanted, engine);
      }
      memberStates.heard(caller);
      const hold = await whyNobodyReads(caller, engine);
      if (hold !== null) throw waitsWithTeam(hold);
      if (read.length > 0) await store.markRead(caller, read, clock.now());
      return agentMails((await store.inbox(caller, { limit, unreadOnly })).items, engine);
    },
    wait: (caller, messageId, signal) => waitForAnswer(caller, messageId, AbortSignal.any([signal, draining]), engine),
    briefing,
    async teams(caller) {
      const { team } = await identityOf(caller, store);
      const others = (await store.teams()).filter(({ name }) => name !== team?.name);
      return Promise.all([...(team ? [team] : []), ...others].map(teamView));
    },
    async notifyPerson(caller, { person = owner, text, summary }) {
      const { address } = await recipientOf(person, await identityOf(caller, store), store);
      if (address.kind !== "person") throw noPerson(person);
      return send(caller, { to: person, text, summary, actionMode: "notify" });
    },
    async checkIn(caller) {
      memberStates.heard(caller);
      return briefing(caller);
    },
    async heartbeat(caller) {
      memberStates.heard(caller);
    },
  };
}

/** Why a member that fetches its messages currently gets none. */
async function whyNobodyReads(address: Address, { store }: Engine): Promise<string | null> {
  if (address.kind !== "member") return null;
  const team = await store.team(address.team);
  const member = team?.members.find(({ name }) => name === address.member);
  const hold = team && member ? holdOf(team, member) : null;
  return hold === null ? null : `${address.member} is paused (${hold})`;
}

function waitsWithTeam(why: string): AppError {
  return new AppError({
    code: "not_possible",
    message: `Your messages wait: ${why}.`,
    hint: "Do nothing more, and ask again later.",
    retryable: true,
  });
}

function noPerson(name: string): AppError {
  return new AppError({
    code: "recipient_unknown",
    message: `"${name.slice(0, 80)}" is not a person.`,
    hint: "Use message_send to write to an agent.",
  });
}

/** A lane has few unread messages: they wait to be delivered. */
const mostUnread = 200;

function isMember(member: Member, agent: AgentAddress): boolean {
  return agent.kind === "lane" ? member.lane === agent.lane : member.name === agent.member;
}

/** Messages that an agent still has to answer: unread, and the sender wants an answer. */
async function openMail(agent: AgentAddress, engine: Engine): Promise<readonly AgentMail[]> {
  const received = await engine.store.mailOf(agent, mostUnread);
  const open = received.filter(
    ({ readAt, actionMode, from }) => readAt === null && actionMode !== "notify" && from !== waybillSender,
  );
  return agentMails(open.toReversed(), engine);
}

function agentMails(mails: readonly Mail[], engine: Engine): Promise<AgentMail[]> {
  return Promise.all(
    mails.map(async (mail) => ({
      ...{ id: mail.id, from: mail.from, text: mail.text, summary: mail.summary, actionMode: mail.actionMode },
      ...{ relayOfMessageId: mail.relayOfMessageId, taskRefs: mail.taskRefs, outcome: mail.outcome ?? null },
      to: await nameOf(mail, engine),
      sentAt: mail.createdAt,
      isRead: mail.readAt !== null,
    })),
  );
}

/** The recipient's name. */
async function nameOf({ recipient }: Pick<Mail, "recipient">, { store }: Engine): Promise<string> {
  const lane = recipient.kind === "lane" ? await store.lane(recipient.lane) : null;
  return lane?.member ?? nameIn(recipient);
}

async function waitForAnswer(
  caller: AgentAddress,
  messageId: string,
  signal: AbortSignal,
  engine: Engine,
): Promise<SentState> {
  const { store } = engine;
  let wake: () => void = () => {};
  let changes = 0;
  const unsubscribe = store.onLog((items) => {
    if (!items.some((item) => concerns(item, messageId))) return;
    changes += 1;
    wake();
  });
  const aborted = () => wake();
  signal.addEventListener("abort", aborted);
  try {
    for (;;) {
      const seen = changes;
      const state = await sentState(caller, messageId, engine);
      if (state.state !== "waiting" || signal.aborted) return state;
      if (seen === changes) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (seen !== changes || signal.aborted) resolve();
        });
      }
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", aborted);
  }
}

function concerns(item: LogItem, messageId: string): boolean {
  if (item.type === "delivery") return item.record.messageId === messageId;
  return item.type === "message" && item.message.relayOfMessageId === messageId;
}

async function sentState(caller: AgentAddress, messageId: string, engine: Engine): Promise<SentState> {
  const { store } = engine;
  const sent = (await store.messagesWithId(messageId)).find((mail) => isFrom(mail, caller));
  if (!sent) throw notSent(messageId);
  const back = (await store.repliesIn(caller, messageId)).filter(({ from }) => from !== waybillSender);
  const replies = await agentMails(back, engine);
  const { recipient } = sent;
  if (recipient.kind !== "lane") {
    const isAnswered = back.some(({ outcome }) => outcome !== "progress");
    return { messageId, state: isAnswered ? "answered" : "waiting", reason: null, replies };
  }
  const record = await store.deliveryOf(recipient.lane, messageId);
  const state = record ? stateIn(record) : "answered";
  const reason = state === "waiting" && record ? await whyRecordWaits(record, engine) : (record?.lastReason ?? null);
  return { messageId, state, reason: state === "answered" ? null : reason, replies };
}

async function whyRecordWaits(record: DeliveryRecord, engine: Engine): Promise<string | null> {
  return whyItWaits(await deliveryState(engine, record), engine);
}

/** A missing record was answered long ago. */
function stateIn({ status }: DeliveryRecord): SentState["state"] {
  if (status === "responded") return "answered";
  return status === "failed_terminal" || status === "cancelled" ? "failed" : "waiting";
}

function isFrom(mail: Mail, agent: AgentAddress): boolean {
  const sender = senderOf(mail);
  return sender !== null && isSameAddress(sender, agent);
}

function notSent(messageId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `You have not sent a message "${messageId.slice(0, 130)}".`,
    hint: "message_send answers with the id to wait for; message_list with box sent lists your messages.",
  });
}
