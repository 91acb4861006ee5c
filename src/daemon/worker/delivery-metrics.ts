/** Prometheus metrics of deliveries. Labels have few values: no lanes, no messages. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { Attempt } from "../../core/delivery/attempt.ts";
import type { DeliveryChange } from "../../core/delivery/delivery-event.ts";
import type { LogItem } from "../../core/log/log-item.ts";
import { changesIn } from "../../core/log/log-item.ts";

const buckets = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600];

/** Each is measured from the submission of the attempt. */
const attemptTimes = {
  storedAt: { name: "waybill_attempt_stored_seconds", help: "Until the agent program had stored the prompt." },
  firstTokenAt: { name: "waybill_attempt_first_token_seconds", help: "Until the first word, thought or tool call." },
  finishedAt: {
    name: "waybill_attempt_finished_seconds",
    help: "Until the turn ended, as the agent program reports it.",
  },
  provenAt: { name: "waybill_attempt_proven_seconds", help: "Until its result was accepted as proof." },
} as const satisfies Partial<Record<keyof Attempt, object>>;

export function deliveryMetrics(registry: Registry): (items: readonly LogItem[]) => void {
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
  const attemptHistograms = Object.entries(attemptTimes).map(([field, { name, help }]) => ({
    field: field as keyof typeof attemptTimes,
    histogram: new Histogram({
      name,
      help,
      labelNames: ["runtime"],
      // Most prompts are stored within milliseconds.
      buckets: [0.01, 0.05, 0.1, ...buckets],
      registers,
    }),
  }));
  const count = ({ events: newEvents, record, before }: DeliveryChange): void => {
    for (const { type, at } of newEvents) {
      events.inc({ event: type });
      if (type === "proven") answered.observe((at - record.createdAt) / 1000);
    }
    for (const attempt of record.attemptList) {
      const previous = before?.attemptList[attempt.number - 1];
      for (const { field, histogram } of attemptHistograms) {
        const at = attempt[field];
        // Each time counts once, in the change that sets it, even across a restart.
        if (at === null || (previous && previous[field] !== null)) continue;
        // The agent program's clock may be a little behind.
        histogram.observe({ runtime: record.runtimeKind ?? "unknown" }, Math.max(0, at - attempt.submittedAt) / 1000);
      }
    }
  };
  return (items) => changesIn(items).forEach(count);
}
