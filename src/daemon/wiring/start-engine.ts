/** Starts the engine: the only file that connects the store, runtimes, courier, recorder and operator. */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { join } from "node:path";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { Policy } from "../../core/delivery/policy.ts";
import type { Alert } from "../../core/delivery/record.ts";
import { defaultMaxAttachmentBytes } from "../../core/message/message.ts";
import { keptStatsDays } from "../../core/stats/day-stats.ts";
import type { NewMember, NewTeam } from "../../core/team/team.ts";
import { AskRegistry } from "../../courier/ask-registry.ts";
import { Courier } from "../../courier/courier.ts";
import { drain } from "../../courier/drain.ts";
import type { ChangedFiles, MissingFiles } from "../../courier/lane-files.ts";
import { changedFiles, missingFiles } from "../../courier/lane-files.ts";
import { recover } from "../../courier/recovery.ts";
import type { CourierDeps } from "../../courier/step-context.ts";
import type { TurnLimitOptions } from "../../courier/turn-limit.ts";
import { Watchdog } from "../../courier/watchdog.ts";
import { newestTurns } from "../../events/lane-log.ts";
import { Recorder } from "../../events/recorder.ts";
import { MessageAdmission } from "../../mail/admission.ts";
import { postMessageWith } from "../../mail/agent-mail.ts";
import { agentTokens } from "../../mail/agent-tokens.ts";
import { attachmentFiles } from "../../mail/attachments/attachment-files.ts";
import type { ReadCommitter } from "../../mail/read-commit.ts";
import type { AlertTimes } from "../../operator/alerts.ts";
import { Alerts } from "../../operator/alerts.ts";
import { Interventions } from "../../operator/interventions.ts";
import { MemberStates } from "../../operator/member-states.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemClock } from "../../platform/clock.ts";
import type { PostMessage, Runtime } from "../../runtimes/port.ts";
import type { Engine } from "../../service/engine.ts";
import { Ledger } from "../../store/ledger.ts";
import type { NewLane } from "../../store/port.ts";
import type { Store } from "../../store/store.ts";
import type { TakeLock } from "../../transports/inbox-files/folder-lock.ts";
import type { FolderProblem } from "../../transports/inbox-files/folder-problems.ts";
import { InboxFilesTransport } from "../../transports/inbox-files/inbox-files.ts";

export type EngineOptions = {
  store: Store;
  policy: Policy;
  lanes: readonly NewLane[];
  teams?: readonly (NewTeam & { members: readonly NewMember[] })[];
  /** Creates the runtimes. Their agents' tools send messages through `postMessage`. */
  runtimes: (postMessage: PostMessage) => readonly Runtime[] | Promise<readonly Runtime[]>;
  /** How reads are committed; by default in the store, and in the inbox file that a message came from. */
  reads?: ReadCommitter;
  teamFiles: TeamFileOptions;
  /** The limit for one attachment. */
  maxAttachmentBytes?: number;
  /** Finds files that an answer names but that do not exist; on the local disk by default. */
  missingFiles?: MissingFiles;
  changedFiles?: ChangedFiles;
  clock?: Clock;
  /** How many lanes may work on messages from one source at a time. */
  maxTurns?: TurnLimitOptions;
  /** How many universal events are kept per lane. */
  keptEvents?: number;
  /** The secret from which agents' tokens are derived; without it they are valid for this run only. */
  tokenSecret?: string;
  /** After how long without activity a member is idle. */
  memberIdleMs?: number;
  /** Identifies this run in the records that it writes. */
  runId?: string;
  failPoint?: FailPointHook | undefined;
  /** Aborts the start, which then closes everything and rejects with the signal's reason. */
  stopping?: AbortSignal;
  /** Without it, no alerts are raised. */
  alerts?: { times: AlertTimes; onAlert: (alert: Alert) => void };
  onError?: (failure: { laneId?: string; error: unknown }) => void;
};

export type TeamFileOptions = {
  /** For copies of unreadable files, for archived rows, and for attachments. */
  stateDirectory: string;
  takeLock: TakeLock;
  /** Finds changes that the file watcher missed. */
  rescanMs?: number;
  onProblem?: (problem: FolderProblem) => void;
};

/** Whoever starts the engine may use the whole store. */
export type StartedEngine = Engine & { store: Store };

