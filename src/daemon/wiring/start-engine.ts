/** Puts the parts together. The only place where a store, runtimes and the delivery core meet. */
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { Clock } from "../../clock.ts";
import { systemClock } from "../../clock.ts";
import type { Alert } from "../../core/delivery/alert.ts";
import type { DeliveryChange } from "../../core/delivery/delivery-event.ts";
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { Policy } from "../../core/delivery/policy.ts";
import { laneName } from "../../core/lane/lane.ts";
import { beginNotes, changeNotes } from "../../core/turn/delivery-notes.ts";
import { AskRegistry } from "../../courier/ask-registry.ts";
import { Courier } from "../../courier/courier.ts";
import { drain } from "../../courier/drain.ts";
import type { MissingFiles } from "../../courier/missing-files.ts";
import { missingFiles } from "../../courier/missing-files.ts";
import { recover } from "../../courier/recovery.ts";
import type { CourierDeps } from "../../courier/step-context.ts";
import { Watchdog } from "../../courier/watchdog.ts";
import { Recorder } from "../../events/recorder.ts";
import { admitMessage } from "../../mail/admission.ts";
import type { Mailbox } from "../../mail/mailbox.ts";
import { storeMailbox } from "../../mail/mailbox.ts";
import type { AlertTimes } from "../../operator/alerts.ts";
import { Alerts } from "../../operator/alerts.ts";
import { Interventions } from "../../operator/interventions.ts";
import type { PostMessage, Runtime } from "../../runtimes/port.ts";
import type { Engine } from "../../service/engine.ts";
import { Ledger } from "../../store/ledger.ts";
import type { NewLane, Store } from "../../store/port.ts";

export type EngineOptions = {
  store: Store;
  policy: Policy;
  lanes: readonly NewLane[];
  /** Makes the runtimes; their agents' tools write mail through `postMessage`. */
  runtimes: (postMessage: PostMessage) => readonly Runtime[];
  /** Where the lanes' messages stand; the store itself unless said otherwise. */
  mailbox?: Mailbox;
  /** How the files are looked for that an answer names; on the disk of this machine unless said otherwise. */
  missingFiles?: MissingFiles;
  clock?: Clock;
  /** How many universal events of a lane are kept. */
  keptEvents?: number;
  /** Names this run in the records that it writes. */
  runId?: string;
  failPoint?: FailPointHook;
  /** Breaks the start off, which rejects with its reason then; nothing that it had started is left. */
  stopping?: AbortSignal;
  /** Without it nobody is alerted. */
  alerts?: { times: AlertTimes; onAlert: (alert: Alert) => void };
  /** Hears of every change of a delivery, also of those that a start makes. */
  onChange?: (change: DeliveryChange) => void;
  onError?: (failure: { laneId?: string; error: unknown }) => void;
};

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { store, policy, clock = systemClock, failPoint = () => {}, onError = () => {} } = options;
  const ledger = new Ledger(store, failPoint, onError);
  const closing = new AbortController();
  // Every call under way listens to it, and there are as many as there are lanes.
  setMaxListeners(0, closing.signal);
  /** Those that are ready; the lanes of one that is not keep their messages waiting. */
  const runtimes = new Map<string, Runtime>();
  const deps: CourierDeps = {
    store,
    ledger,
    runtimes,
    mailbox: options.mailbox ?? storeMailbox,
    asks: new AskRegistry(),
    missingFiles: options.missingFiles ?? missingFiles,
    policy,
    clock,
    closing: closing.signal,
    runId: options.runId ?? randomUUID(),
    failPoint,
    onError,
  };
  const { asks } = deps;
  ledger.onChange(({ record }) => asks.deliveryChanged(record));
  if (options.onChange) ledger.onChange(options.onChange);
  const courier = new Courier(deps);
  const alerts = options.alerts && new Alerts({ ...deps, ...options.alerts });
  const watchdog = new Watchdog({ store, ledger, policy, clock, attend: (due) => courier.reconcileDue(due), onError });
  const recorder = new Recorder({ store, clock, keep: options.keptEvents ?? 10_000, onError });
  noteChanges(deps, recorder);
  recorder.onEvents((told) => {
    for (const { event } of told) if (event.copied !== true) asks.onEvent(event);
  });
  const send = createSend(deps, courier, recorder);
  const made = options.runtimes(createPostMessage(store, send));

  const closeAll = async (keep: boolean) => {
    closing.abort();
    alerts?.stop();
    const stopped = watchdog.stop();
    await courier.close();
    await stopped;
    for (const runtime of made) await runtime.close({ keep });
    await recorder.close();
    await store.close();
  };
  let closed: Promise<void> | null = null;
  const close = ({ keepAgents }: { keepAgents: boolean } = { keepAgents: false }) => {
    closed ??= closeAll(keepAgents);
    return closed;
  };
  try {
    for (const lane of options.lanes) await store.putLane(lane);
    await recorder.listen(made);
    for (const runtime of await readyOnes(made, onError, options.stopping)) runtimes.set(runtime.kind, runtime);
    options.stopping?.throwIfAborted();
    await recorder.catchUp(runtimes);
    courier.start();
    await recover({ ...deps, courier });
    await watchdog.start();
    await alerts?.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    store,
    ledger,
    courier,
    people: new Interventions({ ...deps, recorder }, courier),
    asks,
    recorder,
    runtimes,
    send,
    prune: () => prune(deps),
    drain: (deadlineMs, hurry) => drain({ ...deps, courier }, deadlineMs, hurry),
    close,
  };
}

