/**
 * The real service on a real store in which nothing happens on its own: no courier runs, so messages stay pending, and
 * agents do what a test publishes. For tests of transports; single verbs can be replaced to fail or to wait.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import type { Notice } from "../../../src/core/lane/lane.ts";
import type { LogItem } from "../../../src/core/log/log-item.ts";
import type { UniversalEvent } from "../../../src/core/turn/universal-event.ts";
import { AskRegistry } from "../../../src/courier/ask-registry.ts";
import type { Courier } from "../../../src/courier/courier.ts";
import { Recorder } from "../../../src/events/recorder.ts";
import { MessageAdmission } from "../../../src/mail/admission.ts";
import { agentTokens } from "../../../src/mail/agent-tokens.ts";
import { attachmentFiles } from "../../../src/mail/attachments/attachment-files.ts";
import { storeReads } from "../../../src/mail/read-commit.ts";
import { Interventions } from "../../../src/operator/interventions.ts";
import { MemberStates } from "../../../src/operator/member-states.ts";
import { AppError } from "../../../src/platform/app-error.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Runtime } from "../../../src/runtimes/port.ts";
import { runtimeDescriptors } from "../../../src/runtimes/registry.ts";
import { stubTraits } from "../../../src/runtimes/stub/runtime.ts";
import { createService } from "../../../src/service/create-service.ts";
import type { Engine } from "../../../src/service/engine.ts";
import type { AskDecision, OpenAsk, Send, Service } from "../../../src/service/service.ts";
import { Ledger } from "../../../src/store/ledger.ts";
import { openSqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { InboxFilesTransport } from "../../../src/transports/inbox-files/inbox-files.ts";
import { anEvent, logged } from "../core/events.ts";
import { lockDirectory } from "../teams/lock-directory.ts";
import { aLane } from "./waybill.ts";

type AnnouncedAsk = Pick<OpenAsk, "id" | "kind" | "title" | "laneId" | "since">;

type Controls = {
  readonly store: Store;
  /** The admitted messages. */
  readonly sent: Send[];
  /** The answers that agents got. */
  readonly answers: { id: string; decision: AskDecision }[];
  readonly forks: { id: string; before: number | null }[];
  restarts: number;
  /** How many streams are being followed, and how many items they have yielded. */
  following: number;
  taken: number;
  /** Thrown by every verb except those of the log. */
  failure: unknown;
  allowedDirectories: string[];
  stateDirectories: string[];
  /** Of every lane. */
  notices: Notice[];
  /** Something that an agent does, including deltas. Verbs that are called later see it. */
  publish(...events: readonly UniversalEvent[]): void;
  announce(...asks: readonly AnnouncedAsk[]): void;
  /** Resolves when its lanes exist; asynchronous verbs wait for that themselves. */
  ready(): Promise<void>;
};

export type TestService = Service & Controls;

const keptEvents = 100_000;