export async function startEngine(options: EngineOptions): Promise<StartedEngine> {
  const { store, policy, clock = systemClock, failPoint, onError = () => {} } = options;
  const ledger = new Ledger(store, failPoint);
  const closing = new AbortController();
  // Every running call adds a listener, and there may be one per lane.
  setMaxListeners(0, closing.signal);
  /** The runtimes that are ready. Messages to other runtimes' lanes wait. */
  const runtimes = new Map<string, Runtime>();
  const attachments = attachmentFiles({
    directory: join(options.teamFiles.stateDirectory, "attachments"),
    maxBytes: options.maxAttachmentBytes ?? defaultMaxAttachmentBytes,
    clock,
  });
  const deps: CourierDeps = {
    store,
    ledger,
    runtimes,
    reads: options.reads ?? {
      commitsWithLedger: true,
      commitRead: (record) => teamFiles.reads.commitRead(record),
    },
    attachments,
    asks: new AskRegistry((change) => store.passAsk({ ...change, at: clock.now() })),
    missingFiles: options.missingFiles ?? missingFiles,
    changedFiles: options.changedFiles ?? changedFiles,
    policy,
    maxTurns: options.maxTurns,
    clock,
    closing: closing.signal,
    runId: options.runId ?? randomUUID(),
    failPoint,
    onError,
  };
  const { asks } = deps;
  const courier = new Courier(deps);
  const alerts = options.alerts && new Alerts({ ...deps, ...options.alerts });
  const watchdog = new Watchdog({ store, policy, clock, attend: (due) => courier.reconcileDue(due), onError });
  const recorder = new Recorder({ store, clock, keep: options.keptEvents ?? 10_000, onError });
  store.onLog(asks.onLog);
  store.onLog(recorder.onLog);
  const memberStates = new MemberStates({
    ...{ store, asks, runtimes, clock, onError },
    idleAfterMs: options.memberIdleMs ?? 5 * 60_000,
  });
  const admission = new MessageAdmission({
    ...deps,
    store,
    attachments,
    acceptedFiles: (kind) => runtimes.get(kind)?.traits.attachments ?? null,
  });
  const interventions = new Interventions({ ...deps, store, recorder }, courier);
  const teamFiles = new InboxFilesTransport({
    ...{ store, admission, clock, failPoint, onError, rescanMs: 30_000, onProblem: () => {}, ...options.teamFiles },
    asks,
    failDelivery: ({ id, laneId }, reason) => courier.fail(id, laneId, reason),
    heard: (member, at) => memberStates.heard(member, at),
    async shutDown({ name, lane }, team) {
      await store.terminateMember(team, name, clock.now());
      await interventions.stop(lane, name);
    },
  });
  const allRuntimes = await options.runtimes(postMessageWith({ store, admission }));

  const closeAll = async (keep: boolean) => {
    closing.abort();
    alerts?.stop();
    memberStates.stop();
    await teamFiles.close();
    const stopped = watchdog.stop();
    await courier.close();
    await stopped;
    for (const runtime of allRuntimes) await runtime.close({ keep });
    await recorder.close();
    await store.close();
  };
  let closed: Promise<void> | null = null;
  const close = ({ keepAgents }: { keepAgents: boolean } = { keepAgents: false }) => {
    closed ??= closeAll(keepAgents);
    return closed;
  };
  try {
    // All together in one commit: otherwise a thousand lanes would wait for the disk a thousand times.
    await Promise.all(options.lanes.map((lane) => store.putLane(lane)));
    await Promise.all((options.teams ?? []).flatMap((team) => putTeam(team, store)));
    for (const laneId of await store.lanesInTurn()) asks.restore(await newestTurns(store, laneId));
    recorder.listen(allRuntimes);
    for (const runtime of allRuntimes) {
      try {
        // Adopts or ends the programs that the last run left behind, before anything is observed.
        await runtime.recover(options.stopping);
        runtimes.set(runtime.kind, runtime);
      } catch (error) {
        onError({ error });
      }
    }
    options.stopping?.throwIfAborted();
    await recorder.catchUp(runtimes);
    await courier.start();
    await recover({ ...deps, courier });
    await watchdog.start();
    await alerts?.start();
    await memberStates.start();
    await teamFiles.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    store,
    ledger,
    admission,
    attachments,
    courier,
    interventions,
    teamFiles,
    asks,
    recorder,
    memberStates,
    tokens: agentTokens(options.tokenSecret ?? randomUUID(), store),
    policy,
    clock,
    runtimes,
    async prune() {
      await attachments.prune((ids) => store.namedAttachments(ids));
      return prune(options.store, deps);
    },
    drain: (deadlineMs, stopNow) => drain({ ...deps, courier }, deadlineMs, stopNow),
    close,
  };
}

/** In this order. Members that were added in other ways stay. */
function putTeam({ members, ...team }: NewTeam & { members: readonly NewMember[] }, store: Store): Promise<unknown>[] {
  return [store.putTeam(team), ...members.map((member) => store.putMember(member))];
}

function prune(store: Store, { policy, clock }: Pick<CourierDeps, "policy" | "clock">): Promise<number> {
  const { respondedMs, failedMs } = policy.retention;
  const now = clock.now();
  const [responded, failed] = [now - respondedMs, now - failedMs];
  const stats = now - keptStatsDays * 24 * 3600_000;
  return store.prune({ responded, failed, log: responded, events: responded, stats });
}
