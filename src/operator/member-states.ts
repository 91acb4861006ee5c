/**
 * The states of team members: available at any time, and published in the log when they change. Nothing is checked
 * unless something happened, and one timer waits for the next member to become idle.
 */

import { isPaused } from "../core/lane/lane.ts";
import type { LogItem } from "../core/log/log-item.ts";
import type { Message } from "../core/message/message.ts";
import { addressKey, senderOf } from "../core/message/message.ts";
import type { Member, MemberFacts, MemberState, Team } from "../core/team/team.ts";
import { holdOf, memberState } from "../core/team/team.ts";
import type { AskRegistry } from "../courier/ask-registry.ts";
import type { AgentAddress } from "../mail/admission.ts";
import type { Clock } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { LaneStore, LedgerStore, LogStore, TeamStore } from "../store/port.ts";

export type MemberStatesDeps = {
  store: Pick<TeamStore, "teams"> &
    Pick<LaneStore, "lane"> &
    Pick<LedgerStore, "outstanding"> &
    Pick<LogStore, "onLog" | "eventsBefore" | "passMemberState">;
  asks: AskRegistry;
  runtimes: ReadonlyMap<string, Runtime>;
  clock: Clock;
  idleAfterMs: number;
  onError: (failure: { error: unknown }) => void;
};

export class MemberStates {
  readonly #deps: MemberStatesDeps;
  /** When each was last active, by address or name. */
  readonly #seen = new Map<string, number>();
  readonly #told = new Map<string, MemberState>();
  #unsubscribe: (() => void) | null = null;
  #cancelTimer: () => void = () => {};
  #checking: Promise<void> | null = null;
  #isStale = false;
  #stopped = false;

  constructor(deps: MemberStatesDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const teams = await this.#deps.store.teams();
    for (const { lane } of teams.flatMap(({ members }) => members)) if (lane !== null) await this.#recall(lane);
    if (teams.length > 0) this.follow();
  }

  /** Call it once there are teams: without teams, messages cost nothing here. */
  follow(): void {
    if (this.#unsubscribe || this.#stopped) return;
    this.#unsubscribe = this.#deps.store.onLog((items) => this.#note(items));
    this.#check();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#unsubscribe?.();
  }

  /** An agent that somebody else runs has reported that it is alive, now or at an earlier time. */
  heard(agent: AgentAddress, at = this.#deps.clock.now()): void {
    const key = addressKey(agent);
    if (at <= (this.#seen.get(key) ?? Number.NEGATIVE_INFINITY)) return;
    this.#seen.set(key, at);
    this.#check();
  }

  async stateOf(team: Team, member: Member): Promise<MemberState> {
    const { clock, idleAfterMs } = this.#deps;
    return memberState(await this.#factsOf(team, member), clock.now(), idleAfterMs);
  }

  async #recall(laneId: string): Promise<void> {
    const [newest] = await this.#deps.store.eventsBefore(laneId, null, 1);
    if (newest) this.#seen.set(`lane:${laneId}`, newest.time);
  }

  #note(items: readonly LogItem[]): void {
    for (const item of items) {
      // The first are published here, and reading changes nothing.
      if (item.type === "member" || item.type === "read") continue;
      if (item.type === "event") this.#seen.set(`lane:${item.laneId}`, item.at);
      if (item.type === "message") this.#seen.set(senderKey(item.message), item.at);
      // An agent's items within a turn change nothing, and there are many of them.
      if (item.type !== "event" || !item.event.type.startsWith("item.")) this.#check();
    }
  }

  /** Several changes at a time cause one check. */
  #check(): void {
    if (this.#stopped || !this.#unsubscribe) return;
    this.#isStale = true;
    this.#checking ??= this.#checkAll().finally(() => {
      this.#checking = null;
    });
  }

  async #checkAll(): Promise<void> {
    try {
      while (this.#isStale && !this.#stopped) {
        this.#isStale = false;
        await this.#tellChanges();
      }
    } catch (error) {
      this.#deps.onError({ error });
    }
  }

  async #tellChanges(): Promise<void> {
    const { store, clock, idleAfterMs } = this.#deps;
    let nextIdleAt = Number.POSITIVE_INFINITY;
    for (const team of await store.teams()) {
      for (const member of team.members) {
        const facts = await this.#factsOf(team, member);
        const now = clock.now();
        const state = memberState(facts, now, idleAfterMs);
        if (state === "active" && facts.lastSeenAt !== null)
          nextIdleAt = Math.min(nextIdleAt, facts.lastSeenAt + idleAfterMs);
        const key = `${team.name}/${member.name}`;
        if (this.#told.get(key) === state || this.#stopped) continue;
        this.#told.set(key, state);
        store.passMemberState({ team: team.name, member: member.name, state, laneId: member.lane, at: now });
      }
    }
    this.#cancelTimer();
    if (Number.isFinite(nextIdleAt)) this.#cancelTimer = clock.at(nextIdleAt, () => this.#check());
  }

  async #factsOf(team: Team, member: Member): Promise<MemberFacts> {
    const { store, asks, runtimes } = this.#deps;
    const lane = member.lane === null ? null : await store.lane(member.lane);
    const seenAt = this.#seen.get(keyOf(member)) ?? null;
    const holder = lane && (await store.outstanding(lane.id));
    return {
      isTerminated: member.terminatedAt !== null,
      isPaused: holdOf(team, member) !== null || (lane !== null && isPaused(lane)),
      isReachable: lane ? runtimes.has(lane.runtime) : member.kind === "person" || seenAt !== null,
      hasOpenAsk: lane !== null && asks.list().some(({ laneId }) => laneId === lane.id),
      isWorking: holder !== null && holder.turnEndedAt === null,
      lastSeenAt: seenAt,
    };
  }
}

function senderKey(message: Message): string {
  const sender = senderOf(message);
  return sender ? addressKey(sender) : `person:${message.from.toLowerCase()}`;
}

function keyOf({ kind, team, name, lane }: Member): string {
  if (kind === "lane") return `lane:${lane}`;
  return kind === "native" ? addressKey({ kind: "member", team, member: name }) : `person:${name}`;
}
