/**
 * What every store must do, whatever it is built on. Written against the port alone; an adapter's own test file runs it
 * on the real store. After each test the store checks itself, and must find nothing wrong.
 */
import { afterEach, beforeEach, describe, expect } from "vitest";
import type { Store } from "../../src/store/store.ts";
import { aLane } from "../support/daemon/waybill.ts";
import { admission } from "./store/admission.ts";
import { alerts } from "./store/alerts.ts";
import { attachments } from "./store/attachments.ts";
import { durability } from "./store/durability.ts";
import { events } from "./store/events.ts";
import { forks } from "./store/forks.ts";
import { handOvers } from "./store/hand-overs.ts";
import { laneOrder } from "./store/lane-order.ts";
import { lanes } from "./store/lanes.ts";
import { lists } from "./store/lists.ts";
import { log } from "./store/log.ts";
import { logListeners } from "./store/log-listeners.ts";
import { manyAtOnce } from "./store/many-at-once.ts";
import { pruning } from "./store/pruning.ts";
import { readCommit } from "./store/read-commit.ts";
import { rebuilding } from "./store/rebuilding.ts";
import { reconciles } from "./store/reconciles.ts";
import { replies } from "./store/replies.ts";
import { stagedWrites } from "./store/staged-writes.ts";
import { stats } from "./store/stats.ts";
import { teams } from "./store/teams.ts";
import { transitions } from "./store/transitions.ts";
import { transports } from "./store/transports.ts";
import { usage } from "./store/usage.ts";

export type OpenStore = {
  store: Store;
  reopen(): Promise<Store>;
  /** Makes the next commit fail. */
  failNextCommit(): void;
  dispose(): Promise<void>;
};

/** The store under test, with two lanes in it: `lane` and `other`. */
export type Subject = {
  readonly store: Store;
  /** Closes the store and opens it again, as a restart does. */
  reopen(): Promise<void>;
  /** Makes the next commit fail. */
  failNextCommit(): void;
};

const topics = {
  admission,
  transitions,
  "read commit and outgoing mail": readCommit,
  "order in a lane": laneOrder,
  "many writes at once": manyAtOnce,
  "staged writes": stagedWrites,
  reconciles,
  replies,
  rebuilding,
  lanes,
  teams,
  "inbox files": handOvers,
  attachments,
  forks,
  pruning,
  durability,
  log,
  "listeners of the log": logListeners,
  events,
  alerts,
  lists,
  usage,
  "statistics by day": stats,
  transports,
};

export function storeConformance(name: string, open: () => Promise<OpenStore>): void {
  describe(`store: ${name}`, () => {
    let opened: OpenStore;
    let store: Store;
    const subject: Subject = {
      get store() {
        return store;
      },
      async reopen() {
        store = await opened.reopen();
      },
      failNextCommit: () => opened.failNextCommit(),
    };
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      for (const id of ["lane", "other"]) await store.putLane(aLane({ id }));
    });
    afterEach(async () => {
      try {
        expect(await store.check()).toEqual([]);
      } finally {
        await opened.dispose();
      }
    });
    for (const [topic, behaviours] of Object.entries(topics)) describe(topic, () => behaviours(subject));
  });
}
