/** The whole store, for those that open it, pass it on in its roles and close it. Everybody else takes a role of it. */
import type {
  Housekeeping,
  InboxFileStore,
  LaneStore,
  LedgerStore,
  LogStore,
  MailStore,
  StatsStore,
  TeamStore,
  TransportStore,
  UsageStore,
} from "./port.ts";

export type Store = LaneStore &
  TeamStore &
  InboxFileStore &
  LedgerStore &
  MailStore &
  LogStore &
  UsageStore &
  StatsStore &
  TransportStore &
  Housekeeping;
