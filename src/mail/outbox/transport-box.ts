/** The part of the store that belongs to one transport: its updates, its outbox and its state. */
import type { Clock } from "../../platform/clock.ts";
import type { OutboxChange, OutboxRow, TransportStore, TransportWrites, Update } from "../../store/port.ts";

export type { NewOutboxRow, OutboxChange, OutboxRow, TransportWrites, Update } from "../../store/port.ts";

export type TransportBox = {
  /** All or nothing, durable once it resolves. Returns the ids of the updates that are new. */
  write(writes: TransportWrites): Promise<string[]>;
  /** Oldest first. */
  unhandled(): Promise<Update[]>;
  state(): Promise<Map<string, unknown>>;
  heads(): Promise<OutboxRow[]>;
  head(channel: string): Promise<OutboxRow | null>;
  row(key: string): Promise<OutboxRow | null>;
  change(seq: number, change: OutboxChange): Promise<void>;
};

export function transportBox(transport: string, store: TransportStore, clock: Clock): TransportBox {
  return {
    write: (writes) => store.writeTransport(transport, writes, clock.now()),
    unhandled: () => store.unhandledUpdates(transport),
    state: () => store.transportState(transport),
    heads: () => store.outboxHeads(transport),
    head: (channel) => store.outboxHead(transport, channel),
    row: (key) => store.outboxRow(transport, key),
    change: (seq, change) => store.changeOutboxRow(seq, change, clock.now()),
  };
}
