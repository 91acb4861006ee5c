/** What happens to deliveries, in numbers for Prometheus. Labels have few values: no lane, no message. */
import { Counter, Histogram, type Registry } from "prom-client";
import type { Change } from "../delivery/ledger.ts";

export function deliveryMetrics(registry: Registry): (change: Change) => void {
  const events = new Counter({
    name: "waybill_delivery_events_total",
    help: "Steps of deliveries, by kind.",
    labelNames: ["event"],
    registers: [registry],
  });
  const answered = new Histogram({
    name: "waybill_answer_seconds",
    help: "From the admission of a message to the proof that it was acted on.",
    buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600],
    registers: [registry],
  });
  return ({ record, events: happened }) => {
    for (const event of happened) {
      events.inc({ event: event.type });
      if (event.type === "proven") answered.observe((event.at - record.createdAt) / 1000);
    }
  };
}
