/** Faults that tests inject, and gates that hold calls. */
import type { ResponseParameters } from "grammy/types";
import type { Call } from "./call-log.ts";

/** "before": the request has no effect. "after": it has taken effect, but the caller does not know. */
export type Moment = "before" | "after";

export type Fault =
  | { type: "tooManyRequests"; retryAfterS: number }
  | { type: "error"; code: number; description: string; parameters?: ResponseParameters }
  /** As from a proxy in front of Telegram. */
  | { type: "badGateway" }
  | { type: "delay"; ms: number }
  | { type: "cut"; when: Moment }
  /** The request has its effect, but the answer is not JSON. */
  | { type: "garbage" }
  /** The answer never comes. */
  | { type: "hang"; when: Moment };

export type FaultOrder = {
  /** All methods by default. */
  method?: string;
  /** Which calls of the method; all by default. */
  where?: (params: Call["params"]) => boolean;
  /** 1 by default. */
  times?: number;
  with: Fault;
};

export type Gate = {
  /** The first call that the gate holds. */
  arrived: Promise<Call>;
  /** Lets everything through, now and later. */
  release(): void;
};

export type Faults = {
  add(order: FaultOrder): () => void;
  /** Uses up the fault for this call, if there is one. */
  take(call: Call): Fault | undefined;
  hold(method: string, when: Moment): Gate;
  /** Resolves when no gate holds the call. */
  pass(call: Call, when: Moment): Promise<void>;
};

const isMethod = (name: string | undefined, call: Call) =>
  name === undefined || name.toLowerCase() === call.method.toLowerCase();

export function createFaults(): Faults {
  const orders = new Set<{ order: FaultOrder; left: number }>();
  const gates = new Set<{ method: string; when: Moment; open: Promise<void>; arrive: (call: Call) => void }>();

  return {
    add(order) {
      const entry = { order, left: order.times ?? 1 };
      orders.add(entry);
      return () => orders.delete(entry);
    },
    take(call) {
      for (const entry of orders) {
        const { order } = entry;
        if (!isMethod(order.method, call) || order.where?.(call.params) === false) continue;
        entry.left -= 1;
        if (entry.left <= 0) orders.delete(entry);
        return order.with;
      }
      return undefined;
    },
    hold(method, when) {
      const { promise: open, resolve } = withResolvers<void>();
      const { promise: arrived, resolve: arrive } = withResolvers<Call>();
      const gate = { method, when, open, arrive };
      gates.add(gate);
      const release = () => {
        gates.delete(gate);
        resolve();
      };
      return { arrived, release };
    },
    async pass(call, when) {
      for (const gate of [...gates]) {
        if (gate.when !== when || !isMethod(gate.method, call)) continue;
        gate.arrive(call);
        await gate.open;
      }
    },
  };
}

function withResolvers<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