export function testService(laneIds: readonly string[] = ["demo"]): TestService {
  const service = { ...controlsOf(() => opened()) } as TestService;
  let open: Opened | null = null;
  /** On the first use: many requests are answered before they reach the service. */
  const opened = () => {
    open ??= openService(laneIds, service);
    return open;
  };
  const verbs = Object.fromEntries(
    verbNames.map((name) => [
      name,
      async (...args: unknown[]) => {
        const { failure } = service;
        if (failure !== null && !neverFails.includes(name)) throw failure;
        await opened().ready;
        return (opened().verbs[name] as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
  const follow: Service["follow"] = async function* (options) {
    service.following += 1;
    try {
      await opened().ready;
      for await (const item of opened().verbs.follow(options)) {
        service.taken += 1;
        yield item;
      }
    } finally {
      service.following -= 1;
    }
  };
  const restart = () => {
    service.restarts += 1;
  };
  Object.defineProperty(service, "store", { get: () => opened().store });
  return Object.assign(service, verbs, {
    follow,
    logEnd: () => opened().verbs.logEnd(),
    restart,
    checkRestart: () => {},
  });
}

const verbNames = [
  "send",
  "message",
  "messages",
  "withdraw",
  "deliveries",
  "deliveriesOf",
  "delivery",
  "retry",
  "cancel",
  "lanes",
  "lane",
  "putLane",
  "renameLane",
  "removeLane",
  "abort",
  "pause",
  "resume",
  "release",
  "adoptSession",
  "fork",
  "teams",
  "team",
  "putTeam",
  "putMember",
  "inbox",
  "markRead",
  "unread",
  "storeAttachment",
  "attachment",
  "asks",
  "answer",
  "log",
  "turn",
  "eventsBefore",
  "laneEvents",
  "runtimes",
  "programs",
  "workspace",
  "directories",
  "readiness",
  "settled",
  "counts",
  "stats",
] as const satisfies readonly (keyof Service)[];
const neverFails: readonly string[] = ["log", "settled"];

function controlsOf(opened: () => Opened): Omit<Controls, "store"> {
  return {
    sent: [],
    answers: [],
    forks: [],
    restarts: 0,
    following: 0,
    taken: 0,
    failure: null,
    allowedDirectories: ["/tmp", "/srv"],
    stateDirectories: [],
    notices: [],
    publish(...events) {
      const open = opened();
      open.ready = open.ready.then(() => open.store.appendEvents(events.map(logged), keptEvents));
    },
    announce(...asks) {
      opened().asks.onLog(asks.map(announcement));
    },
    ready: () => opened().ready,
  };
}

function announcement(ask: AnnouncedAsk): LogItem {
  return { cursor: null, at: ask.since, laneId: ask.laneId, type: "event", ...logged(askedBy(ask)) };
}

function askedBy({ id, kind, title, laneId, since }: AnnouncedAsk): UniversalEvent {
  const question = { header: null, question: title, options: [], multiple: false };
  return anEvent(
    { lane: laneId, seq: 0, time: since },
    kind === "permission"
      ? { type: "permission.requested", data: { ask: id, title, call: null, detail: null } }
      : { type: "question.requested", data: { ask: id, call: null, questions: [question] } },
  );
}

type Opened = { store: Store; asks: AskRegistry; verbs: Service; ready: Promise<void> };

function openService(laneIds: readonly string[], service: TestService): Opened {
  const directory = mkdtempSync(join(tmpdir(), "waybill-service-"));
  const store = openSqliteStore({ path: join(directory, "waybill.db") });
  const asks = new AskRegistry(() => {});
  const real = createService({
    engine: stillEngine(directory, store, asks, service),
    resolveDirectory: (path) => resolved(path, service.allowedDirectories),
    get allowedDirectories() {
      return service.allowedDirectories;
    },
    get stateDirectories() {
      return service.stateDirectories;
    },
    runtimeDescriptors,
    defaults: { runtime: "stub", model: null },
    restart: service.restart,
    checkRestart: () => {},
    now: systemClock.now,
    draining: new AbortController().signal,
    retriesAreOff: false,
  });
  const verbs: Service = {
    ...real,
    async send(message, choose) {
      const sent = await real.send(message, choose);
      if (!sent.known) service.sent.push(message);
      return sent;
    },
    fork(id, before, as) {
      service.forks.push({ id, before });
      return real.fork(id, before, as);
    },
    // There is no agent program that could know the session.
    async adoptSession(id, sessionId) {
      await store.openSession(id, sessionId, 0);
      return real.lane(id);
    },
  };
  const begin = async () => {
    for (const id of laneIds) await store.putLane(aLane({ id }));
  };
  const opened = { store, asks, verbs, ready: begin() };
  onEnd(async () => {
    await opened.ready;
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return opened;
}

/** Only the parts of the engine that answer immediately work; messages are only admitted. */
function stillEngine(directory: string, store: Store, asks: AskRegistry, service: TestService): Engine {
  const ledger = new Ledger(store);
  const runtime: Partial<Runtime> = {
    kind: "stub",
    traits: stubTraits,
    health: async () => null,
    notices: () => service.notices,
    answer: async (_, id, decision) => void service.answers.push({ id, decision }),
  };
  const runtimes = new Map([["stub", runtime as Runtime]]);
  const courier: Partial<Courier> = {
    moveLane: async () => {},
    stopTurn: async () => {},
    stopSending: () => {},
    isSending: () => false,
    inLane: (_, work) => work(),
    waitReason: () => null,
  };
  const recorder = new Recorder({ store, clock: systemClock, keep: keptEvents, onError: fail });
  const attachments = attachmentFiles({
    directory: join(directory, "attachments"),
    maxBytes: 1000,
    clock: systemClock,
  });
  const deps = {
    store,
    ledger,
    runtimes,
    asks,
    reads: storeReads,
    attachments,
    missingFiles: async () => [],
    changedFiles: async () => [],
    policy: defaultPolicy,
    clock: systemClock,
    closing: new AbortController().signal,
    runId: "run",
    failPoint: () => {},
    onError: fail,
    recorder: {
      note: () => {},
      laneRemoved: () => {},
      history: recorder.history.bind(recorder),
      fork: recorder.fork.bind(recorder),
    },
  };
  const admission = new MessageAdmission({
    ...deps,
    acceptedFiles: () => runtime.traits?.attachments ?? null,
  });
  return {
    store,
    ledger,
    runtimes,
    asks,
    teamFiles: new InboxFilesTransport({
      ...{
        ...deps,
        admission,
        stateDirectory: "",
        rescanMs: 30_000,
        takeLock: lockDirectory,
        heard: () => {},
        onProblem: () => {},
      },
      asks: { askedElsewhere: () => {}, answered: () => {} },
      ...{ failDelivery: async () => {}, shutDown: async () => {} },
    }),
    courier: courier as Courier,
    interventions: new Interventions(deps, courier as Courier),
    recorder,
    memberStates: new MemberStates({ ...deps, idleAfterMs: 300_000 }),
    tokens: agentTokens("secret", store),
    policy: deps.policy,
    clock: systemClock,
    admission,
    attachments,
    prune: async () => 0,
    drain: () => Promise.reject(new Error("nothing runs here")),
    close: () => store.close(),
  };
}

function resolved(path: string, allowed: readonly string[]): string {
  if (allowed.some((one) => path === one || path.startsWith(`${one}/`))) return path;
  throw new AppError({ code: "directory_not_allowed", message: `Waybill may not work in ${path}.` });
}

function fail({ error }: { error: unknown }): void {
  throw error;
}

/** Runs at the end of the test, or of the file if called outside of tests. */
function onEnd(dispose: () => Promise<void>): void {
  if (expect.getState().currentTestName === undefined) afterAll(dispose);
  else onTestFinished(dispose);
}
