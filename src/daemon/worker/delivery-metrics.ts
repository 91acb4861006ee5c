/** What happens to deliveries, in numbers for Prometheus. Labels have few values: no lane, no message. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { Attempt } from "../../core/delivery/attempt.ts";
import type { DeliveryChange } from "../../core/delivery/delivery-event.ts";

const buckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600];

/** Each is measured from the moment at which the attempt was sent. */
const measured = {
  storedAt: { name: "waybill_attempt_stored_seconds", help: "Until the agent program had the prompt." },
  firstTokenAt: { name: "waybill_attempt_first_token_seconds", help: "Until the first word, thought or tool call." },
  finishedAt: { name: "waybill_attempt_finished_seconds", help: "Until the turn ended, as the agent program says it." },
  provenAt: { name: "waybill_attempt_proven_seconds", help: "Until what it brought was found to be proof." },
} as const satisfies Partial<Record<keyof Attempt, object>>;

export function deliveryMetrics(registry: Registry): (change: DeliveryChange) => void {
  const registers = [registry];
  const events = new Counter({
    name: "waybill_delivery_events_total",
    help: "Steps of deliveries, by kind.",
    labelNames: ["event"],
    registers,
  });
  const answered = new Histogram({
    name: "waybill_answer_seconds",
    help: "From the admission of a message to the proof that it was acted on.",
    buckets,
    registers,
  });
  const time = timeAttempts(registry);
  return (change) => {
    for (const event of change.events) {
      events.inc({ event: event.type });
      if (event.type === "proven") answered.observe((event.at - change.record.createdAt) / 1000);
    }
    time(change);
  };
}

/** A time counts once, in the change that brings it: what the record had before is not news, also not after a restart. */
function timeAttempts(registry: Registry): (change: DeliveryChange) => void {
  const histograms = Object.entries(measured).map(([field, { name, help }]) => ({
    field: field as keyof typeof measured,
    // Most prompts are stored within milliseconds.
    histogram: new Histogram({
      name,
      help,
      labelNames: ["runtime"],
      buckets: [0.01, 0.05, 0.1, ...buckets],
      registers: [registry],
    }),
  }));
  return ({ record, before }) => {
    for (const attempt of record.attemptList) {
      const known = before?.attemptList[attempt.number - 1];
      for (const { field, histogram } of histograms) {
        const at = attempt[field];
        if (at === null || (known && known[field] !== null)) continue;
        // The agent program's clock may be a little behind.
        histogram.observe({ runtime: record.runtimeKind ?? "unknown" }, Math.max(0, at - attempt.submittedAt) / 1000);
      }
    }
  };
}