/** Whoever watches a lane sees what becomes of its messages, too. */
function noteChanges({ ledger, runtimes }: CourierDeps, recorder: Recorder): void {
  ledger.onChange((change) => {
    const { laneId, runtimeKind } = change.record;
    const traits = runtimeKind === null ? undefined : runtimes.get(runtimeKind)?.traits;
    recorder.note(laneId, changeNotes(change, traits?.takesIds ?? true));
  });
}

function prune({ store, policy, clock }: CourierDeps): Promise<number> {
  const { respondedMs, failedMs } = policy.retention;
  const now = clock.now();
  const [responded, failed] = [now - respondedMs, now - failedMs];
  return store.prune({ responded, failed, feed: responded, events: responded });
}

/** Admits messages, and sets going what they concern: their own lane, or the delivery that they reply to. */
function createSend(deps: CourierDeps, courier: Courier, recorder: Recorder): Engine["send"] {
  return async (message, sender = {}) => {
    const admitted = await admitMessage(message, deps, sender);
    const { fromLane: senderLane } = sender;
    if (admitted.delivery) {
      const { laneId } = admitted.delivery;
      if (!admitted.known) recorder.note(laneId, beginNotes(admitted.message, admitted.delivery.rounds));
      void courier.moveLane(laneId);
    }
    const { relayOfMessageId } = admitted.message;
    if (senderLane === undefined || relayOfMessageId === null) return admitted;
    const answered = await deps.store.deliveryOf(senderLane, relayOfMessageId);
    if (answered?.status === "failed_terminal") void courier.reconcileLateProof(answered.id, senderLane);
    else if (answered) void courier.moveLane(senderLane, { reconcile: true });
    return admitted;
  };
}

/** The same for agents, who write in the name of the lane that their call came from. */
function createPostMessage(store: Store, send: Engine["send"]): PostMessage {
  return async ({ id, lane: laneId, to, text, summary, relayOfMessageId }) => {
    const lane = await store.lane(laneId);
    const from = lane ? laneName(lane) : laneId;
    await send({ id, to: { person: to }, from, text, summary, relayOfMessageId, source: "mcp" }, { fromLane: laneId });
  };
}

/** Awaited before anything is observed: each adopts or ends what the last run left behind. */
async function readyOnes(
  made: readonly Runtime[],
  onError: (failure: { error: unknown }) => void,
  stopping: AbortSignal | undefined,
): Promise<Runtime[]> {
  const ready: Runtime[] = [];
  for (const runtime of made) {
    try {
      await runtime.recover(stopping);
      ready.push(runtime);
    } catch (error) {
      onError({ error });
    }
  }
  return ready;
}
